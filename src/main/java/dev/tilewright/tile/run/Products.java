package dev.tilewright.tile.run;

import dev.tilewright.program.value.ValueType;
import dev.tilewright.reference.tensor.TensorCore;
import dev.tilewright.reference.tensor.TensorProduct;
import dev.tilewright.tile.MatrixArithmetic;
import dev.tilewright.tile.Multiplication;
import java.util.EnumMap;
import java.util.Map;

/** Products of matrices as tensor cores of a kind compute them; k is filled up with zeros to whole instructions. */
final class Products {
    private final MatrixArithmetic arithmetic;
    private final Map<ValueType, VectorProduct> quick = new EnumMap<>(ValueType.class);

    /** Products of one thread. */
    Products(MatrixArithmetic arithmetic) {
        this.arithmetic = arithmetic;
    }

    /** {@code c += a b}. @param a m rows of k @param b k rows of n @param c m rows of n */
    void add(Elements a, Elements b, Elements c, int m, int n, int k) {
        if (a.type == ValueType.F32) {
            chain(a.floats, b.floats, c.floats, m, n, k);
            c.computed();
            return;
        }
        a.settle(a.count());
        b.settle(b.count());
        c.settle(c.count());
        if (!VectorProduct.takes(arithmetic, a.type, c.type)
                || !quick.computeIfAbsent(a.type, type -> VectorProduct.of(arithmetic, type)).add(a, b, c.floats, m, n,
                        k, (row, rows, first, end) -> byWords(a, b, c, row, rows, n, k, first, end))) {
            byWords(a, b, c, 0, m, n, k, 0, k);
        }
    }

    /** Of some rows and some k, the latter from a multiple of an instruction's on. */
    private void byWords(Elements a, Elements b, Elements c, int row, int rows, int n, int k, int from, int end) {
        TensorProduct product = product(a.type, b.type, c.type);
        int depth = Multiplication.depth(a.type);
        long[] sums = new long[rows * n];
        for (int i = 0; i < sums.length; i++) {
            sums[i] = c.word(row * n + i);
        }
        long[] as = new long[rows * depth];
        long[] bs = new long[n * depth];
        for (int first = from; first < end; first += depth) {
            int there = Math.min(depth, end - first);
            for (int i = 0; i < rows; i++) {
                for (int d = 0; d < depth; d++) {
                    as[i * depth + d] = d < there ? a.word((row + i) * k + first + d) : 0;
                }
            }
            for (int d = 0; d < depth; d++) {
                for (int j = 0; j < n; j++) {
                    bs[j * depth + d] = d < there ? b.word((first + d) * n + j) : 0;
                }
            }
            product.multiplyAdd(as, bs, sums, rows, n, depth);
        }
        for (int i = 0; i < sums.length; i++) {
            c.setWord(row * n + i, c.type.word(sums[i]));
        }
    }

    private TensorProduct product(ValueType a, ValueType b, ValueType sums) {
        return arithmetic == MatrixArithmetic.HOPPER_WGMMA && a != ValueType.F64
                ? TensorProduct.wgmma(a, b, sums, false)
                : TensorProduct.mma(a, b, sums, false, arithmetic == MatrixArithmetic.AMPERE ? TensorCore.AMPERE
                        : TensorCore.HOPPER);
    }

    private static void chain(float[] a, float[] b, float[] c, int m, int n, int k) {
        for (int i = 0; i < m; i++) {
            for (int l = 0; l < k; l++) {
                row(a[i * k + l], b, l * n, c, i * n, n);
            }
        }
    }

    private static void row(float x, float[] b, int from, float[] c, int to, int n) {
        for (int j = 0; j < n; j++) {
            c[to + j] = Math.fma(x, b[from + j], c[to + j]);
        }
    }
}
