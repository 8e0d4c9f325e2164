package dev.tilewright.emit;

import dev.tilewright.NotNull;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Dim3;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Operation;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Parameter;
import java.util.List;
import java.util.stream.Stream;

/**
 * Time stamps that a kernel writes while it runs: some of its threads say when each of their steps has ended. A choice
 * of {@link EmitOptions}; the program has one more parameter, {@link #into}, and {@link #launch} gives both. Steps that
 * touch memory, issue an instruction or wait are stamped; what lies between counts with the next of them.
 *
 * <p>Each thread has a piece of {@link #bytes} / threads bytes, as 64-bit words: the nanosecond of {@code %globaltimer}
 * at which it began, the one at which it ended, and then for its beginning (step 0) and each step the cycle of
 * {@code %clock64}, shifted left by {@value #STEP_BITS}, plus the step's number. At its end the number is
 * {@value #END}. What does not fit is left out, but for the end.
 *
 * @param into the parameter that points to them
 * @param threads the threads that write stamps, by their numbers, the threads of earlier blocks counted first
 * @param most stamps of each thread
 */
public record TimeStamps(Parameter.Pointer into, List<Integer> threads, int most) {
    /** Bits of a word that say which step it was. */
    public static final int STEP_BITS = 16;
    /** The step number that marks the end of the kernel. */
    public static final int END = (1 << STEP_BITS) - 1;
    private static final int HEAD = 2;

    public TimeStamps {
        NotNull.all("into, threads", into, threads);
        threads = List.copyOf(threads);
        if (threads.isEmpty() || most < 2) {
            throw new IllegalArgumentException("time stamps need a thread and room for 2 or more of each, got "
                    + threads + " and " + most);
        }
    }

    /** Stamps of some threads, into a parameter of its own. */
    public TimeStamps(List<Integer> threads, int most) {
        this(new Parameter.Pointer("time_stamps", true), threads, most);
    }

    /** Bytes of all stamps together. */
    public long bytes() {
        return (long) threads.size() * words() * Long.BYTES;
    }

    /** 64-bit words of each thread. */
    public int words() {
        return HEAD + most;
    }

    /**
     * A launch of a program that has the parameter, too.
     *
     * @param buffer the number that the stamps' buffer has in the launch
     * @throws IllegalArgumentException if its blocks or its grid have more than one dimension
     */
    public Launch launch(Launch launch, int buffer) {
        NotNull.all("launch", launch);
        TileProgram p = launch.program();
        Dim3 grid = launch.grid();
        if (!p.block().isLine() || !grid.isLine() || !launch.cluster().isLine()) {
            throw new IllegalArgumentException("time stamps are of blocks and grids of one dimension, and kernel '"
                    + p.name() + "' has blocks of " + p.block().text() + " threads in a grid of " + grid.text());
        }
        TileProgram stamped = new TileProgram(p.name(), p.purpose(), p.block(), p.cluster(),
                Stream.concat(p.parameters().stream(), Stream.of(into)).toList(), p.shared(), p.body(), p.atOnce());
        return new Launch(stamped, grid, launch.cluster(), Stream.concat(launch.arguments().stream(),
                Stream.of(new Argument.Buffer(buffer, 0, bytes()))).toList());
    }

    /** Whether the end of such a step is stamped. */
    static boolean isStamped(Operation operation) {
        return switch (operation) {
            case Operation.Instruction _, Operation.Loading _, Operation.Storing _, Operation.SyncThreads _ -> true;
            default -> false;
        };
    }
}
