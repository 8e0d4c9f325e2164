package dev.tilewright.gpu.nvrtc.child;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.BadRequestException;
import dev.tilewright.MissingRequirementException;
import dev.tilewright.gpu.host.OtherJava;
import dev.tilewright.gpu.nvrtc.Compiler;
import dev.tilewright.gpu.nvrtc.CompilerCrash;
import dev.tilewright.gpu.nvrtc.CompilerStopped;
import dev.tilewright.gpu.nvrtc.NvrtcVersion;
import dev.tilewright.io.host.HostEnvironment;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Processes that stand in for the compiler's: what becomes of requests when they crash, retire or talk nonsense. */
@Order(5)
class CompilerPoolTest {
    @TempDir
    Path folder;

    /**
     * Answers as a compiler would, or does what the source says. It is a script, which starts faster than a Java.
     * {@code $0} is a folder, where a file counts each start.
     */
    private static final String STAND_IN = """
            say() { printf '\\002%s' "$1"; shift; for field; do printf '\\t%s' "$field"; done; echo; }
            did() { say done 0 '' "$1" AQ== ''; }
            mark=$(printf '\\002')
            tab=$(printf '\\t')
            : >"$0/start$$"
            while IFS=$tab read -r word first more; do
              case $word/$first in
                "${mark}open"/*missing) say failed true "$first: cannot be loaded" ;;
                "${mark}open"/*) say ready 12 9 80 90 ;;
                "${mark}compile"/crash) printf "the compiler's\\nlast words\\n" >&2; exit 134 ;;
                "${mark}compile"/retire*) if rm "${first#retire }" 2>/dev/null; then exit; else did 'after all'; fi ;;
                "${mark}compile"/leave) exit ;;
                "${mark}compile"/linger) exec sleep 1000 ;;
                # Its own output is another: who listens would take the end of this one for its end.
                "${mark}compile"/grow) exec dd if=/dev/zero of=/dev/null bs=300M 3>&1 ;;
                "${mark}compile"/babble) printf 'some library prints something' ;;
                "${mark}compile"/wait) sleep 0.3; did waited ;;
                "${mark}compile"/*) did "did $first" ;;
                *) exit 1 ;;
              esac
            done
            """;

    private CompilerPool pool(String file) {
        return pool(file, CompilerLimits.DEFAULT);
    }

    private CompilerPool pool(String file, CompilerLimits limits) {
        return CompilerPool.with(Path.of(file), limits,
                () -> new ProcessBuilder("sh", "-c", STAND_IN, folder.toString()));
    }

    /** The process that lingers is ended, and another does what is asked next. */
    private void stops(CompilerPool pool, String source, String reason) {
        long begin = System.nanoTime();
        assertEquals(reason, assertThrows(CompilerStopped.class, () -> pool.compile(source, "k.cu", List.of()))
                .getMessage());
        assertTrue(System.nanoTime() - begin < Duration.ofMinutes(3).toNanos());
        Thread.interrupted();
        assertEquals("did more", pool.compile("more", "k.cu", List.of()).log());
    }

    @Test
    void aCompilationEndsWhenItsTimeIsOver() {
        stops(pool("lib", new CompilerLimits(Duration.ofSeconds(5), 4L << 30)), "linger",
                "had taken 5 s, its limit (tilewright.nvrtc.seconds)");
    }

    @Test
    void aCompilationEndsWhenItHasTakenItsMemory() {
        stops(pool("lib", new CompilerLimits(Duration.ofMinutes(5), 200L << 20)), "grow",
                "had taken 200 MiB of memory, its limit (tilewright.nvrtc.memory)");
    }

    @Test
    void aCompilationEndsWhenItsThreadIsInterrupted() {
        CompilerPool pool = pool("lib");
        Thread caller = Thread.currentThread();
        Thread.ofVirtual().start(() -> {
            try {
                Thread.sleep(300);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            caller.interrupt();
        });
        stops(pool, "linger", "was not waited for: the thread that had asked for it was interrupted");
    }

    @Test
    void limitsAreSettings() {
        CompilerLimits set = CompilerLimits.of(HostEnvironment.current(Map.of("tilewright.nvrtc.seconds", "7",
                "tilewright.nvrtc.memory", "6GiB")));
        assertEquals(new CompilerLimits(Duration.ofSeconds(7), 6L << 30), set);
        assertEquals("tilewright.nvrtc.seconds is 'soon', and must be a number of seconds from 1 to 999999",
                assertThrows(BadRequestException.class, () -> CompilerLimits.of(HostEnvironment.current(Map.of(
                        "tilewright.nvrtc.seconds", "soon")))).getMessage());
        assertEquals("tilewright.nvrtc.memory is '5', and must be memory such as 6GiB",
                assertThrows(BadRequestException.class, () -> CompilerLimits.of(HostEnvironment.current(Map.of(
                        "tilewright.nvrtc.memory", "5")))).getMessage());
    }

    private int starts() throws IOException {
        try (var files = Files.list(folder)) {
            return (int) files.filter(f -> f.getFileName().toString().startsWith("start")).count();
        }
    }

    private static String compile(Compiler compiler, String source) {
        return compiler.compile(source, "k.cu", List.of()).log();
    }

    @Test
    void oneProcessServesOneThread() throws IOException {
        CompilerPool pool = pool("lib");
        assertEquals(new NvrtcVersion(12, 9), pool.version());
        assertEquals(List.of(80, 90), pool.supportedArchitectures());
        for (int i = 0; i < 5; i++) {
            assertEquals("did " + i, compile(pool, Integer.toString(i)));
        }
        assertEquals(1, starts());
        assertEquals(1, pool.waiting());
    }

    /** Compilers of other tests are listened to, too. */
    private static boolean isOfASleeper(String listener) {
        return ProcessHandle.of(Long.parseLong(listener.substring(WarmCompiler.LISTENER.length())))
                .flatMap(process -> process.info().command()).filter(command -> command.endsWith("sleep")).isPresent();
    }

    private static Set<String> listeners() {
        return Thread.getAllStackTraces().keySet().stream().map(Thread::getName)
                .filter(name -> name.startsWith(WarmCompiler.LISTENER)).filter(CompilerPoolTest::isOfASleeper)
                .collect(Collectors.toSet());
    }

    /** They wait for words that may never come, and the application's virtual threads have few carriers. */
    @Test
    void processesAreListenedToByThreadsThatAreNotVirtual() {
        Set<String> before = listeners();
        try (WarmCompiler _ = WarmCompiler.start(new ProcessBuilder("sleep", "1000"))) {
            Set<String> now = listeners();
            now.removeAll(before);
            assertEquals(1, now.size(), now::toString);
        }
    }

    @Test
    void aCrashCostsOneRequest() throws IOException {
        CompilerPool pool = pool("lib");
        CompilerCrash crash = assertThrows(CompilerCrash.class, () -> compile(pool, "crash"));
        assertEquals("ended with signal 6: the compiler's; last words", crash.getMessage());
        assertEquals("did this", compile(pool, "this"));
        assertEquals(2, starts());
    }

    @Test
    void whoRetiresIsReplacedUnseen() throws IOException {
        CompilerPool pool = pool("lib");
        Path once = Files.createFile(folder.resolve("once"));
        assertEquals("after all", compile(pool, "retire " + once));
        assertEquals(2, starts());
        assertEquals("ended 3 times without a complaint",
                assertThrows(CompilerCrash.class, () -> compile(pool, "leave")).getMessage());
    }

    @Test
    void nonsenseIsNoAnswer() {
        CompilerPool pool = pool("lib");
        assertTrue(assertThrows(CompilerCrash.class, () -> compile(pool, "babble")).getMessage()
                .startsWith("said something that is no answer"));
        assertEquals("did this", compile(pool, "this"));
    }

    @Test
    void aLibraryThatDoesNotLoadIsSaidInItsOwnWords() {
        assertEquals("/a/missing: cannot be loaded",
                assertThrows(MissingRequirementException.class, () -> pool("/a/missing")).getMessage());
    }

    @Test
    void aProcessThatDoesNotStartSaysWhatToDo() {
        String message = assertThrows(MissingRequirementException.class,
                () -> CompilerPool.with(Path.of("lib"), CompilerLimits.DEFAULT,
                () -> new ProcessBuilder("/no/such/java"))).getMessage();
        assertTrue(message.startsWith("no process can be started to compile in (")
                && message.endsWith("): TILEWRIGHT_NVRTC_PROCESS=in-process does without one"), message);
        String fails = assertThrows(MissingRequirementException.class,
                () -> CompilerPool.with(Path.of("lib"), CompilerLimits.DEFAULT,
                () -> new ProcessBuilder("sh", "-c", "echo out of everything >&2; exit 7"))).getMessage();
        assertTrue(fails.contains("(it ended with exit code 7: out of everything)"), fails);
    }

    @Test
    void threadsAtOnceHaveProcessesOfTheirOwnUpToTheProcessors() throws Exception {
        CompilerPool pool = pool("lib");
        int most = Runtime.getRuntime().availableProcessors();
        CountDownLatch go = new CountDownLatch(1);
        try (ExecutorService threads = Executors.newFixedThreadPool(most + 2)) {
            List<Future<String>> all = new ArrayList<>();
            for (int i = 0; i < most + 2; i++) {
                all.add(threads.submit(() -> {
                    go.await();
                    return compile(pool, "wait");
                }));
            }
            go.countDown();
            for (Future<String> one : all) {
                assertEquals("waited", one.get());
            }
        }
        assertTrue(starts() <= most, starts() + " were started");
        assertEquals(starts(), pool.waiting());
    }

    /** Starts a real compiler's process, says its number, and stays. */
    static final class Parent {
        public static void main(String[] args) throws Exception {
            Process child = CompilerCommand.find().orElseThrow().start();
            System.out.println(child.pid());
            System.out.flush();
            Thread.sleep(Duration.ofMinutes(5));
        }
    }

    @Test
    void itEndsWithTheProcessThatStartedIt() throws Exception {
        Process parent = OtherJava.start(List.of(), Parent.class);
        long child = Long.parseLong(parent.inputReader(StandardCharsets.UTF_8).readLine());
        ProcessHandle handle = ProcessHandle.of(child).orElseThrow();
        assertTrue(handle.isAlive());
        parent.destroyForcibly();
        handle.onExit().get(3, TimeUnit.MINUTES);
        assertFalse(handle.isAlive());
    }
}
