package dev.tilewright.gputest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.Progress;
import dev.tilewright.emit.ValueCase;
import dev.tilewright.gpu.Buffer;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.JCudaInterop;
import dev.tilewright.gpu.Stream;
import dev.tilewright.gpu.compile.KernelCompiler;
import dev.tilewright.gpu.compile.Nvrtc;
import dev.tilewright.program.value.ApproximateOp;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.verify.draw.ValueOperands;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import jcuda.Pointer;
import jcuda.driver.CUfunction;
import jcuda.driver.CUmodule;
import jcuda.driver.JCudaDriver;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The hardware's approximations are as near to the function as {@link ApproximateOp#error} says, where it is normal.
 */
@Tag("gpu")
class ApproximationsGpuTest {
    private static final int COUNT = 1_000_000;

    @Test
    void areAsNearAsIsSaid() {
        Gpu gpu = TestGpu.atLeast(Target.SM_90);
        byte[] cubin = Nvrtc.find(Progress.NONE).compile(ValueCase.approximationSource(), "approximations",
                gpu.target(), KernelCompiler.OPTIONS);
        long[] words = ValueOperands.words(ValueType.F32, COUNT, 5, new long[0]);
        try (Arena arena = Arena.ofConfined(); Buffer<byte[]> in = gpu.bytes(4L * COUNT);
                Buffer<byte[]> out = gpu.bytes(4L * COUNT); Stream stream = gpu.stream()) {
            MemorySegment xs = arena.allocate(4L * COUNT, 64);
            MemorySegment ys = arena.allocate(4L * COUNT, 64);
            for (int i = 0; i < COUNT; i++) {
                xs.setAtIndex(ValueLayout.JAVA_INT, i, (int) words[i]);
            }
            in.upload(xs);
            CUmodule module = new CUmodule();
            assertEquals(0, JCudaDriver.cuModuleLoadData(module, cubin));
            for (ApproximateOp op : ApproximateOp.values()) {
                CUfunction function = new CUfunction();
                assertEquals(0, JCudaDriver.cuModuleGetFunction(function, module, "approximate_" + op));
                assertEquals(0, JCudaDriver.cuLaunchKernel(function, 1024, 1, 1, 256, 1, 1, 0,
                        JCudaInterop.stream(stream),
                        Pointer.to(Pointer.to(JCudaInterop.pointer(in)), Pointer.to(JCudaInterop.pointer(out)),
                                Pointer.to(new int[] {COUNT})), null));
                out.download(ys);
                check(op, xs, ys);
            }
            assertEquals(0, JCudaDriver.cuModuleUnload(module));
        }
    }

    private static void check(ApproximateOp op, MemorySegment xs, MemorySegment ys) {
        double relative = 0;
        double absolute = 0;
        int judged = 0;
        for (int i = 0; i < COUNT; i++) {
            float x = xs.getAtIndex(ValueLayout.JAVA_FLOAT, i);
            float y = ys.getAtIndex(ValueLayout.JAVA_FLOAT, i);
            double exact = exact(op, x);
            boolean angle = op == ApproximateOp.SIN || op == ApproximateOp.COS;
            if (!Float.isFinite(x) || angle && Math.abs(x) > 2 * Math.PI || !Double.isFinite(exact)
                    || Math.abs(exact) > Float.MAX_VALUE * (1 - 0x1p-20) || !angle
                            && Math.abs(exact) < Float.MIN_NORMAL) {
                continue;
            }
            judged++;
            double error = Math.abs(y - exact);
            if (angle || op == ApproximateOp.LG2 && x > 0.5f && x < 2) {
                absolute = Math.max(absolute, error);
            } else {
                relative = Math.max(relative, error / Math.abs(exact));
            }
        }
        System.err.printf("%s of %d arguments: relative error 2^%.2f, absolute 2^%.2f; said: %s%n", op.instruction(),
                judged,
                Math.log(relative) / Math.log(2), Math.log(absolute) / Math.log(2), op.error());
        assertTrue(judged > COUNT / 20, op + " " + judged);
        assertTrue(relative <= Math.pow(2, switch (op) {
            case EX2 -> -22.7;
            case LG2 -> -22;
            case RCP, SQRT -> -23.2;
            case RSQRT -> -22.9;
            case TANH -> -16.4;
            case SIN, COS -> 0;
        }), op + " " + relative);
        assertTrue(absolute <= Math.pow(2, switch (op) {
            case SIN -> -20.5;
            case COS -> -20.4;
            default -> -22.1;
        }), op + " " + absolute);
    }

    private static double exact(ApproximateOp op, double x) {
        return switch (op) {
            case EX2 -> StrictMath.pow(2, x);
            case LG2 -> StrictMath.log(x) / StrictMath.log(2);
            case RCP -> 1 / x;
            case RSQRT -> 1 / Math.sqrt(x);
            case SQRT -> Math.sqrt(x);
            case SIN -> StrictMath.sin(x);
            case COS -> StrictMath.cos(x);
            case TANH -> StrictMath.tanh(x);
        };
    }
}
