package dev.tilewright.gputest;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.tilewright.gpu.ArrayType;
import dev.tilewright.gpu.Buffer;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.Kernel;
import dev.tilewright.gpu.KernelLaunch;
import dev.tilewright.gpu.Stream;
import dev.tilewright.gpu.compile.CompilationException;
import dev.tilewright.gpu.compile.CudaFunction;
import dev.tilewright.layout.ElementType;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.program.ClusterSize;
import dev.tilewright.program.Dim3;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.ptx.Target;
import dev.tilewright.tensormap.TensorMap;
import dev.tilewright.tensormap.TiledTensorMap;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** CUDA C++ of an application's own, launched as everything else is. */
@Tag("gpu")
class CudaFunctionGpuTest {
    private static final String AXPY = """
            extern "C" __global__ void axpy(float a, const float *x, float *y, int n) {
                int i = blockIdx.x * blockDim.x + threadIdx.x;
                if (i < n) y[i] += a * x[i];
            }
            """;
    private static final List<Parameter> AXPY_PARAMETERS = List.of(new Parameter.Scalar("a", ElementType.F32),
            new Parameter.Pointer("x", false), new Parameter.Pointer("y", true), new Parameter.Int("n", IntType.S32));

    private static Gpu gpu(Target minimum) {
        TestGpu.atLeast(minimum);
        return Gpu.open();
    }

    private static CudaFunction axpy(List<Parameter> parameters) {
        return CudaFunction.of("axpy", AXPY, 256, parameters);
    }

    @Test
    void argumentsReachItAndALaunchAllocatesNothing() {
        float[] ones = new float[1000];
        Arrays.fill(ones, 1);
        try (Gpu gpu = gpu(Target.SM_80); Kernel kernel = gpu.load(axpy(AXPY_PARAMETERS));
                Buffer<float[]> x = gpu.upload(ones); Buffer<float[]> y = gpu.upload(new float[1000])) {
            KernelLaunch launch = kernel.prepare().grid(4).requires("x", 4000).requires("y", 4000).set("a", 2)
                    .set("x", x).set("y", y).set("n", 999);
            assertThrows(IllegalArgumentException.class, () -> launch.set("x", x.slice(1, 999)));
            ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            long least = Long.MAX_VALUE;
            int launches = 0;
            // Until it is compiled it may.
            for (int attempt = 0; attempt < 200 && least > 0; attempt++) {
                long before = threads.getCurrentThreadAllocatedBytes();
                for (int i = 0; i < 500; i++) {
                    launch.start();
                }
                least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
                gpu.synchronize();
                launches += 500;
            }
            assertEquals(0, least);
            float[] expected = new float[1000];
            Arrays.fill(expected, 0, 999, 2f * launches);
            assertArrayEquals(expected, y.download());
        }
    }

    @Test
    void whatIsDeclaredOtherwiseThanInTheSourceIsRefused() {
        try (Gpu gpu = gpu(Target.SM_80)) {
            List<Parameter> longer = new ArrayList<>(AXPY_PARAMETERS);
            longer.set(3, new Parameter.Int("n", IntType.S64));
            assertEquals("kernel 'axpy': parameter 3, 'n', is declared as an integer of 8 bytes, and has 4 bytes in "
                    + "its source:"
                    + " declare each as it is there, in the source's order",
                    assertThrows(IllegalArgumentException.class, () -> gpu.load(axpy(longer))).getMessage());
            assertEquals("kernel 'axpy' is declared with 3 parameters, and its source has more: declare each, in the "
                    + "source's"
                    + " order", assertThrows(IllegalArgumentException.class,
                            () -> gpu.load(axpy(AXPY_PARAMETERS.subList(0, 3)))).getMessage());
            List<Parameter> more = new ArrayList<>(AXPY_PARAMETERS);
            more.add(new Parameter.Pointer("z", false));
            assertEquals("kernel 'axpy' is declared with 5 parameters, and its source has 4: 'z' is one too many",
                    assertThrows(IllegalArgumentException.class, () -> gpu.load(axpy(more))).getMessage());
            assertTrue(assertThrows(IllegalArgumentException.class, () -> gpu.load(CudaFunction.of("saxpy", AXPY, 256,
                    AXPY_PARAMETERS))).getMessage()
                    .startsWith("the source of kernel 'saxpy' defines no function of this name"));
            String wrong = assertThrows(CompilationException.class, () -> gpu.load(CudaFunction.of("axpy",
                    AXPY.replace("a * x[i]", "b * x[i]"), 256, AXPY_PARAMETERS))).getMessage();
            assertTrue(wrong.contains("axpy.cu(3)") && wrong.contains("\"b\""), wrong);
        }
    }

    @Test
    void clustersAreThoseThatWereAskedFor() {
        String source = """
                extern "C" __global__ void sizes(unsigned *out) {
                    unsigned size, rank;
                    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
                    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
                    if (threadIdx.x == 0) out[blockIdx.x] = 16 * size + rank;
                }
                """;
        List<Parameter> out = List.of(new Parameter.Pointer("out", true));
        try (Gpu gpu = gpu(Target.SM_90);
                Kernel two =
                        gpu.load(CudaFunction.of("sizes", source, 32, out).withCluster(ClusterSize.of(Dim3.of(2))));
                Kernel free = gpu.load(CudaFunction.of("sizes", source, 32, out).withCluster(ClusterSize.AT_LAUNCH));
                Buffer<int[]> buffer = gpu.ints(4)) {
            assertTrue(two.residentClusters() > 0);
            assertThrows(IllegalArgumentException.class, () -> two.prepare().grid(3));
            two.preferSharedMemory(100);
            two.prepare().grid(4).set("out", buffer).start();
            assertArrayEquals(new int[] {32, 33, 32, 33}, buffer.download());
            free.prepare().cluster(Dim3.of(4)).grid(4).set("out", buffer).start();
            assertArrayEquals(new int[] {64, 65, 66, 67}, buffer.download());
            free.prepare().grid(3).set("out", buffer).start();
            assertArrayEquals(new int[] {16, 16, 16, 67}, buffer.download());
        }
    }

    @Test
    void aTensorMapReachesIt() {
        String source = """
                struct alignas(64) Map { unsigned long long words[16]; };
                extern "C" __global__ void words(const __grid_constant__ Map map, unsigned long long *out) {
                    out[threadIdx.x] = map.words[threadIdx.x];
                }
                """;
        try (Gpu gpu = gpu(Target.SM_90); Buffer<float[]> tensor = gpu.floats(64 * 64);
                Buffer<long[]> out = gpu.allocate(ArrayType.LONGS, 16);
                Kernel kernel = gpu.load(CudaFunction.of("words", source, 16,
                        List.of(new Parameter.TensorMap("map", 2), new Parameter.Pointer("out", true))))) {
            TensorMap map = TiledTensorMap.denseInnermostFirst(TensorDataType.FLOAT32, List.of(64L, 64L),
                    List.of(32, 8), Swizzle.B128);
            kernel.prepare().grid(1).set("map", map, tensor).set("out", out).start();
            byte[] expected = map.encode(gpu.target(), tensor.address()).bytes();
            byte[] got = new byte[128];
            out.as(ArrayType.BYTES).download(got);
            assertArrayEquals(expected, got);
        }
    }

    @Test
    void manyThreadsLoadAndLaunchTheSameKernel() throws Exception {
        int threads = 16;
        try (Gpu gpu = gpu(Target.SM_80); ExecutorService pool = Executors.newFixedThreadPool(threads)) {
            CyclicBarrier together = new CyclicBarrier(threads);
            List<Future<float[]>> results = new ArrayList<>();
            for (int t = 0; t < threads; t++) {
                float factor = t;
                results.add(pool.submit(() -> {
                    together.await();
                    try (Kernel kernel = gpu.load(axpy(AXPY_PARAMETERS)); Stream stream = gpu.stream();
                            Buffer<float[]> x = gpu.upload(new float[] {1, 2}); Buffer<float[]> y =
                                    gpu.upload(new float[2])) {
                        KernelLaunch launch = kernel.prepare().grid(1).set("a", factor).set("x", x).set("y", y)
                                .set("n", 2)
                                .on(stream);
                        for (int i = 0; i < 1000; i++) {
                            launch.start();
                        }
                        stream.synchronize();
                        return y.download();
                    }
                }));
            }
            for (int t = 0; t < threads; t++) {
                assertArrayEquals(new float[] {1000 * t, 2000 * t}, results.get(t).get());
            }
        }
    }
}
