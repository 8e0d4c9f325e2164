package dev.tilewright.tile.lower;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.tilewright.gpu.ArrayKernel;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.layout.FloatBits;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileKernel;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Products of fewer rows than an instruction has, in another shape: rows that are not the tile's stay out of it. */
class FewRowsReshapedTest {
    private static final int COLUMNS = 16;
    private static final int DEPTH = 16;

    @ParameterizedTest
    @CsvSource({"1, false", "2, false", "4, false", "8, false", "16, false", "2, true", "4, true"})
    void aProductInAnotherShapeHasItsOwnRows(int rows, boolean reduced) {
        int count = reduced ? rows : rows * COLUMNS;
        TileKernel kernel = TileKernel.of("reshaped", k -> {
            Tensor a = k.in("a", ValueType.BF16, Dim.of(rows), Dim.of(DEPTH));
            Tensor b = k.in("b", ValueType.BF16, Dim.of(DEPTH), Dim.of(COLUMNS));
            Tensor c = k.out("c", ValueType.F32, k.dim("tiles"), Dim.of(count));
            k.forEachTile(List.of(k.steps(c.dims().getFirst(), 1)), at -> {
                Tile product = k.zeros(ValueType.F32, rows, COLUMNS).mma(a.tile(), b.tile());
                c.store(at, (reduced ? product.max(1) : product).reshaped(count));
            });
        });
        short[] a = numbers(rows * DEPTH);
        short[] b = numbers(DEPTH * COLUMNS);
        float[] expected = new float[count];
        float[] actual = new float[count];
        kernel.onCpu().set("a", a, rows, DEPTH).set("b", b, DEPTH, COLUMNS).set("c", expected, 1, count).run();
        try (Gpu gpu = Gpu.emulated(); ArrayKernel loaded = gpu.load(kernel)) {
            loaded.launch().set("a", a, rows, DEPTH).set("b", b, DEPTH, COLUMNS).set("c", actual, 1, count).run();
        }
        assertArrayEquals(expected, actual);
    }

    private static short[] numbers(int count) {
        Random random = new Random(count);
        short[] bits = new short[count];
        for (int i = 0; i < count; i++) {
            bits[i] = (short) FloatBits.toBf16((float) random.nextGaussian());
        }
        return bits;
    }
}
