package dev.tilewright.gputest;

import dev.tilewright.gpu.Driver;
import dev.tilewright.gpu.ReferenceDriver;
import dev.tilewright.ptx.Target;
import dev.tilewright.reference.ReferenceOptions;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * What the tests of this package run on. Each of them runs twice: on a GPU, where there is one, and with the reference in
 * the GPU's place, so that what is wrong on the host's side shows on every machine. There the reference is compared with a
 * direct computation, or takes its steps in an order that a seed chooses and is compared with itself in the fixed order.
 *
 * <p>{@code -Dtilewright.tests.on=gpu} leaves out the second, for a machine whose GPU's time is dear.
 */
enum Stage {
    GPU {
        @Override
        Driver driver(Target minimum) {
            return TestGpu.atLeast(minimum);
        }

        @Override
        Driver driver(Target minimum, long seed) {
            return TestGpu.atLeast(minimum);
        }
    },
    REFERENCE {
        @Override
        Driver driver(Target minimum) {
            return new ReferenceDriver();
        }

        @Override
        Driver driver(Target minimum, long seed) {
            return new ReferenceDriver(ReferenceOptions.DEFAULT.withSeed(seed));
        }
    };

    /** The stages that this run is to have. */
    static Stream<Stage> wanted() {
        String only = System.getProperty("tilewright.tests.on", "");
        return Arrays.stream(values()).filter(s -> only.isEmpty() || only.equalsIgnoreCase(s.name()));
    }

    /**
     * A driver for the calling thread, of at least a target; a test is skipped where there is no such GPU. For what is
     * compared with a direct computation.
     */
    abstract Driver driver(Target minimum);

    /**
     * The same for what is compared with the reference in its fixed order.
     *
     * @param seed the order of steps, where the device lets one choose it
     */
    abstract Driver driver(Target minimum, long seed);

    /**
     * Which of some choices are taken: on a GPU all, elsewhere one, for the time that it takes.
     *
     * @param turn which one
     */
    <T> Stream<T> some(List<T> all, int turn) {
        return this == GPU ? all.stream() : Stream.of(all.get(Math.floorMod(turn, all.size())));
    }

    /**
     * How many tiles a block of a copy takes: one, some, many. On a GPU each case has all three, with the reference one of
     * them, for the time that it takes.
     *
     * @param turn which of them
     */
    int[] tilesPerBlock(int turn) {
        int[] all = {1, 3, 21};
        return this == GPU ? all : new int[] {all[Math.floorMod(turn, all.length)]};
    }
}
