package dev.tilewright.tile.drawn;

import dev.tilewright.program.array.ArrayShape;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * Batch invariance: rows of a launch in other company have the same bits. A case is a launch of some of the rows of
 * another one, of these alone, in another order, or among rows that are drawn anew.
 *
 * @param kernel one whose rows of results are apart
 */
public record Company(DrawnKernel kernel) {
    private static final String ROWS = "m";

    /** How rows are chosen. */
    public enum Choice { ONE_ALONE, SOME_ALONE, OTHER_ORDER, AMONG_OTHERS }

    /**
     * Runs a launch and one with rows of it, and says where a row's results differ; empty where none does, nothing
     * where one of them has no program.
     *
     * @param number of the launch, 0 of a small one
     * @param first runs the launch and gives what it left
     * @param second runs the one in other company
     */
    public Optional<String> run(int number, Choice choice, Function<DrawnCase, Optional<MemorySegment>> first,
            Function<DrawnCase, Optional<MemorySegment>> second) {
        DrawnCase all = number == 0 ? kernel.small(0) : kernel.launch(number);
        int count = Math.toIntExact(all.extents().get(ROWS));
        int[] rows = rows(choice, count, new Draw(number * 31L + choice.ordinal()));
        DrawnCase some = all.withRows(ROWS, rows);
        Optional<MemorySegment> other = second.apply(some);
        return first.apply(all).flatMap(memory -> other.map(got -> difference(all, memory, some, got, rows)));
    }

    /** The number of the row that each row is, or -1 of one that is drawn anew. */
    private static int[] rows(Choice choice, int count, Draw draw) {
        return switch (choice) {
            case ONE_ALONE -> new int[] {draw.below(count)};
            case SOME_ALONE -> IntStream.range(0, draw.between(1, count)).map(_ -> draw.below(count)).toArray();
            case OTHER_ORDER -> {
                int factor = IntStream.iterate(draw.between(1, count) | 1, f -> f + 2)
                        .filter(f -> greatestDivisor(f, count) == 1).findFirst().orElseThrow();
                int first = draw.below(count);
                yield IntStream.range(0, count).map(i -> (int) ((first + (long) i * factor) % count)).toArray();
            }
            case AMONG_OTHERS -> IntStream.range(0, draw.between(2, count + 40)).map(_ -> draw.once(2) ? -1
                    : draw.below(count)).toArray();
        };
    }

    private static int greatestDivisor(int a, int b) {
        return b == 0 ? a : greatestDivisor(b, a % b);
    }

    private String difference(DrawnCase all, MemorySegment memory, DrawnCase some, MemorySegment other, int[] rows) {
        Map<String, long[]> wanted = all.words(memory);
        Map<String, long[]> got = some.words(other);
        for (Tensor tensor : kernel.kernel().tensors()) {
            int axis = tensor.dims().stream().map(Dim::name).toList().indexOf(ROWS);
            if (tensor.role() == Tensor.Role.IN || axis < 0) {
                continue;
            }
            long[] before = wanted.get(tensor.name());
            ArrayShape shape = all.shapes().get(tensor.name());
            int inner = (int) (long) shape.extents().subList(axis + 1, shape.extents().size()).stream()
                    .reduce(1L, Math::multiplyExact);
            int count = Math.toIntExact(shape.extents().get(axis));
            for (int place = 0; place < got.get(tensor.name()).length; place++) {
                int row = rows[place / inner % rows.length];
                int outer = place / inner / rows.length;
                if (row >= 0 && before[(outer * count + row) * inner + place % inner]
                        != got.get(tensor.name())[place]) {
                    return "row " + row + " of '" + tensor.name() + "' differs as row " + place / inner % rows.length
                            + " of rows " + Arrays.toString(rows) + ", in a launch of " + all + "\n" + kernel;
                }
            }
        }
        return "";
    }
}
