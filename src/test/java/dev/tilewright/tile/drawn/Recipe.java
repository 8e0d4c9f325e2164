package dev.tilewright.tile.drawn;

import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.TileScope;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** One kind of kernels, of which a draw makes one. */
interface Recipe {

    /** Writes the kernel. */
    void trace(TileScope k);

    /** {@code mixed}, {@code product}: what kernels it makes. */
    default String kind() {
        return getClass().getSimpleName().replace("Recipe", "").toLowerCase(Locale.ROOT);
    }

    /** Whether kernels are as a rule such that the copy engine brings their tiles. */
    default boolean isForCopyEngine() {
        return false;
    }

    /** The kernel. */
    default TileKernel kernel() {
        return TileKernel.of("drawn", this::trace);
    }

    /**
     * Elements of a tensor, row by row.
     *
     * @param extents the tensor's
     * @param sizes of the launch's dimensions, by name
     */
    default long[] words(Tensor tensor, List<Long> extents, Map<String, Long> sizes, Draw draw) {
        long[] words = new long[Math.toIntExact(extents.stream().reduce(1L, Math::multiplyExact))];
        boolean rows = tensor.name().startsWith("index");
        for (int i = 0; i < words.length; i++) {
            words[i] = rows ? draw.between(-2, rows()) : draw.word(tensor.type());
        }
        return words;
    }

    /** The most elements that a launch has along a dimension. */
    int most(String dim);

    /** The least elements that a launch has along a dimension. */
    default int least(String dim) {
        return 1;
    }

    /** A number whose multiples, and numbers beside these, every other launch has along a dimension; 0 for none. */
    default int near(String dim) {
        return 0;
    }

    /** Numbers of elements of which rows are multiples, one of which a kernel has. */
    default List<Integer> units() {
        return List.of(1, 4, 8, 16, 16);
    }

    /** What a row's number of a tensor of numbers, {@code index…}, is at most. */
    default int rows() {
        return 12;
    }
}
