package dev.tilewright.tile.lower.layout;

import dev.tilewright.program.expression.Register;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Tile;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * A tile in the registers of a block's threads.
 *
 * @param extents of the tile; places of the layout beyond them hold anything
 */
public record Held(Register register, Layout layout, List<Integer> extents) {

    public ValueType type() {
        return register.type();
    }

    /** With its axes in another order: axis {@code i} is this one's axis {@code order[i]}. Nothing moves. */
    public Held transposed(List<Integer> order) {
        return new Held(register, layout.transposed(order), order.stream().map(extents::get).toList());
    }

    /**
     * Which of its registers of the tile a thread finds those of another layout in: a number for each bit of a
     * register's number there. Nothing where it lacks one.
     *
     * @param tile extents there: the tile may be repeated along axes of extent 1, and along axes put in front
     */
    public Optional<List<Integer>> images(Layout there, List<Integer> tile) {
        if (!projected(there.threads(), tile).equals(layout.threads())
                || !projected(there.blocks(), tile).equals(layout.blocks())) {
            return Optional.empty();
        }
        List<Integer> images = new ArrayList<>();
        for (List<Integer> wanted : projected(there.registers(), tile)) {
            int own = layout.registers().indexOf(wanted);
            boolean first = wanted.stream().allMatch(i -> i == 0);
            if (own < 0 && !first) {
                return Optional.empty();
            }
            images.add(first ? 0 : 1 << own);
        }
        return Optional.of(images);
    }

    /**
     * The tile's bases along this one's axes: 0 along an axis of extent 1, of which every place has the same element,
     * unless this layout tells its places apart and the tile has one place there too.
     */
    private List<List<Integer>> projected(List<List<Integer>> bases, List<Integer> tile) {
        int before = tile.size() - extents.size();
        return bases.stream().map(basis -> IntStream.range(0, extents.size()).mapToObj(axis -> extents.get(axis) == 1
                && (layout.bits().get(axis) == 0 || tile.get(before + axis) != 1) ? 0 : basis.get(before + axis))
                .toList()).toList();
    }

    public static String name(Tile tile) {
        return "t" + tile.number();
    }
}
