package dev.tilewright.reference.box;

import dev.tilewright.reference.fault.Fault;
import dev.tilewright.reference.fault.ReferenceException.Kind;

/**
 * Which rows of the tensor one copy visits: the part of a tensor copy that its mode ({@code .tile}, {@code .im2col} and
 * so on) decides. What happens to the bytes of a row is the same for all of them and is not said here.
 */
sealed interface BoxTraversal permits TileTraversal, GatherTraversal, Im2colTraversal, Im2colWideTraversal {

    /** How many coordinates the instruction takes. */
    int coordinates();

    /** How many im2col offsets, or halo and offset, a load takes. */
    int offsets();

    /** Rows of shared memory that the copy takes. @param offsets as many as {@link #offsets()}; none for a store */
    int rows(int[] offsets);

    /**
     * Refuses operands that the hardware would fault on.
     *
     * @param store whether it is a store or a reduction
     * @throws Fault with the operand, its value and the rule
     */
    void check(int[] coordinates, int[] offsets, boolean store);

    /**
     * Refuses a store or reduction that starts before the tensor, as PTX does (cp.async.bulk.tensor).
     *
     * @param what such a copy is called
     * @param otherwise what is known of the hardware
     */
    static void requireStoreStart(int[] coordinates, String what, String otherwise) {
        for (int d = 0; d < coordinates.length; d++) {
            if (coordinates[d] < 0) {
                throw new Fault(Kind.OUT_OF_BOUNDS, "coordinate " + d + " of " + what + " is " + coordinates[d]
                        + ": a store starts at coordinates that are not negative" + otherwise);
            }
        }
    }

    /** Hands on every row, in order. */
    void walk(int[] coordinates, int[] offsets, RowSink to);

    /** What a message calls a row of the box at these coordinates, by the row's number. */
    default String rowName(int row, int[] coordinates) {
        return "row " + row + " of its pixels";
    }
}
