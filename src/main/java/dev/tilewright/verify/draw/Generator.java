package dev.tilewright.verify.draw;

import java.util.List;
import java.util.function.Function;

/**
 * Makes kernels of one kind out of choices: free of races, with one possible result, small enough for the reference.
 *
 * @param kind its name, as {@code --kinds} takes it
 * @param maker makes a kernel, or throws {@link Redraw} if the choices do not go together
 * @param beginning see {@link #first}
 */
record Generator(String kind, Function<DrawnChoices, Drawn> maker, Beginning beginning) {

    /** What the kernel of a number begins with. */
    interface Beginning {
        List<Integer> of(long seed, long number);
    }

    /** One whose kernels begin with any choices. */
    Generator(String kind, Function<DrawnChoices, Drawn> maker) {
        this(kind, maker, (_, _) -> List.of());
    }

    /** A kernel. @throws Redraw if the choices do not go together */
    Drawn make(DrawnChoices choices) {
        return maker.apply(choices);
    }

    /**
     * The choices that the kernel of this number begins with, so that many of them together go through all that there
     * is to go through; the rest is drawn.
     *
     * @param seed of all kernels
     */
    List<Integer> first(long seed, long number) {
        return beginning.of(seed, number);
    }
}
