package dev.tilewright.tile.lower.analysis;

import dev.tilewright.NotNull;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.Conversion;
import dev.tilewright.program.value.Rounding;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileNode;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A factor of a product that is a load, whose axes may be exchanged behind it, and whose f32 may be rounded to tf32.
 *
 * @param type as tensor cores take it
 * @param exchanged whether rows of the tensor are columns of the factor
 * @param tiles all that it is made of, itself among them
 */
public record Factor(TileNode.Load load, ValueType type, boolean exchanged, List<Tile> tiles) {
    /** What the copy engine does to f32 elements of a map of tf32; a NaN stays one. */
    private static final Conversion TO_TF32 = new Conversion(ValueType.F32, ValueType.TF32, Rounding.NEAREST_EVEN,
            false);

    public Factor {
        NotNull.all("load, type, tiles", load, type, tiles);
        tiles = List.copyOf(tiles);
    }

    /** What a factor is loaded from; nothing where it is computed. */
    public static Optional<Factor> of(Tile factor) {
        NotNull.all("factor", factor);
        return switch (factor.node()) {
            case TileNode.Load load -> Optional.of(new Factor(load, load.tensor().type(), false, List.of(factor)));
            case TileNode.Transpose(Tile of, List<Integer> _) -> of(of).map(f -> new Factor(f.load, f.type,
                    !f.exchanged, f.with(factor)));
            case TileNode.Map map when isRounding(map) -> of(map.inputs().getFirst()).map(f -> new Factor(f.load,
                    ValueType.TF32, f.exchanged, f.with(factor)));
            default -> Optional.empty();
        };
    }

    private static boolean isRounding(TileNode.Map map) {
        return map.inputs().size() == 1 && map.value() instanceof Value.Convert(Value of, Conversion conversion, var _)
                && conversion.equals(TO_TF32) && of.equals(map.parameters().getFirst().get());
    }

    private List<Tile> with(Tile tile) {
        return Stream.concat(tiles.stream(), Stream.of(tile)).toList();
    }
}
