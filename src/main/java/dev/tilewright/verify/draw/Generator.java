package dev.tilewright.verify.draw;

import java.util.List;

/** Makes kernels of one kind out of choices: free of races, with one possible result, small enough for the reference. */
interface Generator {
    /** The kind's name, as {@code --kinds} takes it. */
    String kind();

    /** What its kernels are, in a few words. */
    String title();

    /**
     * A kernel.
     *
     * @throws Redraw if the choices do not go together
     */
    Drawn make(Choices choices);

    /**
     * The choices that the kernel of this number begins with, so that many of them together go through all that there is
     * to go through; the rest is drawn.
     *
     * @param seed of all kernels
     */
    default List<Integer> first(long seed, long number) {
        return List.of();
    }
}
