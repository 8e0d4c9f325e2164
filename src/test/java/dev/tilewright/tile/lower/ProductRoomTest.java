package dev.tilewright.tile.lower;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.LoweredKernel;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileKernel;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Products whose epilogues exchange tiles: what registers and shared memory have no room for is computed otherwise. */
class ProductRoomTest {
    private static final int SHARED_BYTES = 232448;

    @ParameterizedTest
    @CsvSource({"64, 64", "128, 64", "128, 128", "256, 64"})
    void exchangesLeaveFewerStages(int rows, int columns) {
        LoweredKernel plain = exchanging(rows, columns, 64, false).lowered(Target.SM_90A, Map.of());
        LoweredKernel lowered = exchanging(rows, columns, 64, true).lowered(Target.SM_90A, Map.of());
        assertTrue(isProduct(plain), plain::toString);
        assertTrue(lowered.program().shared().bytes() <= SHARED_BYTES, lowered::toString);
        assertTrue(rows * columns > 128 * 64 || isProduct(lowered), lowered::toString);
    }

    @Test
    void whatTakesTooManyRegistersIsComputedByMoreThreads() {
        assertTrue(isProduct(exchanging(128, 256, 16, false).lowered(Target.SM_90A, Map.of())));
        LoweredKernel lowered = exchanging(128, 256, 16, true).lowered(Target.SM_90A, Map.of());
        assertTrue(lowered.toString().contains("no copy engine: tensor cores could read both factors where the "
                + "copy engine puts them, but "), lowered::toString);
    }

    private static boolean isProduct(LoweredKernel lowered) {
        return lowered.toString().contains(" stages, filled by 1 warp");
    }

    private static TileKernel exchanging(int rows, int columns, int step, boolean exchanges) {
        return TileKernel.of("exchanging", k -> {
            Dim m = k.dim("m"), n = k.dim("n"), depth = k.dim("k");
            Tensor a = k.in("a", ValueType.BF16, m, depth), b = k.in("b", ValueType.BF16, depth, n);
            Tensor c = k.out("c", ValueType.BF16, m, n);
            k.forEachTile(c, rows, columns, at -> {
                Tile sum = k.fold(k.zeros(ValueType.F32, rows, columns), k.steps(depth, step), (s, i) ->
                        s.mma(a.tile(at.row(), i), b.tile(i, at.column())));
                c.store(at, (exchanges ? sum.transposed().reshaped(rows, columns) : sum).to(ValueType.BF16));
            });
        });
    }
}
