package dev.tilewright.tile.launch;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.tilewright.Thorough;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Grid;
import dev.tilewright.tile.Steps;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.kernel.ElementKernels;
import dev.tilewright.tile.kernel.RowKernels;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Elements that are computed each by itself are taken in long rows on the CPU, and have the same bits. */
class LongTilesTest {

    @Test
    void tilesOfElementsAreTwoLongRows() {
        assertEquals(List.of(2, 4096), lengths(ElementKernels.copy(ValueType.F32, 2), 64, 9000));
        assertEquals(List.of(8, 1000), lengths(ElementKernels.copy(ValueType.F32, 2), 64, 1000));
        assertEquals(List.of(16, 256), lengths(ElementKernels.copy(ValueType.F32, 2), 64, 200));
        assertEquals(List.of(4096), lengths(ElementKernels.copy(ValueType.F32, 1), 9000));
    }

    @Test
    void tilesWhoseElementsAreTakenTogetherStay() {
        for (TileKernel kernel : List.of(RowKernels.softmax(ValueType.F32), ElementKernels.transpose(ValueType.F32))) {
            assertSame(kernel.grid(), LongTiles.of(kernel.grid(), Map.of("rows", 64L, "columns", 9000L)));
        }
    }

    @Test
    void noBitDependsOnIt() {
        SplittableRandom random = new SplittableRandom(27);
        for (int draw = 0; draw < Thorough.of(5, 12); draw++) {
            int rows = 1 + random.nextInt(5);
            int columns = 1 + random.nextInt(draw % 2 == 0 ? 600 : 9000);
            float[] x = new float[rows * columns];
            for (int i = 0; i < x.length; i++) {
                x[i] = random.nextInt(50) == 0 ? Float.intBitsToFloat(random.nextInt()) : (float) random.nextGaussian();
            }
            float[] y = new float[x.length];
            gelu(2 + random.nextInt(20), 2 + random.nextInt(300)).onCpu().set("x", x, rows, columns)
                    .set("y", y, rows, columns).run();
            float[] each = new float[x.length];
            gelu(1, 1).onCpu().set("x", x, rows, columns).set("y", each, rows, columns).run();
            assertArrayEquals(bits(each), bits(y));
        }
    }

    private static int[] bits(float[] of) {
        int[] bits = new int[of.length];
        for (int i = 0; i < of.length; i++) {
            bits[i] = Float.floatToRawIntBits(of[i]);
        }
        return bits;
    }

    /** Of elements that are scaled in tiles, each of which is a tile of its own where there is one row and column. */
    private static TileKernel gelu(int rowsOfTile, int columnsOfTile) {
        return TileKernel.of("gelu", k -> {
            Dim rows = k.dim("rows"), columns = k.dim("columns");
            Tensor x = k.in("x", ValueType.F32, rows, columns), y = k.out("y", ValueType.F32, rows, columns);
            k.forEachTile(y, rowsOfTile, columnsOfTile, at -> y.store(at, x.tile(at).times(1.5)
                    .map(v -> v.max(Value.f32(-1))).map(Value::gelu)));
        });
    }

    private static List<Integer> lengths(TileKernel kernel, long... shape) {
        Map<String, Long> extents = new HashMap<>();
        for (int i = 0; i < shape.length; i++) {
            extents.put(kernel.dims().get(i).name(), shape[i]);
        }
        Grid grid = LongTiles.of(kernel.grid(), extents);
        return grid.steps().stream().map(Steps::length).toList();
    }
}
