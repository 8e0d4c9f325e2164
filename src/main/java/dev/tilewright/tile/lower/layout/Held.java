package dev.tilewright.tile.lower.layout;

import dev.tilewright.program.expression.Register;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Tile;
import java.util.List;

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

    public static String name(Tile tile) {
        return "t" + tile.number();
    }
}
