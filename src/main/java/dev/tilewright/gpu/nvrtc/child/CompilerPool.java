package dev.tilewright.gpu.nvrtc.child;

import dev.tilewright.MissingRequirementException;
import dev.tilewright.gpu.nvrtc.Compiler;
import dev.tilewright.gpu.nvrtc.CompilerCrash;
import dev.tilewright.gpu.nvrtc.CompilerStopped;
import dev.tilewright.gpu.nvrtc.NvrtcVersion;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingDeque;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;

/**
 * One libnvrtc in processes of its own, so that a crash of the compiler costs its caller one kernel. Each
 * process compiles one program at a time and is kept for the next; there are as many as there are threads that
 * compile at once, up to the number of processors.
 */
public final class CompilerPool implements Compiler {

    private static final ConcurrentMap<Key, CompilerPool> POOLS = new ConcurrentHashMap<>();

    /** How often a process may end of its own accord just when it is asked for something. */
    private static final int MOST_RETIRED = 3;

    /** What pools are shared by. */
    private record Key(Path file, CompilerLimits limits) { }

    private final Path file;
    private final CompilerLimits limits;
    private final Supplier<ProcessBuilder> command;
    private final Runnable beforeLoading;
    private final Semaphore turns = new Semaphore(Math.max(1, Runtime.getRuntime().availableProcessors()));
    private final BlockingDeque<WarmCompiler> idle = new LinkedBlockingDeque<>();
    private final CompilerMessage.Ready facts;

    private CompilerPool(Path file, CompilerLimits limits, Supplier<ProcessBuilder> command, Runnable beforeLoading) {
        this.file = file;
        this.limits = limits;
        this.command = command;
        this.beforeLoading = beforeLoading;
        this.facts = startOne();
    }

    /** Starts a process, which waits for work then. */
    private CompilerMessage.Ready startOne() {
        WarmCompiler started = WarmCompiler.start(command.get());
        try {
            beforeLoading.run();
            CompilerMessage.Ready ready = started.open(file);
            idle.push(started);
            return ready;
        } catch (RuntimeException | Error e) {
            started.close();
            throw e;
        }
    }

    /**
     * The processes of a libnvrtc; empty where none can be, as in an application that is a program of its own.
     *
     * @param limits what one compilation may take
     * @param beforeLoading runs before each process loads the library, while the process starts
     * @throws MissingRequirementException if it cannot be loaded, or no process can be started
     */
    static Optional<Compiler> of(Path file, CompilerLimits limits, Runnable beforeLoading) {
        if (CompilerCommand.find().isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(POOLS.computeIfAbsent(new Key(file.toAbsolutePath(), limits), key -> new CompilerPool(
                key.file(), limits, () -> CompilerCommand.find().orElseThrow(), beforeLoading)));
    }

    /** A pool whose processes are started by this command, shared with no other. */
    static CompilerPool with(Path file, CompilerLimits limits, Supplier<ProcessBuilder> command) {
        return new CompilerPool(file, limits, command, () -> { });
    }

    @Override
    public NvrtcVersion version() {
        return facts.version();
    }

    @Override
    public List<Integer> supportedArchitectures() {
        return facts.architectures();
    }

    @Override
    public Outcome compile(String source, String name, List<String> options) {
        CompilerMessage.Compile program = new CompilerMessage.Compile(source, name, options);
        try {
            turns.acquire();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CompilerStopped("was not begun: the thread that had asked for it was interrupted");
        }
        try {
            for (int attempt = 1; attempt <= MOST_RETIRED; attempt++) {
                WarmCompiler compiler = take();
                try {
                    Optional<Outcome> outcome = compiler.compile(program, limits);
                    if (outcome.isPresent()) {
                        idle.push(compiler);
                        return outcome.get();
                    }
                    // The next one is younger, or new.
                } catch (RuntimeException | Error e) {
                    compiler.close();
                    throw e;
                }
            }
            throw new CompilerCrash("ended " + MOST_RETIRED + " times without a complaint");
        } finally {
            turns.release();
        }
    }

    private WarmCompiler take() {
        while (true) {
            WarmCompiler known = idle.poll();
            if (known == null) {
                startOne();
            } else if (known.isAlive()) {
                return known;
            }
        }
    }

    /** For tests: how many processes wait for work. */
    int waiting() {
        return idle.size();
    }
}
