import static dev.tilewright.program.value.ValueType.BF16;
import static dev.tilewright.program.value.ValueType.F32;

import dev.tilewright.layout.FloatBits;
import dev.tilewright.tile.*;
import java.util.Random;

/** Multiplies two matrices of bf16 on tensor cores, and holds the product against one in double precision. */
class Example3Product {
    static final TileKernel GEMM = TileKernel.of("gemm", k -> {
        Dim m = k.dim("m"), n = k.dim("n"), depth = k.dim("k");
        Tensor a = k.in("a", BF16, m, depth), b = k.in("b", BF16, depth, n), c = k.out("c", F32, m, n);
        k.forEachTile(c, 128, 128, at -> c.store(at, k.fold(k.zeros(F32, 128, 128), k.steps(depth, 64),
                (sum, i) -> sum.mma(a.tile(at.row(), i), b.tile(i, at.column())))));
    });

    static short[] numbers(int count, Random random) {
        short[] bits = new short[count];
        for (int i = 0; i < count; i++) {
            bits[i] = (short) FloatBits.toBf16((float) random.nextGaussian());
        }
        return bits;
    }

    static double number(short bits) {
        return Float.intBitsToFloat(bits << 16);
    }

    public static void main(String[] args) {
        int n = 256;
        Random random = new Random(1);
        short[] a = numbers(n * n, random), b = numbers(n * n, random);
        float[] c = new float[n * n];
        Gallery.run(GEMM, launch -> launch.set("a", a, n, n).set("b", b, n, n).set("c", c, n, n).run());
        double worst = 0;
        for (int i = 0; i < n * n; i++) {
            double sum = 0;
            for (int j = 0; j < n; j++) {
                sum += number(a[i / n * n + j]) * number(b[j * n + i % n]);
            }
            worst = Math.max(worst, Math.abs(sum - c[i]));
        }
        System.out.printf("a product of %d x %d x %d: c[0] = %s, the largest error is %.2g%n", n, n, n, c[0], worst);
    }
}
