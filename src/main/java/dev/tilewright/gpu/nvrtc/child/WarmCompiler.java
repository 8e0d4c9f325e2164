package dev.tilewright.gpu.nvrtc.child;

import dev.tilewright.MissingRequirementException;
import dev.tilewright.gpu.nvrtc.Compiler;
import dev.tilewright.gpu.nvrtc.CompilerCrash;
import dev.tilewright.gpu.nvrtc.CompilerStopped;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * One process that compiles. It is started at once and loads its libnvrtc when that is asked for, so that what the
 * caller has to do before takes no time. Used by one thread at a time.
 */
final class WarmCompiler implements AutoCloseable {

    /** How long a process that has closed its output may take to end, in seconds. */
    private static final int ENDING = 5;

    /** How long its last words may take to arrive, in milliseconds. */
    private static final long LAST_WORDS = 1_000;

    /** Characters of its error output that are kept. */
    private static final int KEPT = 2_000;

    /** What the thread that reads its error output is called, before the process's number. */
    static final String LISTENER = "tilewright-compiler-";

    private final Process process;
    private final OutputStream requests;
    private final InputStream answers;
    private final StringBuffer errors = new StringBuffer();
    private final Thread listener;

    private WarmCompiler(Process process) {
        this.process = process;
        this.requests = new BufferedOutputStream(process.getOutputStream(), 1 << 16);
        this.answers = new BufferedInputStream(process.getInputStream(), 1 << 16);
        // A virtual thread that reads from a pipe holds its carrier: as many processes as processors would leave none.
        this.listener = Thread.ofPlatform().daemon().name(LISTENER + process.pid()).start(this::keepErrors);
    }

    /** @throws MissingRequirementException if no process can be started */
    static WarmCompiler start(ProcessBuilder command) {
        try {
            return new WarmCompiler(command.start());
        } catch (IOException e) {
            throw notStarted(e.getMessage(), e);
        }
    }

    private static MissingRequirementException notStarted(String reason, IOException cause) {
        return new MissingRequirementException("no process can be started to compile in (" + reason
                + "): TILEWRIGHT_NVRTC_PROCESS=in-process does without one", cause);
    }

    /** @throws MissingRequirementException if the library cannot be loaded, or the process does not come up */
    CompilerMessage.Ready open(Path library) {
        try {
            return (CompilerMessage.Ready) ask(new CompilerMessage.Open(library.toString()))
                    .orElseThrow(() -> notStarted("it ended at once", null));
        } catch (CompilerCrash e) {
            throw notStarted("it " + e.getMessage(), null);
        }
    }

    /**
     * Compiles a program; empty if the process had ended before, because it had nothing to do for a while.
     *
     * @throws CompilerCrash if the process ended while it compiled
     * @throws CompilerStopped if it took more than the limits, or this thread was interrupted, which stays so
     */
    Optional<Compiler.Outcome> compile(CompilerMessage.Compile program, CompilerLimits limits) {
        try (CompilationWatch watch = new CompilationWatch(process, limits)) {
            try {
                return ask(program).map(answer -> ((CompilerMessage.Done) answer).outcome());
            } catch (CompilerCrash e) {
                throw watch.reason().<RuntimeException>map(CompilerStopped::new).orElse(e);
            }
        }
    }

    /** The answer, or nothing if the process has retired. */
    private Optional<CompilerMessage> ask(CompilerMessage request) {
        CompilerMessage answer;
        try {
            CompilerMessage.write(requests, request);
            answer = CompilerMessage.read(answers);
        } catch (IOException e) {
            Optional<CompilerCrash> crash = crash();
            if (crash.isPresent()) {
                throw crash.get();
            }
            return Optional.empty();
        }
        if (answer instanceof CompilerMessage.Failed(boolean missing, String message)) {
            throw missing ? new MissingRequirementException(message) : new IllegalStateException(message);
        }
        return Optional.of(answer);
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** How the process ended, or nothing if it has retired. */
    private Optional<CompilerCrash> crash() {
        try {
            if (!process.waitFor(ENDING, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                return Optional.of(new CompilerCrash("said something that is no answer"));
            }
            listener.join(LAST_WORDS);
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
            return Optional.of(new CompilerCrash("was interrupted"));
        }
        int code = process.exitValue();
        if (code == 0) {
            return Optional.empty();
        }
        String said = errors.toString().strip().replaceAll("\\s*\\R\\s*", "; ");
        // 128 and a signal's number is how shells, and Java, tell of a process that was killed.
        return Optional.of(new CompilerCrash("ended with " + (code > 128 ? "signal " + (code - 128)
                : "exit code " + code) + (said.isEmpty() ? "" : ": " + said)));
    }

    private void keepErrors() {
        try (InputStream in = process.getErrorStream()) {
            byte[] bytes = new byte[1024];
            for (int count; (count = in.read(bytes)) >= 0; ) {
                if (errors.length() < KEPT) {
                    errors.append(new String(bytes, 0, count, StandardCharsets.UTF_8));
                }
            }
        } catch (IOException e) {
            // It has ended.
        }
    }

    /** Ends the process. */
    @Override
    public void close() {
        process.destroyForcibly();
    }
}
