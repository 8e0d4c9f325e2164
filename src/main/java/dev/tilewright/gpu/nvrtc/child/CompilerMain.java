package dev.tilewright.gpu.nvrtc.child;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.tilewright.MissingRequirementException;
import dev.tilewright.gpu.host.NativeLibrary;
import dev.tilewright.gpu.nvrtc.InProcess;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * What the compiler's process runs: it loads a libnvrtc and compiles one program after the other, as it is asked to on
 * standard input. It ends when that is closed, thus also when the process that started it is killed, and when it has
 * had nothing to do for a while. It uses the JDK alone, so that it starts fast.
 */
final class CompilerMain {

    /** How long it waits for work, in seconds: a process with NVRTC in it takes some 100 MB. */
    private static final int IDLE = 120;

    private static final int SIGINT = 2;
    private static final MemorySegment SIG_IGN = MemorySegment.ofAddress(1);

    private final BlockingQueue<CompilerMessage> requests = new ArrayBlockingQueue<>(1);
    private final OutputStream answers = new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), 1 << 16);
    private InProcess compiler;

    private CompilerMain() { }

    public static void main(String[] args) throws IOException, InterruptedException {
        // Standard output carries the answers.
        System.setOut(System.err);
        CompilerMain main = new CompilerMain();
        Thread reader = new Thread(main::readRequests, "requests");
        reader.setDaemon(true);
        reader.start();
        main.answer();
    }

    /** Reads ahead, so that the end of the other process is seen in the middle of a compilation too. */
    private void readRequests() {
        try (InputStream in = new BufferedInputStream(new FileInputStream(FileDescriptor.in), 1 << 16)) {
            while (true) {
                requests.put(CompilerMessage.read(in));
            }
        } catch (IOException | InterruptedException e) {
            Runtime.getRuntime().halt(0);
        }
    }

    private void answer() throws IOException, InterruptedException {
        for (CompilerMessage request; (request = requests.poll(IDLE, TimeUnit.SECONDS)) != null; ) {
            CompilerMessage.write(answers, answerTo(request));
        }
        Runtime.getRuntime().halt(0);
    }

    private CompilerMessage answerTo(CompilerMessage request) {
        try {
            return switch (request) {
                case CompilerMessage.Open open -> {
                    ignoreInterrupts();
                    compiler = InProcess.open(Path.of(open.file()));
                    yield new CompilerMessage.Ready(compiler.version(), compiler.supportedArchitectures());
                }
                case CompilerMessage.Compile c ->
                        new CompilerMessage.Done(compiler.compile(c.source(), c.name(), c.options()));
                case CompilerMessage.Ready _, CompilerMessage.Done _, CompilerMessage.Failed _ ->
                        new CompilerMessage.Failed(false, "not a request: " + request);
            };
        } catch (MissingRequirementException e) {
            return new CompilerMessage.Failed(true, e.getMessage());
        } catch (RuntimeException | OutOfMemoryError e) {
            return new CompilerMessage.Failed(false, e.toString());
        }
    }

    /**
     * Ctrl-C reaches every process of a terminal's group. Whether this one goes on is for the one that it works for to
     * say, which may have its own way with interrupts.
     */
    private static void ignoreInterrupts() {
        Linker linker = Linker.nativeLinker();
        linker.defaultLookup().find("signal").ifPresent(signal -> {
            try {
                MemorySegment before = (MemorySegment) linker.downcallHandle(signal,
                        FunctionDescriptor.of(ADDRESS, JAVA_INT, ADDRESS)).invokeExact(SIGINT, SIG_IGN);
            } catch (Throwable t) {
                throw NativeLibrary.rethrow(t);
            }
        });
    }
}
