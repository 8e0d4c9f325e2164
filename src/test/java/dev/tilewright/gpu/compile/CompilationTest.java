package dev.tilewright.gpu.compile;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tilewright.MissingRequirementException;
import dev.tilewright.Progress;
import dev.tilewright.Thorough;
import dev.tilewright.gpu.cache.KernelCache;
import dev.tilewright.gpu.nvrtc.CompilerStopped;
import dev.tilewright.ptx.Target;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.opentest4j.TestAbortedException;

/** What the embedded NVRTC remarks on what it compiles, and what it is not let do. */
@Order(12)
class CompilationTest {
    private static final String IGNORED = """
            extern "C" __global__ void __launch_bounds__(256) roles(float *p) {
              if (threadIdx.x < 128) asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
              else asm volatile("setmaxnreg.inc.sync.aligned.u32 200;");
              int unused = 3;
              p[threadIdx.x] = 2.0f;
            }
            """;

    @TempDir
    Path folder;

    private static Nvrtc nvrtc(Map<String, String> settings) {
        Map<String, String> all =
                new HashMap<>(Map.of("tilewright.nvrtc", "embedded", "tilewright.nvrtc.embedded", "13.3"));
        all.putAll(settings);
        try {
            return Nvrtc.find(all, Progress.NONE);
        } catch (MissingRequirementException e) {
            if (e.getCause() instanceof UnknownHostException || e.getCause() instanceof ConnectException) {
                throw new TestAbortedException("no network: " + e.getMessage(), e);
            }
            throw e;
        }
    }

    @Test
    void remarksOfAssemblerAndFrontEndComeWithTheCode() {
        List<String> remarks = nvrtc(Map.of()).compilation(IGNORED, "roles", Target.SM_90A, List.of()).remarks();
        assertEquals(2, remarks.size(), remarks.toString());
        assertTrue(remarks.getFirst().contains("roles.cu(4): warning #177-D: variable \"unused\""), remarks.toString());
        assertTrue(remarks.getLast().contains("(C7508) Potential Performance Loss: 'setmaxnreg' ignored"),
                remarks.toString());
        assertEquals(List.of(), nvrtc(Map.of()).compilation("__global__ void k() {}", "k", Target.SM_90A,
                List.of("--ptxas-options=-v")).remarks(), "statistics are no remarks");
    }

    @Test
    void theCacheKeepsThem() {
        KernelCompiler compiler = new KernelCompiler(nvrtc(Map.of()), new KernelCache(folder, 1 << 20, w -> { }));
        Compilation first = compiler.compilation(IGNORED, "roles", Target.SM_90A, List.of());
        Compilation second = compiler.compilation(IGNORED, "roles", Target.SM_90A, List.of());
        assertEquals(1, compiler.cache().hits());
        assertEquals(first, second);
        assertEquals(2, second.remarks().size());
        assertArrayEquals(first.cubin(), compiler.cubin(IGNORED, "roles", Target.SM_90A, List.of()));
    }

    @Test
    void whatIsPackedIsUnpacked() {
        Random random = new Random(7);
        for (int i = 0; i < 500; i++) {
            byte[] cubin = new byte[random.nextInt(40)];
            random.nextBytes(cubin);
            List<String> remarks = random.nextBoolean() ? List.of()
                    : List.of("warning: é " + i, "(C7508) " + random.nextInt());
            Compilation made = new Compilation(cubin, remarks);
            assertEquals(made, Compilation.unpacked(made.packed()));
        }
    }

    @Test
    void noDeviceCodeIsAFailure() {
        for (String option : List.of("-dlto", "--dlink-time-opt")) {
            String message = assertThrows(CompilationException.class, () -> nvrtc(Map.of())
                    .compile("__global__ void k() {}", "k", Target.SM_90, List.of(option))).getMessage();
            assertTrue(message.contains("with " + option + " (no device code):\nNVRTC took the source and gave no "
                    + "cubin"), message);
        }
    }

    @Test
    void onlySyntaxIsAFailure() {
        for (String option : List.of("-fdevice-syntax-only", "--fdevice-syntax-only")) {
            String message = assertThrows(CompilationException.class, () -> nvrtc(Map.of())
                    .compile("__global__ void k() {}", "k", Target.SM_90, List.of(option))).getMessage();
            assertTrue(message.contains("with " + option + " (no device code):\nNVRTC checked the syntax of the "
                    + "source and compiled nothing: leave out the option"), message);
        }
        assertTrue(assertThrows(CompilationException.class, () -> nvrtc(Map.of()).compile("__global__ int k() {",
                "k", Target.SM_90, List.of("-fdevice-syntax-only"))).getMessage().contains("error"), "as it complains");
    }

    @Test
    void aNulIsRefusedWhereverItStands() {
        String source = "__global__ void k() {}\n// \0\n__global__ void missed() {}\n";
        assertEquals("the source of kernel 'k' has a NUL at character 26 (line 2), where NVRTC would stop reading: "
                + "remove it",
                assertThrows(IllegalArgumentException.class, () -> nvrtc(Map.of())
                .compile(source, "k", Target.SM_90, List.of()))
                        .getMessage());
        assertThrows(IllegalArgumentException.class, () -> nvrtc(Map.of()).compile("", "k\0", Target.SM_90, List.of()));
        assertThrows(IllegalArgumentException.class, () -> nvrtc(Map.of())
                .compile("", "k", Target.SM_90, List.of("-D\0")));
    }

    /** Two to the power of so many numbers. */
    private static String bomb(int power) {
        StringBuilder source = new StringBuilder("#define B0 1\n");
        for (int i = 1; i <= power; i++) {
            source.append("#define B").append(i).append(" B").append(i - 1).append(", B").append(i - 1).append('\n');
        }
        return source + "__device__ int many[] = {B" + power + "};\n";
    }

    /** @param begins is run before the bomb is compiled */
    private static void isStopped(Map<String, String> settings, String reason, Runnable begins) {
        Nvrtc limited = nvrtc(settings);
        limited.compile("__global__ void k() {}", "k", Target.SM_90, List.of());
        begins.run();
        long begin = System.nanoTime();
        CompilationException stopped = assertThrows(CompilationException.class,
                () -> limited.compile(bomb(30), "bomb", Target.SM_90, List.of()));
        assertTrue(System.nanoTime() - begin < Duration.ofMinutes(3).toNanos());
        assertTrue(stopped.getCause() instanceof CompilerStopped);
        assertTrue(stopped.getMessage()
                .startsWith("NVRTC 13.3 was stopped when it compiled kernel 'bomb' for sm_90, because it "
                + reason), stopped.getMessage());
        Thread.interrupted();
        limited.compile("__global__ void k() {}", "k", Target.SM_90, List.of());
    }

    /** Only in a thorough run, as it computes for all of its time; {@code CompilerPoolTest} stops one that sleeps. */
    @Test
    void aBombIsStoppedByTime() {
        assumeTrue(Thorough.of(0, 1) == 1, "only in a thorough run");
        isStopped(Map.of("tilewright.nvrtc.seconds", "4"), "had taken 4 s, its limit", () -> { });
    }

    /** A process that has compiled little has 125 MiB. */
    @Test
    void aBombIsStoppedByMemory() {
        isStopped(Map.of("tilewright.nvrtc.memory", "220MiB"), "had taken 220 MiB of memory, its limit", () -> { });
    }

    @Test
    void aBombIsStoppedByAnInterrupt() {
        Thread caller = Thread.currentThread();
        isStopped(Map.of(), "was not waited for: the thread that had asked for it was interrupted",
                () -> Thread.ofVirtual().start(() -> {
                    try {
                        Thread.sleep(700);
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                    caller.interrupt();
                }));
    }
}
