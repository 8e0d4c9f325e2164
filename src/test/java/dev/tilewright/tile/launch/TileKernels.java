package dev.tilewright.tile.launch;

import static dev.tilewright.program.value.ValueType.BF16;
import static dev.tilewright.program.value.ValueType.F32;

import dev.tilewright.layout.FloatBits;
import dev.tilewright.program.expression.Value;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileKernel;
import java.util.Random;

/** Kernels that tests of launches share, and numbers for them. */
public final class TileKernels {
    public static final TileKernel GEMM = TileKernel.of("gemm", k -> {
        Dim m = k.dim("m"), n = k.dim("n"), depth = k.dim("k");
        Tensor a = k.in("a", BF16, m, depth), b = k.in("b", BF16, depth, n), c = k.out("c", BF16, m, n);
        k.forEachTile(c, 16, 32, at -> c.store(at, k.fold(k.zeros(F32, 16, 32), k.steps(depth, 32),
                (sum, i) -> sum.mma(a.tile(at.row(), i), b.tile(i, at.column()))).to(BF16)));
    });

    public static final TileKernel SOFTMAX = TileKernel.of("softmax", k -> {
        Dim rows = k.dim("rows"), columns = k.dim("columns");
        Tensor x = k.in("x", F32, rows, columns), y = k.out("y", F32, rows, columns);
        k.forEachRow(x, row -> {
            Tile v = x.row(row), e = v.minus(v.max()).exp();
            y.storeRow(row, e.dividedBy(e.sum()));
        });
    });

    public static final TileKernel SCALE = TileKernel.of("scale", k -> {
        Dim rows = k.dim("rows"), columns = k.dim("columns");
        Tensor x = k.in("x", F32, rows, columns), y = k.out("y", F32, rows, columns);
        Value factor = k.scalar("factor", F32);
        k.forEachTile(y, 4, 32, at -> y.store(at, x.tile(at).map(v -> v.times(factor))));
    });

    private TileKernels() {
    }

    public static float[] normal(int count, long seed) {
        Random random = new Random(seed);
        float[] numbers = new float[count];
        for (int i = 0; i < count; i++) {
            numbers[i] = (float) random.nextGaussian();
        }
        return numbers;
    }

    public static short[] bf16(int count, long seed) {
        float[] numbers = normal(count, seed);
        short[] bits = new short[count];
        for (int i = 0; i < count; i++) {
            bits[i] = (short) FloatBits.toBf16(numbers[i]);
        }
        return bits;
    }
}
