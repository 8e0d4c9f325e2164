package dev.tilewright.gputest;

import dev.tilewright.Thorough;
import dev.tilewright.ptx.Target;
import dev.tilewright.reference.ReferenceOptions;
import dev.tilewright.verify.CaseDevice;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * What the tests of this package run on. Each of them runs twice: on a GPU, where there is one, and with the reference
 * in the GPU's place, so that what is wrong on the host's side shows on every machine. There the reference is compared
 * with a direct computation, or takes its steps in an order that a seed chooses and is compared with itself in the
 * fixed order.
 *
 * <p>{@code -Dtilewright.tests.on=gpu} leaves out the second, for a machine whose GPU's time is dear.
 */
enum Stage {
    GPU {
        @Override
        CaseDevice device(Target minimum) {
            return CaseDevice.of(TestGpu.atLeast(minimum));
        }

        @Override
        CaseDevice device(Target minimum, long seed) {
            return device(minimum);
        }
    },
    REFERENCE {
        @Override
        CaseDevice device(Target minimum) {
            return IN_ORDER;
        }

        @Override
        CaseDevice device(Target minimum, long seed) {
            return CaseDevice.reference(ReferenceOptions.DEFAULT.withSeed(seed));
        }
    };

    /** The reference in its fixed order, which the others are compared with. */
    static final CaseDevice IN_ORDER = CaseDevice.reference(ReferenceOptions.DEFAULT);

    /** The stages that this run is to have. */
    static Stream<Stage> wanted() {
        String only = System.getProperty("tilewright.tests.on", "");
        return Arrays.stream(values()).filter(s -> only.isEmpty() || only.equalsIgnoreCase(s.name()));
    }

    /**
     * A device for the calling thread, of at least a target; a test is skipped where there is no such GPU. For what is
     * compared with a direct computation.
     */
    abstract CaseDevice device(Target minimum);

    /**
     * A device for what is compared with the reference in its fixed order.
     *
     * @param seed the order of steps, where the device lets one choose it
     */
    abstract CaseDevice device(Target minimum, long seed);

    /**
     * Which of some choices are taken: on a GPU all, elsewhere one, for the time that it takes.
     *
     * @param turn which one
     */
    <T> Stream<T> some(List<T> all, int turn) {
        return this == GPU ? all.stream() : Stream.of(all.get(Math.floorMod(turn, all.size())));
    }

    /**
     * Whether a case is taken: on a GPU and in a thorough run each, else one in so many, other ones each time.
     *
     * @param number of the case
     */
    boolean takes(long number, int oneIn) {
        return this == GPU || Thorough.takes(number, oneIn);
    }

    /**
     * How many of many cases are taken: on a GPU and in a thorough run all, else the first.
     *
     * @param few how many with the reference
     */
    int most(int few, int all) {
        return this == GPU ? all : Thorough.of(few, all);
    }

    /**
     * How many tiles a block of a copy takes: one, some, many. On a GPU each case has all three, with the reference one
     * of them, for the time that it takes.
     *
     * @param turn which of them
     */
    int[] tilesPerBlock(int turn) {
        int[] all = {1, 3, 21};
        return this == GPU ? all : new int[] {all[Math.floorMod(turn, all.length)]};
    }
}
