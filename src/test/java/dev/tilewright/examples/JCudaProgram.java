package dev.tilewright.examples;

import dev.tilewright.builder.ElementwiseKernel;
import dev.tilewright.builder.VectorCopy;
import dev.tilewright.gpu.ArrayType;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.JCudaInterop;
import dev.tilewright.gpu.Kernel;
import dev.tilewright.layout.ElementType;
import dev.tilewright.layout.Shape;
import dev.tilewright.program.expression.Value;
import java.nio.charset.StandardCharsets;
import jcuda.Pointer;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUfunction;
import jcuda.driver.CUmodule;
import jcuda.driver.CUresult;
import jcuda.driver.CUstream;
import jcuda.driver.CUstream_flags;
import jcuda.driver.JCudaDriver;

/**
 * A program as JCuda's users have them: a context, memory, a stream and a kernel of its own, all through JCudaDriver.
 * Into it a Tilewright kernel is dropped ({@link #rectify}), which works in that context and that stream, on that
 * memory.
 */
public final class JCudaProgram {
    /** The program's own kernel: every element times itself. */
    private static final String SQUARE = """
            .version 7.0
            .target sm_80
            .address_size 64
            .visible .entry square(.param .u64 square_x, .param .u32 square_n)
            {
                .reg .pred %p;
                .reg .b32 %r<5>;
                .reg .b64 %rd<4>;
                .reg .f32 %f<2>;
                ld.param.u64 %rd0, [square_x];
                ld.param.u32 %r0, [square_n];
                mov.u32 %r1, %ctaid.x;
                mov.u32 %r2, %ntid.x;
                mov.u32 %r3, %tid.x;
                mad.lo.s32 %r4, %r1, %r2, %r3;
                setp.ge.s32 %p, %r4, %r0;
                @%p ret;
                cvta.to.global.u64 %rd1, %rd0;
                mul.wide.s32 %rd2, %r4, 4;
                add.s64 %rd3, %rd1, %rd2;
                ld.global.f32 %f0, [%rd3];
                mul.rn.f32 %f1, %f0, %f0;
                st.global.f32 [%rd3], %f1;
                ret;
            }
            """;

    private JCudaProgram() {
    }

    /** What is dropped in: {@code max(scale * x + bias, 0)}. */
    private static final ElementwiseKernel RECTIFY = rectifier();

    private static ElementwiseKernel rectifier() {
        VectorCopy.Builder builder = VectorCopy.of(ElementType.F32);
        Value scale = builder.scalar("scale", ElementType.F32);
        Value bias = builder.scalar("bias", ElementType.F32);
        return builder.step(x -> x.times(scale).plus(bias).max(0)).build();
    }

    /** The lines that are new in the program. Reads x, writes y, when the stream reaches it. */
    private static void rectify(CUcontext context, CUstream stream, CUdeviceptr x, CUdeviceptr y, int n) {
        try (Gpu gpu = JCudaInterop.gpu(context); Kernel kernel = gpu.load(RECTIFY)) {
            kernel.prepare(Shape.of(n), JCudaInterop.buffer(gpu, x, ArrayType.FLOATS, n),
                            JCudaInterop.buffer(gpu, y, ArrayType.FLOATS, n))
                    .set("scale", 0.5).set("bias", -2).on(JCudaInterop.stream(gpu, stream)).start();
        }
    }

    /** The square of {@code max(0.5 x² - 2, 0)} for every x, by way of the first GPU. */
    public static float[] run(float[] numbers) {
        int n = numbers.length;
        long bytes = 4L * n;
        check(JCudaDriver.cuInit(0));
        CUdevice device = new CUdevice();
        check(JCudaDriver.cuDeviceGet(device, 0));
        CUcontext context = new CUcontext();
        check(JCudaDriver.cuCtxCreate(context, 0, device));
        CUmodule module = new CUmodule();
        check(JCudaDriver.cuModuleLoadData(module, (SQUARE + '\0').getBytes(StandardCharsets.US_ASCII)));
        CUfunction square = new CUfunction();
        check(JCudaDriver.cuModuleGetFunction(square, module, "square"));
        CUstream stream = new CUstream();
        check(JCudaDriver.cuStreamCreate(stream, CUstream_flags.CU_STREAM_NON_BLOCKING));
        CUdeviceptr x = new CUdeviceptr();
        check(JCudaDriver.cuMemAlloc(x, bytes));
        CUdeviceptr y = new CUdeviceptr();
        check(JCudaDriver.cuMemAlloc(y, bytes));

        check(JCudaDriver.cuMemcpyHtoDAsync(x, Pointer.to(numbers), bytes, stream));
        launch(square, x, n, stream);
        rectify(context, stream, x, y, n);
        launch(square, y, n, stream);
        float[] result = new float[n];
        check(JCudaDriver.cuStreamSynchronize(stream));
        check(JCudaDriver.cuMemcpyDtoH(Pointer.to(result), y, bytes));

        check(JCudaDriver.cuMemFree(y));
        check(JCudaDriver.cuMemFree(x));
        check(JCudaDriver.cuStreamDestroy(stream));
        check(JCudaDriver.cuModuleUnload(module));
        check(JCudaDriver.cuCtxDestroy(context));
        return result;
    }

    private static void launch(CUfunction function, CUdeviceptr x, int n, CUstream stream) {
        check(JCudaDriver.cuLaunchKernel(function, Math.ceilDiv(n, 256), 1, 1, 256, 1, 1, 0, stream,
                Pointer.to(Pointer.to(x), Pointer.to(new int[] {n})), null));
    }

    private static void check(int result) {
        if (result != CUresult.CUDA_SUCCESS) {
            throw new IllegalStateException(CUresult.stringFor(result));
        }
    }
}
