package dev.tilewright.tile.launch;

import static dev.tilewright.program.value.ValueType.F32;
import static dev.tilewright.program.value.ValueType.I32;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.program.expression.Value;
import dev.tilewright.ptx.Target;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Position;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.TileScope;
import dev.tilewright.tile.Update;
import dev.tilewright.tile.kernel.RowKernels;
import dev.tilewright.tile.kernel.TilePreset;
import dev.tilewright.tile.kernel.TilePresets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Which kernels' places are apart, and why others' are not. */
class BatchTest {
    private interface Body {
        void at(TileScope k, Tensor x, Tensor y, Position at);
    }

    private record Case(String reason, Body body) { }

    static Stream<Case> cases() {
        return Stream.of(
                new Case("a tile touches other places of 'x' than its own along 'rows'",
                        (k, x, y, at) -> y.store(at, x.tile(at.row().plus(1), at.column()))),
                new Case("%2: f32 [1 x 8] takes together what lies along rows",
                        (k, x, y, at) -> y.store(at, x.tile(at).plus(x.tile(at).sum(0)))),
                new Case("tile %1: i64 [4] depends on where it lies along 'rows'",
                        (k, x, y, at) -> y.store(at, x.tile(at).plus(k.iota(at.row()).to(F32).asColumn()))),
                new Case("tile %1: i64 [] depends on where it lies along 'rows'",
                        (k, x, y, at) -> y.store(at, x.tile(at).plus(k.full(Value.of(x.dims().getFirst().value()))
                                .to(F32)))),
                new Case("a condition depends on where it lies along 'rows'",
                        (k, x, y, at) -> k.when(at.row().start().lessThan(8), () -> y.store(at, x.tile(at)))),
                new Case("a tile touches other places of 'x' than its own along 'rows'",
                        (k, x, y, at) -> y.store(at, x.gather(k.zeros(I32, 4), at.column()))));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void othersAreNot(Case one) {
        TileKernel kernel = TileKernel.of("other", k -> {
            Dim rows = k.dim("rows"), columns = k.dim("columns");
            Tensor x = k.in("x", F32, rows, columns), y = k.out("y", F32, rows, columns);
            k.forEachTile(y, 4, 8, at -> one.body().at(k, x, y, at));
        });
        String reason = kernel.batch().toString();
        assertTrue(reason.contains(one.reason()) || kernel.batch().dim().filter(d -> d.name().equals("columns"))
                .isPresent(), reason);
        assertTrue(kernel.batch().dim().map(Dim::name).filter("rows"::equals).isEmpty(), reason);
        assertTrue(kernel.signature(Target.SM_90A).text().contains("batch: "));
    }

    @Test
    void sumsOverPlacesAreNot() {
        TileKernel kernel = TileKernel.of("sums", k -> {
            Dim rows = k.dim("rows"), columns = k.dim("columns");
            Tensor x = k.in("x", I32, rows, columns), y = k.inOut("y", I32, columns);
            k.forEachTile(x, 1, 8, at -> y.update(Update.ADD, x.tile(at), at.column()));
        });
        assertEquals("columns", kernel.batch().dim().orElseThrow().name());
    }

    /** All presets except sums over rows, functions of neighbours, and tables. */
    @Test
    void presetsSayTheirs() {
        List<String> without = TilePresets.ALL.stream().filter(p -> p.kernel().batch().dim().isEmpty())
                .map(TilePreset::name).toList();
        assertEquals(List.of("rotary-table", "histogram", "blur"), without);
        assertEquals("batch: along 'images' a place depends on the same place of what is read alone",
                TilePresets.find("conv-2d").orElseThrow().kernel().batch().toString());
    }

    /** What is chosen is computed, with the bits of the whole launch; what is not stays as it is. */
    @Test
    void rowsAreComputedAlone() {
        float[] x = new float[40 * 9];
        for (int i = 0; i < x.length; i++) {
            x[i] = (float) Math.sin(i);
        }
        float[] all = new float[x.length];
        RowKernels.softmax(F32).onCpu().set("x", x, 40, 9).set("y", all, 40, 9).run();
        float[] some = new float[x.length];
        RowKernels.softmax(F32).onCpu().set("x", x, 40, 9).set("y", some, 40, 9).rows("y", 3, 39).run();
        for (int row = 0; row < 40; row++) {
            float[] wanted = row == 3 || row == 39 ? Arrays.copyOfRange(all, row * 9, row * 9 + 9) : new float[9];
            assertArrayEquals(wanted, Arrays.copyOfRange(some, row * 9, row * 9 + 9), "row " + row);
        }
        assertEquals("kernel 'softmax' writes no tensor 'x'", assertThrows(IllegalArgumentException.class, () ->
                RowKernels.softmax(F32).onCpu().rows("x", 1)).getMessage());
        assertEquals("row -1 is not there: the rows of 'y' are numbered from 0 on", assertThrows(
                IllegalArgumentException.class, () -> RowKernels.softmax(F32).onCpu().rows("y", 0, -1)).getMessage());
        assertEquals("row 40 is not there: 'y' has 40 rows, from 0 on", assertThrows(IllegalArgumentException.class,
                () -> RowKernels.softmax(F32).onCpu().set("x", x, 40, 9).set("y", some, 40, 9).rows("y", 3, 40)
                        .run()).getMessage());
    }

    /** Tiles are cut to few rows where they may be. */
    @Test
    void littleIsComputedBesides() {
        TileKernel copy = TileKernel.of("copy", k -> {
            Dim rows = k.dim("rows"), columns = k.dim("columns");
            Tensor x = k.in("x", F32, rows, columns), y = k.out("y", F32, rows, columns);
            k.forEachTile(y, 64, 8, at -> {
                Tile tile = x.tile(at.row(), Span.of(at.column().start(), 8));
                y.store(at, tile);
            });
        });
        float[] x = new float[64 * 8];
        Arrays.fill(x, 1);
        float[] y = new float[x.length];
        copy.onCpu().set("x", x, 64, 8).set("y", y, 64, 8).rows("y", 5).run();
        for (int i = 0; i < y.length; i++) {
            assertEquals(i / 8 == 4 || i / 8 == 5 ? 1 : 0, y[i], "row " + i / 8);
        }
    }
}
