package dev.tilewright.gpu.compile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.MissingRequirementException;
import dev.tilewright.Progress;
import dev.tilewright.Thorough;
import dev.tilewright.builder.VectorCopy;
import dev.tilewright.emit.EmitOptions;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.cache.KernelCache;
import dev.tilewright.gpu.cache.KnownCompiler;
import dev.tilewright.gpu.device.DeviceInfo;
import dev.tilewright.gpu.host.FakeMachine;
import dev.tilewright.gpu.host.OtherJava;
import dev.tilewright.gpu.module.CudaImages;
import dev.tilewright.io.host.HostEnvironment;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.ElementStep;
import dev.tilewright.program.TileProgram;
import dev.tilewright.ptx.Target;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The compiler and its cache between processes, and where there is no compiler. */
class KernelCompilerTest {
    private static final DeviceInfo HOPPER = new DeviceInfo(0, "a GPU", 9, 0, 1L << 30, 132, 232_448);
    private static final TileProgram SCALE =
            VectorCopy.of(ElementType.F32).step(ElementStep.SCALE).build().program();

    @TempDir
    Path root;

    /**
     * Compiles the same five kernels and says what it got, and whether NVRTC is in this process or has been started.
     */
    static final class FiveKernels {
        private FiveKernels() { }

        public static void main(String[] arguments) throws IOException {
            KernelCompiler compiler = KernelCompiler.cachingForUser(Progress.NONE, System.out::println);
            StringBuilder all = new StringBuilder();
            for (int i = 0; i < 5; i++) {
                String source = "extern \"C\" __global__ void k" + i + "(int *p) { p[threadIdx.x] = " + i + "; }\n";
                byte[] cubin = compiler.cubin(source, "k" + i, Target.SM_90, List.of());
                all.append(' ').append(Base64.getEncoder().encodeToString(cubin).hashCode());
            }
            new CudaImages(HOPPER, () -> compiler, EmitOptions.DEFAULT).of(SCALE);
            boolean mapped = Files.readString(Path.of("/proc/self/maps")).contains("libnvrtc");
            long children = ProcessHandle.current().children().count();
            System.out.print("ok" + all + " misses " + compiler.cache().misses() + " hits " + compiler.cache().hits()
                    + " mapped " + mapped + " children " + children);
        }
    }

    private Process start() throws IOException {
        List<String> flags = new ArrayList<>(List.of("--enable-native-access=ALL-UNNAMED"));
        flags.addAll(OtherJava.withThisNvrtc());
        ProcessBuilder builder = new ProcessBuilder(OtherJava.command(flags, FiveKernels.class))
                .redirectErrorStream(true);
        builder.environment().put("TILEWRIGHT_CACHE", root.toString());
        return builder.start();
    }

    private static String answer(Process process) throws Exception {
        String answer = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(process.waitFor(5, TimeUnit.MINUTES));
        assertTrue(answer.startsWith("ok"), answer);
        return answer;
    }

    /** Processes; in a thorough run two for each processor of a small machine. */
    private static final int AT_ONCE = Thorough.of(2, 4);

    @Test
    void processesThatStartAtOnceCompileEachKernelOnceAndAWarmOneLoadsNoNvrtc() throws Exception {
        List<Process> processes = new ArrayList<>();
        for (int i = 0; i < AT_ONCE; i++) {
            processes.add(start());
        }
        Set<String> bytes = new HashSet<>();
        long misses = 0;
        for (Process process : processes) {
            String[] parts = answer(process).split(" misses | hits | mapped ");
            bytes.add(parts[0]);
            misses += Long.parseLong(parts[1]);
            assertEquals(6, Long.parseLong(parts[1]) + Long.parseLong(parts[2]));
        }
        assertEquals(1, bytes.size(), bytes.toString());
        assertEquals(6, misses);
        String warm = answer(start());
        assertTrue(warm.endsWith(" misses 0 hits 6 mapped false children 0"), warm);
        Path folder = root.resolve("tilewright").resolve("kernels");
        KernelCache.Stats stats = new KernelCache(folder, 1 << 20, _ -> { }).stats();
        assertEquals(6, stats.entries());
        assertEquals(6, stats.allMisses());
        assertEquals(AT_ONCE * 6, stats.allHits());
    }

    /** A machine without a toolkit, for which no NVRTC can be fetched, but with this cache. */
    private HostEnvironment machine() {
        FakeMachine machine = new FakeMachine(root.resolve("machine"));
        machine.properties.put("tilewright.cache", root.toString());
        machine.properties.put("tilewright.maven.repository", root.resolve("nowhere").toUri().toString());
        machine.properties.put("os.arch", "riscv64");
        return machine.environment();
    }

    private KernelCompiler withoutNvrtc() {
        return KernelCompiler.cachingForUser(machine(), Progress.NONE, note -> {
            throw new AssertionError(note);
        });
    }

    @Test
    void whereNoneIsInstalledWhatAnotherCompiledIsFound() throws Exception {
        KernelCompiler none = withoutNvrtc();
        CudaImages images = new CudaImages(HOPPER, () -> none, EmitOptions.DEFAULT);
        assertThrows(MissingRequirementException.class, () -> images.of(SCALE));
        Nvrtc nvrtc = Nvrtc.find(Progress.NONE);
        KernelCache cache = new KernelCache(root.resolve("tilewright").resolve("kernels"), 1 << 20, _ -> { });
        KernelCompiler filling = new KernelCompiler(nvrtc, cache);
        Compilation made = new CudaImages(HOPPER, () -> filling, EmitOptions.DEFAULT).of(SCALE);
        assertEquals(made, images.of(SCALE));
        assertEquals(1, none.cache().hits());
        assertEquals(0, none.cache().misses());
        assertEquals(List.of(new KnownCompiler(nvrtc.version(), nvrtc.identity())), cache.compilers());
        // A note that was not signed here is none.
        Path note = notes().getFirst();
        Files.write(note, "TWCUBIN2 forged".getBytes(StandardCharsets.UTF_8));
        assertEquals(List.of(), cache.compilers());
        assertThrows(MissingRequirementException.class, () -> images.of(SCALE));
        cache.clear();
        assertEquals(List.of(), notes());
        assertEquals(0, cache.stats().allMisses());
    }

    /** Another process's NVRTC. @param asked is told what it is to compile */
    private static RemoteCompiler remote(List<String> asked, Nvrtc nvrtc) {
        return new RemoteCompiler() {
            @Override
            public String version() {
                return nvrtc.version();
            }

            @Override
            public String identity() {
                return "another";
            }

            @Override
            public Compilation compile(String source, String kernelName, Target target, List<String> options) {
                asked.add(kernelName + " for " + target);
                return nvrtc.compilation(source, kernelName, target, options);
            }
        };
    }

    @Test
    void whatAnotherProcessCompilesIsKeptAndNotAskedForTwice() {
        Nvrtc nvrtc = Nvrtc.find(Progress.NONE);
        List<String> asked = new ArrayList<>();
        Compilation expected = new CudaImages(HOPPER, () -> new KernelCompiler(nvrtc, new KernelCache(
                root.resolve("own"), 1 << 20, _ -> { })), EmitOptions.DEFAULT).of(SCALE);
        for (int process = 0; process < 2; process++) {
            KernelCompiler compiler = KernelCompiler.compiledBy(remote(asked, nvrtc), machine(), note -> {
                throw new AssertionError(note);
            });
            assertEquals(expected, new CudaImages(HOPPER, () -> compiler, EmitOptions.DEFAULT).of(SCALE));
        }
        assertEquals(List.of(SCALE.name() + " for sm_90a"), asked);
        // Where the other process is gone, the cache has it all the same.
        assertEquals(expected, new CudaImages(HOPPER, this::withoutNvrtc, EmitOptions.DEFAULT).of(SCALE));
    }

    @Test
    void whereAnotherProcessFailsThisMachineCompilesAndSaysSoOnce() {
        Nvrtc nvrtc = Nvrtc.find(Progress.NONE);
        List<String> notes = new ArrayList<>();
        RemoteCompiler broken = new RemoteCompiler() {
            @Override
            public String version() {
                return nvrtc.version();
            }

            @Override
            public String identity() {
                return "broken";
            }

            @Override
            public Compilation compile(String source, String kernelName, Target target, List<String> options) {
                throw new IllegalStateException("it is gone");
            }
        };
        FakeMachine machine = new FakeMachine(root.resolve("machine"));
        machine.properties.put("tilewright.cache", root.toString());
        machine.properties.put("tilewright.nvrtc", nvrtc.file().toString());
        KernelCompiler compiler = KernelCompiler.compiledBy(broken, machine.environment(), notes::add);
        for (int i = 0; i < 2; i++) {
            String source = "extern \"C\" __global__ void k" + i + "(int *p) { p[threadIdx.x] = " + i + "; }\n";
            assertEquals(nvrtc.compilation(source, "k" + i, Target.SM_90, List.of()),
                    compiler.compilation(source, "k" + i, Target.SM_90, List.of()));
        }
        assertEquals(List.of("kernel 'k0' is compiled here, as the process that compiles kernels did not: it is gone"),
                notes);
    }

    private List<Path> notes() throws IOException {
        try (Stream<Path> files = Files.list(root.resolve("tilewright").resolve("kernels"))) {
            return files.filter(f -> f.getFileName().toString().startsWith(".compiler-")).toList();
        }
    }

    @Test
    void lookingUpCountsNoMissAndAnEmulatedGpuHasNoCache() {
        KernelCache cache = new KernelCache(root.resolve("kernels"), 1 << 20, _ -> { });
        cache.open();
        assertEquals(Optional.empty(), cache.find("0".repeat(64)));
        assertEquals(0, cache.stats().misses());
        assertEquals(KernelCacheStats.NONE, emulated());
    }

    private static KernelCacheStats emulated() {
        try (Gpu gpu = Gpu.emulated()) {
            return gpu.kernelCache();
        }
    }
}
