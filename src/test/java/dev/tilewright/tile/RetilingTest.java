package dev.tilewright.tile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tilewright.program.value.ValueType;
import java.util.List;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tiles of other lengths, where no element depends on which tile it is in. */
class RetilingTest {
    /** What makes an element depend on its tile. */
    enum Dependent {
        REDUCED("takes together what lies along n", (k, t) -> t.value.minus(t.value.max(1))),
        RESHAPED("takes together what lies along", (k, t) -> t.value.reshaped(8, 32).exp().reshaped(16, 16)),
        TURNED("takes together what lies along", (k, t) -> t.value.plus(t.value.transposed())),
        SHIFTED("takes together what lies along n", (k, t) -> t.value.shifted(1, 1, 0)),
        HALO("does not have one element for each place of a tile along 'n'", (k, t) -> t.value.plus(
                t.x.tile(t.at.row(), t.at.column().widened(1, 1)).slice(1, 2, 16))),
        STRIDED("does not have one element for each place of a tile along 'm'", (k, t) -> t.value.plus(
                t.x.tile(t.at.row().every(2), t.at.column())));

        private final String reason;
        private final BiFunction<TileScope, Of, Tile> of;

        Dependent(String reason, BiFunction<TileScope, Of, Tile> of) {
            this.reason = reason;
            this.of = of;
        }
    }

    /** A tile of {@code x}. */
    private record Of(Tensor x, Position at, Tile value) { }

    private static TileKernel kernel(BiFunction<TileScope, Of, Tile> function) {
        return TileKernel.of("kernel", k -> {
            Dim m = k.dim("m");
            Dim n = k.dim("n");
            Tensor x = k.in("x", ValueType.F32, m, n);
            Tensor y = k.out("y", ValueType.F32, m, n);
            k.forEachTile(y, 16, 16, at -> y.store(at, function.apply(k, new Of(x, at, x.tile(at)))));
        });
    }

    @ParameterizedTest
    @EnumSource
    void elementsThatDependOnTheirTileKeepIt(Dependent dependent) {
        Grid grid = kernel(dependent.of).grid();
        assertEquals(grid, grid.inTiles(List.of(16, 16)));
        String message = assertThrows(IllegalArgumentException.class, () -> grid.inTiles(List.of(8, 32))).getMessage();
        assertEquals(dependent.reason, message.substring(Math.max(0, message.indexOf(dependent.reason)))
                .substring(0, dependent.reason.length()), message);
    }

    @Test
    void allThatFollowsTheTilesPlacesIsWrittenAgain() {
        Grid grid = kernel((k, t) -> t.value.times(t.x.tile(t.at.row().plus(3), t.at.column())).plus(k.zeros(
                ValueType.F32, 16, 16)).plus(k.iota(t.at.column()).to(ValueType.F32))).grid()
                .inTiles(List.of(64, 8));
        assertEquals(List.of(64, 8), grid.steps().stream().map(Steps::length).toList());
        grid.body().tiles().forEach(tile -> assertEquals(tile.shape().size() == 2 ? "[64, 8]" : "[8]",
                tile.shape().toString(), tile::toString));
    }

    @Test
    void alongOneDimensionAllElementsMayBeTakenTogether() {
        Grid grid = kernel(Dependent.REDUCED.of).grid().inTiles(List.of(8, 16));
        assertEquals(List.of(8, 16), grid.steps().stream().map(Steps::length).toList());
    }
}
