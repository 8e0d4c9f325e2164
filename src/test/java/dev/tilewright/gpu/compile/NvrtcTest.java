package dev.tilewright.gpu.compile;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.BadRequestException;
import dev.tilewright.MissingRequirementException;
import dev.tilewright.OrdinaryShare;
import dev.tilewright.Progress;
import dev.tilewright.Thorough;
import dev.tilewright.gpu.cache.KernelCache;
import dev.tilewright.gpu.nvrtc.NvrtcVersion;
import dev.tilewright.gpu.nvrtc.locate.NvrtcLocation;
import dev.tilewright.gpu.nvrtc.locate.NvrtcLocator;
import dev.tilewright.gpu.nvrtc.locate.NvrtcRule;
import dev.tilewright.io.host.HostEnvironment;
import dev.tilewright.ptx.PtxVersion;
import dev.tilewright.ptx.Target;
import java.io.IOException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.opentest4j.TestAbortedException;

/** Real compilations by the embedded NVRTC, which is fetched into the user's cache the first time. */
@Order(19)
class NvrtcTest {

    private static final String FILL = """
            extern "C" __global__ void fill(float *p) {
              p[threadIdx.x] = 2.0f;
            }
            """;

    @TempDir
    static Path caches;

    private static Nvrtc nvrtc;

    /** This machine, but for the caches and what is installed on it. */
    private static HostEnvironment environment(String release) {
        return new HostEnvironment(System::getProperty, name -> switch (name) {
            case "TILEWRIGHT_CACHE" -> caches.toString();
            case "TILEWRIGHT_NVRTC" -> "embedded";
            case "TILEWRIGHT_NVRTC_EMBEDDED" -> release;
            default -> System.getenv(name);
        }, Path.of("/"));
    }

    /** Skips where there is no network to fetch it over; every other failure is one. */
    private static Nvrtc embedded(String release) {
        try {
            return Nvrtc.find(environment(release), Progress.NONE);
        } catch (MissingRequirementException e) {
            if (e.getCause() instanceof UnknownHostException || e.getCause() instanceof ConnectException) {
                throw new TestAbortedException("no network: " + e.getMessage(), e);
            }
            throw e;
        }
    }

    @BeforeAll
    static void find() {
        nvrtc = embedded("12.9");
    }

    @Test
    void saysWhatItIs() {
        assertEquals("12.9", nvrtc.version());
        assertEquals(PtxVersion.of(8, 8), nvrtc.ptxVersion());
        assertEquals("libnvrtc.so.12", nvrtc.file().getFileName().toString());
        assertEquals(NvrtcRule.EMBEDDED, nvrtc.search().found().orElseThrow().rule());
        assertEquals("12.9/106237008", nvrtc.identity());
        assertTrue(nvrtc.supportedTargets().containsAll(Target.KNOWN), nvrtc.supportedTargets().toString());
        assertEquals(List.of(), nvrtc.supportedTargets().stream().filter(t -> t.supports(Target.SM_80)
                && !Target.capabilities().contains(Target.of(t.major(), t.minor()))).toList());
        assertEquals(nvrtc.search(), NvrtcLocator.of(environment("12.9")).survey());
    }

    @ParameterizedTest
    @OrdinaryShare(3)
    @ValueSource(strings = {"sm_80", "sm_86", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_100a", "sm_120"})
    void compilesForEachTarget(String target) {
        byte[] cubin = nvrtc.compile(FILL, "fill", Target.parse(target), List.of());
        assertEquals("\177ELF", new String(cubin, 0, 4));
        assertArrayEquals(cubin, nvrtc.compile(FILL, "fill", Target.parse(target), List.of()));
    }

    @Test
    void theOtherReleaseWorksInTheSameProcess() {
        Nvrtc newer = embedded("13.3");
        assertEquals("13.3", newer.version());
        assertEquals("\177ELF", new String(newer.compile(FILL, "fill", Target.SM_90A, List.of("--std=c++17")), 0, 4));
        compilesForEachTarget("sm_90a");
    }

    /** What 12.9 does not survive is an error for 13.3; its log ends with more than one NUL. */
    @Test
    void logsHaveNoNul() {
        CompilationException e = assertThrows(CompilationException.class, () -> embedded("13.3").compile("""
                extern "C" __global__ void k(unsigned *p) {
                  asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(*p) : "l"(0x123456789abcdefull));
                }
                """, "k", Target.SM_90A, List.of()));
        assertTrue(e.getMessage().contains("ptxas") && e.getMessage().indexOf('\0') < 0, e.getMessage());
    }

    @Test
    void anotherFileIsAskedForItsVersion() {
        HostEnvironment explicit = new HostEnvironment(System::getProperty, name -> switch (name) {
            case "TILEWRIGHT_CACHE" -> caches.toString();
            case "TILEWRIGHT_NVRTC" -> nvrtc.file().getParent().toString();
            default -> System.getenv(name);
        }, Path.of("/"));
        for (int i = 0; i < 2; i++) {
            NvrtcLocation location = Nvrtc.find(explicit, Progress.NONE).search().found().orElseThrow();
            assertEquals(new NvrtcLocation(nvrtc.file(), NvrtcRule.EXPLICIT_SETTING, new NvrtcVersion(12, 9),
                    106_237_008), location);
        }
        assertTrue(Files.isDirectory(caches.resolve("tilewright/nvrtc-versions")));
    }

    @Test
    void anErrorShowsTheNumberedSource() {
        String source = "extern \"C\" __global__ void bad(float *p) {\n  int i = threadIdx.x;\n  p[i] = nothing;\n}\n";
        CompilationException e = assertThrows(CompilationException.class,
                () -> nvrtc.compile(source, "bad", Target.SM_90A, List.of("--std=c++17", "-lineinfo")));
        assertEquals("""
                NVRTC 12.9 did not compile kernel 'bad' for sm_90a with --std=c++17 -lineinfo (NVRTC_ERROR_COMPILATION):
                bad.cu(3): error: identifier "nothing" is undefined
                       1 | extern "C" __global__ void bad(float *p) {
                       2 |   int i = threadIdx.x;
                  >    3 |   p[i] = nothing;
                       4 | }
                """, e.getMessage());
        assertEquals("bad", e.kernelName());
        assertEquals(Target.SM_90A, e.target());
        assertEquals(List.of("--std=c++17", "-lineinfo"), e.options());
        assertEquals("12.9", e.nvrtcVersion());
        assertTrue(e.log().contains("1 error detected in the compilation of \"bad.cu\"."));
    }

    @Test
    void anInstructionThatTheAssemblerRefusesShowsThePtx() {
        String source = "extern \"C\" __global__ void old() {\n  asm volatile(\"wgmma.fence.sync.aligned;\");\n}\n";
        CompilationException e = assertThrows(CompilationException.class,
                () -> nvrtc.compile(source, "old", Target.SM_80, List.of()));
        assertTrue(e.getMessage().contains("error   : Instruction 'wgmma.fence' not supported on .target 'sm_80'"),
                e.getMessage());
        assertTrue(e.getMessage().lines().anyMatch(l -> l.matches("  > +\\d+ \\| \\s*wgmma\\.fence\\.sync\\.aligned;")),
                e.getMessage());
    }

    @Test
    void anUnknownOptionIsTheCompilersWord() {
        CompilationException e = assertThrows(CompilationException.class,
                () -> nvrtc.compile(FILL, "fill", Target.SM_80, List.of("--bogus")));
        assertEquals("NVRTC 12.9 did not compile kernel 'fill' for sm_80 with --bogus (NVRTC_ERROR_INVALID_OPTION):\n"
                + "nvrtc: error: unrecognized option --bogus found", e.getMessage());
    }

    @Test
    void anUnknownTargetListsTheKnown() {
        MissingRequirementException e = assertThrows(MissingRequirementException.class,
                () -> nvrtc.compile(FILL, "fill", Target.of(9, 9), List.of()));
        assertTrue(e.getMessage()
                .startsWith("NVRTC 12.9 (" + nvrtc.file() + ") does not compile for sm_99, only for sm_50, "));
        assertTrue(e.getMessage().contains("sm_89, sm_90, sm_90a, sm_100, sm_100a"));
    }

    @Test
    void deepSourcesDoNotOverrunTheStack() {
        String deep = "(".repeat(2_000) + "p[1]" + ")".repeat(2_000);
        byte[] cubin = nvrtc.compile("extern \"C\" __global__ void deep(int *p) { p[0] = " + deep + "; }", "deep",
                Target.SM_80, List.of());
        assertTrue(cubin.length > 0);
    }

    /** What NVRTC 12.9 does not survive: the assembler gets an address of the wrong kind, or a state that cannot be. */
    @ParameterizedTest
    @ValueSource(strings = {
        "extern \"C\" __global__ void k(unsigned long long p) { asm volatile(\"prefetch.local.L2 [%0];\" :: "
                + "\"l\"(p)); }",
        "extern \"C\" __global__ void k(unsigned *p) { asm volatile(\"mbarrier.pending_count.b64 %0, %1;\" : \"=r\"(*p)"
                + " : \"l\"(0x123456789abcdefull)); }"})
    void aCrashCostsOneKernel(String source) {
        CompilationException e = assertThrows(CompilationException.class,
                () -> nvrtc.compile(source, "k", Target.SM_90A, List.of()));
        assertTrue(e.getMessage()
                .matches("NVRTC 12\\.9 \\(" + nvrtc.file() + "\\) crashed when it compiled kernel 'k' for"
                + " sm_90a: its process ended with (signal|exit code) \\d+; another NVRTC may compile it"
                + " \\(TILEWRIGHT_NVRTC\\)"), e.getMessage());
        assertEquals("", e.log());
        compilesForEachTarget("sm_90a");
    }

    /**
     * Where NVRTC is loaded, and which of its files is damaged: the shorter one, which is read first; in a thorough run
     * the other, too, in both places, as it is read several times. One ordinary run in four takes this test, because it
     * reads both files whole.
     */
    static Stream<Arguments> copies() {
        return Stream.of(Arguments.of("in-process", "libnvrtc-builtins.so.12.9"), Arguments.of("child",
                "libnvrtc.so.12"), Arguments.of("in-process", "libnvrtc.so.12")).limit(Thorough.of(1, 3));
    }

    @ParameterizedTest
    @OrdinaryShare(4)
    @MethodSource("copies")
    void aDamagedCopyIsMadeAnewBeforeItIsLoaded(String where, String damage, @TempDir Path cache)
            throws IOException {
        Path copy = Files.createDirectories(cache.resolve("tilewright/nvrtc/12.9"));
        Files.setPosixFilePermissions(cache, PosixFilePermissions.fromString("rwx------"));
        List<String> names = List.of("libnvrtc.so.12", "libnvrtc-builtins.so.12.9");
        for (String name : names) {
            Files.copy(nvrtc.file().resolveSibling(name), copy.resolve(name));
        }
        try (FileChannel channel = FileChannel.open(copy.resolve(damage), StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(new byte[] {1, 2, 3}), channel.size() / 2);
        }
        HostEnvironment there = new HostEnvironment(name -> name.equals("maven.repo.local") ? "/no/such/repository"
                : System.getProperty(name), name -> switch (name) {
            case "XDG_CACHE_HOME" -> cache.toString();
            case "TILEWRIGHT_NVRTC_PROCESS" -> where;
            // Nothing is fetched over a network here.
            case "TILEWRIGHT_MAVEN_REPOSITORY" -> "/no/such/mirror";
            default -> environment("12.9").variables().apply(name);
        }, Path.of("/"));
        Nvrtc damaged = Nvrtc.find(there, Progress.NONE);
        assertTrue(assertThrows(MissingRequirementException.class, damaged::supportedTargets).getMessage()
                .startsWith("the embedded NVRTC 12.9 cannot be fetched from file:///no/such/mirror/"));
        for (String name : names) {
            assertFalse(Files.exists(copy.resolve(name)), name);
            Files.copy(nvrtc.file().resolveSibling(name), copy.resolve(name));
        }
        assertTrue(Nvrtc.find(there, Progress.NONE).supportedTargets().contains(Target.SM_90A));
    }

    @Test
    void itAlsoCompilesInThisProcess() {
        Nvrtc here = Nvrtc.find(new HostEnvironment(System::getProperty, name -> name.equals("TILEWRIGHT_NVRTC_PROCESS")
                ? "in-process" : environment("12.9").variables().apply(name), Path.of("/")), Progress.NONE);
        assertArrayEquals(nvrtc.compile(FILL, "fill", Target.SM_90A, List.of()),
                here.compile(FILL, "fill", Target.SM_90A, List.of()));
    }

    @Test
    void itCompilesInAProcessOrInThisOne() {
        Nvrtc neither =
                Nvrtc.find(new HostEnvironment(System::getProperty, name -> name.equals("TILEWRIGHT_NVRTC_PROCESS")
                ? "elsewhere" : environment("12.9").variables().apply(name), Path.of("/")), Progress.NONE);
        assertEquals("TILEWRIGHT_NVRTC_PROCESS is 'elsewhere': choose child or in-process",
                assertThrows(BadRequestException.class, neither::supportedTargets).getMessage());
    }

    @Test
    void threadsCompileAtOnce() throws Exception {
        byte[] expected = nvrtc.compile(FILL, "fill", Target.SM_90, List.of());
        try (ExecutorService pool = Executors.newFixedThreadPool(8)) {
            List<Future<byte[]>> all = new ArrayList<>();
            for (int i = 0; i < Thorough.of(12, 32); i++) {
                all.add(pool.submit(() -> nvrtc.compile(FILL, "fill", Target.SM_90, List.of())));
            }
            for (Future<byte[]> one : all) {
                assertArrayEquals(expected, one.get());
            }
        }
    }

    @Test
    void aCompilerWithACacheCompilesOnce() {
        KernelCache cache = new KernelCache(caches.resolve("kernels"), 1 << 20, warning -> {
            throw new AssertionError(warning);
        });
        KernelCompiler compiler = new KernelCompiler(nvrtc, cache);
        byte[] first = compiler.cubin(FILL, "fill", Target.SM_90A, List.of());
        assertArrayEquals(first, compiler.cubin(FILL, "fill", Target.SM_90A, List.of()));
        compiler.cubin(FILL, "fill", Target.SM_90, List.of());
        assertEquals(1, cache.stats().hits());
        assertEquals(2, cache.stats().misses());
    }
}
