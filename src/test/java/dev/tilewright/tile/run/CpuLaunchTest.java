package dev.tilewright.tile.run;

import static dev.tilewright.program.value.ValueType.BF16;
import static dev.tilewright.program.value.ValueType.F32;
import static dev.tilewright.program.value.ValueType.I32;
import static dev.tilewright.program.value.ValueType.I64;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.layout.FloatBits;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Value;
import dev.tilewright.tile.Convolution;
import dev.tilewright.tile.CpuLaunch;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Reduction;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.Update;
import dev.tilewright.tile.kernel.ElementKernels;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Kernels whose results are computed here once more, by loops over single elements. */
class CpuLaunchTest {
    private static final TileKernel GEMM = TileKernel.of("gemm", k -> {
        Dim m = k.dim("m"), n = k.dim("n"), depth = k.dim("k");
        Tensor a = k.in("a", BF16, m, depth), b = k.in("b", BF16, depth, n), c = k.out("c", BF16, m, n);
        k.forEachTile(c, 24, 40, at -> c.store(at, k.fold(k.zeros(F32, 24, 40), k.steps(depth, 64),
                (sum, i) -> sum.mma(a.tile(at.row(), i), b.tile(i, at.column()))).to(BF16)));
    });

    private static final TileKernel SOFTMAX = TileKernel.of("softmax", k -> {
        Dim rows = k.dim("rows"), columns = k.dim("columns");
        Tensor x = k.in("x", F32, rows, columns), y = k.out("y", F32, rows, columns);
        k.forEachRow(x, row -> {
            Tile v = x.row(row), e = v.minus(v.max()).exp();
            y.storeRow(row, e.dividedBy(e.sum()));
        });
    });

    private record State(Tile most, Tile sum, Tile out) { }

    private static final TileKernel ATTENTION = TileKernel.of("attention", k -> {
        Dim queries = k.dim("queries"), keys = k.dim("keys"), width = Dim.of(16);
        Tensor q = k.in("q", BF16, queries, width), key = k.in("key", BF16, keys, width);
        Tensor value = k.in("value", BF16, keys, width), out = k.out("out", F32, queries, width);
        k.forEachTile(out, 32, 16, at -> {
            Tile mine = q.tile(at);
            State start = new State(k.full(F32, Double.NEGATIVE_INFINITY, 32, 1), k.zeros(F32, 32, 1),
                    k.zeros(F32, 32, 16));
            State end = k.fold(start, k.steps(keys, 16), (s, i) -> {
                Tile scores = k.zeros(F32, 32, 16).mma(mine, key.tile(i).transposed());
                Tile inside = k.iota(i).lessThan(k.full(Value.of(keys.value())));
                scores = inside.choose(scores, k.full(F32, Double.NEGATIVE_INFINITY));
                Tile most = s.most.max(scores.max(1));
                Tile factor = s.most.minus(most).exp(), p = scores.minus(most).exp();
                return new State(most, s.sum.times(factor).plus(p.sum(1)),
                        s.out.times(factor).mma(p.to(BF16), value.tile(i)));
            });
            out.store(at, end.out.dividedBy(end.sum));
        });
    });

    @Test
    void aLaunchTakesOtherExtentsAndOtherRowsLater() {
        TileKernel scale = ElementKernels.scale(F32, 2);
        float[] x = new float[9 * 5000];
        for (int i = 0; i < x.length; i++) {
            x[i] = i;
        }
        CpuLaunch launch = scale.onCpu().scalar("factor", 2.0);
        for (int[] shape : new int[][] {{1, 40}, {3, 5000}, {9, 5000}, {1, 40}}) {
            float[] y = new float[x.length];
            launch.set("x", x, shape[0], shape[1]).set("y", y, shape[0], shape[1]).run();
            for (int i = 0; i < y.length; i++) {
                assertEquals(i < shape[0] * shape[1] ? 2f * i : 0, y[i]);
            }
        }
        float[] all = new float[x.length], last = new float[x.length];
        launch.set("x", x, 9, 5000).set("y", all, 9, 5000).run();
        launch.rows("y", 8).set("y", last, 9, 5000).run();
        assertArrayEquals(Arrays.copyOfRange(all, 8 * 5000, 9 * 5000), Arrays.copyOfRange(last, 8 * 5000, 9 * 5000));
        assertEquals(0, last[5000]);
    }

    @Test
    void memoryThatIsConfinedToTheThreadIsComputedByIt() {
        float[] x = new float[64 * 33];
        for (int i = 0; i < x.length; i++) {
            x[i] = i % 7;
        }
        float[] wanted = new float[x.length];
        SOFTMAX.onCpu().set("x", x, 64, 33).set("y", wanted, 64, 33).run();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment y = arena.allocate(4L * x.length, 4);
            SOFTMAX.onCpu().set("x", arena.allocateFrom(ValueLayout.JAVA_FLOAT, x), 64, 33).set("y", y, 64, 33).run();
            assertArrayEquals(wanted, y.toArray(ValueLayout.JAVA_FLOAT));
        }
    }

    private static short[] bf16(float[] numbers) {
        short[] bits = new short[numbers.length];
        for (int i = 0; i < bits.length; i++) {
            bits[i] = (short) FloatBits.toBf16(numbers[i]);
        }
        return bits;
    }

    private static float[] normal(int count, long seed) {
        Random random = new Random(seed);
        float[] numbers = new float[count];
        for (int i = 0; i < count; i++) {
            numbers[i] = (float) random.nextGaussian();
        }
        return numbers;
    }

    @Test
    void aRaggedProduct() {
        int m = 70, n = 50, depth = 150;
        short[] a = bf16(normal(m * depth, 1)), b = bf16(normal(depth * n, 2)), c = new short[m * n];
        GEMM.onCpu().set("a", a, m, depth).set("b", b, depth, n).set("c", c, m, n).run();
        for (int i = 0; i < m; i++) {
            for (int j = 0; j < n; j++) {
                double sum = 0;
                for (int l = 0; l < depth; l++) {
                    sum += (double) FloatBits.bf16(a[i * depth + l] & 0xFFFF) * FloatBits.bf16(b[l * n + j] & 0xFFFF);
                }
                assertEquals(sum, FloatBits.bf16(c[i * n + j] & 0xFFFF), 0.15 + Math.abs(sum) / 100);
            }
        }
        // A row has the same bits in other company.
        short[] alone = new short[n];
        GEMM.onCpu().set("a", Arrays.copyOfRange(a, 33 * depth, 34 * depth), 1, depth).set("b", b, depth, n)
                .set("c", alone, 1, n).cores(1).run();
        assertArrayEquals(Arrays.copyOfRange(c, 33 * n, 34 * n), alone);
    }

    @Test
    void aSoftmaxWhoseRowsAddInTheStatedOrder() {
        int rows = 5, columns = 2500;
        float[] x = normal(rows * columns, 3), y = new float[rows * columns];
        SOFTMAX.onCpu().set("x", x, rows, columns).set("y", y, rows, columns).run();
        for (int r = 0; r < rows; r++) {
            float[] e = new float[columns];
            float most = Float.NEGATIVE_INFINITY;
            for (int i = 0; i < columns; i++) {
                most = Math.max(most, x[r * columns + i]);
            }
            for (int i = 0; i < columns; i++) {
                e[i] = (float) StrictMath.exp((double) (x[r * columns + i] - most));
            }
            float sum = sum(e);
            for (int i = 0; i < columns; i++) {
                assertEquals(e[i] / sum, y[r * columns + i], 4 * Math.ulp(e[i] / sum));
            }
        }
    }

    /** In the order of {@link Reduction}, written from its description. */
    private static float sum(float[] x) {
        float[] sums = new float[1024];
        boolean[] there = new boolean[1024];
        for (int i = 0; i < x.length; i++) {
            sums[i % 1024] = there[i % 1024] ? sums[i % 1024] + x[i] : x[i];
            there[i % 1024] = true;
        }
        for (int h = 512; h >= 1; h /= 2) {
            for (int j = 0; j < h; j++) {
                if (there[j + h]) {
                    sums[j] += sums[j + h];
                }
            }
        }
        return sums[0];
    }

    @Test
    void sumsHaveTheBitsOfTheStatedOrder() {
        TileKernel sums = TileKernel.of("sums", k -> {
            Dim rows = k.dim("rows"), columns = k.dim("columns");
            Tensor x = k.in("x", F32, rows, columns), y = k.out("y", F32, rows);
            k.forEachRow(x, row -> y.store(row, x.row(row).sum()));
        });
        for (int columns : new int[] {1, 2, 3, 1000, 1024, 1025, 5000}) {
            float[] x = normal(3 * columns, columns), y = new float[3];
            sums.onCpu().set("x", x, 3, columns).set("y", y, 3).run();
            for (int r = 0; r < 3; r++) {
                assertEquals(sum(Arrays.copyOfRange(x, r * columns, (r + 1) * columns)), y[r], 0);
            }
        }
    }

    @Test
    void attentionWithRunningSums() {
        int queries = 40, keys = 75, width = 16;
        short[] q = bf16(normal(queries * width, 4)), key = bf16(normal(keys * width, 5));
        short[] value = bf16(normal(keys * width, 6));
        float[] out = new float[queries * width];
        ATTENTION.onCpu().set("q", q, queries, width).set("key", key, keys, width)
                .set("value", value, keys, width)
                .set("out", out, queries, width).run();
        for (int i = 0; i < queries; i++) {
            double[] p = new double[keys];
            double total = 0;
            for (int j = 0; j < keys; j++) {
                double dot = 0;
                for (int l = 0; l < width; l++) {
                    dot += (double) FloatBits.bf16(q[i * width + l] & 0xFFFF)
                            * FloatBits.bf16(key[j * width + l] & 0xFFFF);
                }
                p[j] = Math.exp(dot);
                total += p[j];
            }
            for (int l = 0; l < width; l++) {
                double sum = 0;
                for (int j = 0; j < keys; j++) {
                    sum += p[j] / total * FloatBits.bf16(value[j * width + l] & 0xFFFF);
                }
                assertEquals(sum, out[i * width + l], 0.02);
            }
        }
    }

    @Test
    void aConvolutionByPatches() {
        Convolution c = new Convolution(List.of(3, 2), List.of(2, 1), List.of(1, 2), List.of(1, 0));
        int images = 2, height = 9, width = 7, channels = 5, filters = 4;
        int outHeight = (int) c.outputs(0, height), outWidth = (int) c.outputs(1, width);
        int pixels = images * outHeight * outWidth;
        TileKernel convolution = TileKernel.of("convolution", k -> {
            Dim n = k.dim("n"), h = k.dim("h"), w = k.dim("w"), p = k.dim("p");
            Tensor x = k.in("x", F32, n, h, w, Dim.of(channels));
            Tensor f = k.in("f", F32, Dim.of(3), Dim.of(2), Dim.of(channels), Dim.of(filters));
            Tensor y = k.out("y", F32, p, Dim.of(filters));
            k.forEachTile(y, 16, filters, at -> {
                Tile sum = k.zeros(F32, 16, filters);
                for (int r = 0; r < 3; r++) {
                    for (int s = 0; s < 2; s++) {
                        Tile patches = x.patches(c, at.row(), Expr.list(r, s), Span.all(Dim.of(channels)));
                        sum = sum.mma(patches, f.tile(Span.at(r), Span.at(s)));
                    }
                }
                y.store(at, sum);
            });
        });
        float[] x = normal(images * height * width * channels, 7), f = normal(3 * 2 * channels * filters, 8);
        float[] y = new float[pixels * filters];
        convolution.onCpu().set("x", x, images, height, width, channels).set("f", f, 3, 2, channels, filters)
                .set("y", y, pixels, filters).run();
        for (int i = 0; i < pixels; i++) {
            int image = i / (outHeight * outWidth), oh = i / outWidth % outHeight, ow = i % outWidth;
            for (int o = 0; o < filters; o++) {
                float sum = 0;
                for (int r = 0; r < 3; r++) {
                    for (int s = 0; s < 2; s++) {
                        int at = oh * 2 + r - 1, column = ow + 2 * s;
                        for (int ch = 0; ch < channels; ch++) {
                            float v = at < 0 || at >= height || column >= width ? 0
                                    : x[((image * height + at) * width + column) * channels + ch];
                            sum = Math.fma(v, f[((r * 2 + s) * channels + ch) * filters + o], sum);
                        }
                    }
                }
                assertEquals(sum, y[i * filters + o], 0);
            }
        }
    }

    @Test
    void gatherScatterScanAndWhereTheGreatestIs() {
        TileKernel mixed = TileKernel.of("mixed", k -> {
            Dim n = k.dim("n"), rows = k.dim("rows"), w = Dim.of(6);
            Tensor index = k.in("index", I32, n).outside(-1), table = k.in("table", F32, rows, w).outside(-1);
            Tensor out = k.out("out", F32, n, w), grad = k.inOut("grad", F32, rows, w);
            Tensor count = k.inOut("count", I32, Dim.of(1)), best = k.out("best", I64, n);
            Tensor scan = k.out("scan", F32, n, w);
            Value factor = k.scalar("factor", F32);
            k.forEachTile(index, 4, at -> {
                Tile i = index.tile(at.get(0)), v = table.gather(i);
                out.store(v.map(e -> e.times(factor)), at.get(0));
                grad.scatter(Update.ADD, i, v);
                best.store(v.argMax(1).reshaped(4), at.get(0));
                scan.store(v.scan(Reduction.SUM, 1), at.get(0));
                count.update(Update.ADD, i.map(e -> Value.i32(1)).reduce(Reduction.SUM, 0), Span.of(0, 1));
            });
        });
        int n = 10, rows = 5;
        int[] index = {3, 1, 3, 9, 0, -2, 3, 4, 1, 1}, count = {0};
        float[] table = normal(rows * 6, 9), out = new float[n * 6], grad = new float[rows * 6];
        float[] scan = new float[n * 6];
        long[] best = new long[n];
        mixed.onCpu().set("index", index, n).set("table", table, rows, 6).set("out", out, n, 6)
                .set("grad", grad, rows, 6).set("count", count, 1).set("best", best, n).set("scan", scan, n, 6)
                .scalar("factor", 3).run();
        float[] wanted = new float[rows * 6];
        for (int i = 0; i < n; i++) {
            int most = 0;
            float sum = 0;
            for (int j = 0; j < 6; j++) {
                boolean inside = index[i] >= 0 && index[i] < rows;
                float v = inside ? table[index[i] * 6 + j] : -1;
                assertEquals(v * 3, out[i * 6 + j], 0);
                if (inside) {
                    wanted[index[i] * 6 + j] += v;
                    most = v > table[index[i] * 6 + most] ? j : most;
                }
                sum += v;
                assertEquals(sum, scan[i * 6 + j], 1e-5);
            }
            assertEquals(most, best[i]);
        }
        assertArrayEquals(wanted, grad);
        assertEquals(12, count[0], "of three tiles of four, the last two places outside");
    }

    @Test
    void aStencilWithAHalo() {
        TileKernel blur = TileKernel.of("blur", k -> {
            Dim h = k.dim("h"), w = k.dim("w");
            Tensor x = k.in("x", F32, h, w), y = k.out("y", F32, h, w);
            k.forEachTile(y, 8, 12, at -> {
                Tile v = x.tile(at.row().widened(1, 1), at.column().widened(1, 1));
                Tile sum = k.zeros(F32, 8, 12);
                for (int dy = 0; dy < 3; dy++) {
                    for (int dx = 0; dx < 3; dx++) {
                        sum = sum.plus(v.slice(0, dy, 8).slice(1, dx, 12));
                    }
                }
                y.store(at, sum.times(1.0 / 9));
            });
        });
        int h = 19, w = 26;
        float[] x = normal(h * w, 10), y = new float[h * w];
        blur.onCpu().set("x", x, h, w).set("y", y, h, w).run();
        for (int r = 0; r < h; r++) {
            for (int c = 0; c < w; c++) {
                float sum = 0;
                for (int dy = -1; dy <= 1; dy++) {
                    for (int dx = -1; dx <= 1; dx++) {
                        sum += r + dy < 0 || r + dy >= h || c + dx < 0 || c + dx >= w ? 0 : x[(r + dy) * w + c + dx];
                    }
                }
                assertEquals(sum * (float) (1.0 / 9), y[r * w + c], 0);
            }
        }
    }

    @Test
    void partsOfKAreAddedInOrder() {
        TileKernel split = TileKernel.of("split", k -> {
            Dim n = k.dim("n");
            Tensor x = k.in("x", F32, n), y = k.out("y", F32, Dim.of(1));
            k.forEachTile(y, 1, at -> y.store(at, k.foldInParts(3, k.zeros(F32), k.steps(n, 1),
                    (sum, i) -> sum.plus(x.tile(i)))));
        });
        float[] x = normal(10, 11), y = new float[1];
        split.onCpu().set("x", x, 10).set("y", y, 1).run();
        float first = 0f + x[0] + x[1] + x[2] + x[3], second = 0f + x[4] + x[5] + x[6] + x[7], third = 0f + x[8] + x[9];
        assertEquals(first + second + third, y[0], 0);
    }

    /** Where it is given, before the arrays are. */
    @Test
    void aScalarThatItsTypeCannotHoldIsRefused() {
        CpuLaunch whole = ElementKernels.scale(I32, 1).onCpu(), single = ElementKernels.scale(F32, 1).onCpu();
        assertEquals("kernel 'scale': scalar 'factor': elements of type i32 take a whole number as scalar, got '1.5'",
                assertThrows(IllegalArgumentException.class, () -> whole.scalar("factor", 1.5)).getMessage());
        assertEquals("kernel 'scale': scalar 'factor': the scalar for elements of type i32 must be in [-2147483648, "
                + "2147483647], got 2147483648", assertThrows(IllegalArgumentException.class,
                        () -> whole.scalar("factor", 1L << 31)).getMessage());
        assertTrue(assertThrows(IllegalArgumentException.class, () -> single.scalar("factor", 1e39)).getMessage()
                .startsWith("kernel 'scale': scalar 'factor': the scalar '1.0E39' is beyond the largest f32"));
        int[] y = new int[2];
        whole.scalar("factor", 2.0).set("x", new int[] {3, 4}, 2).set("y", y, 2).run();
        assertArrayEquals(new int[] {6, 8}, y);
    }

    /** What a scalar cannot say of a tile's place, a tile of row numbers does. */
    @Test
    void rowsBeginAtAScalar() {
        TileKernel moved = TileKernel.of("moved", k -> {
            Tensor x = k.in("x", F32, k.dim("m"), Dim.of(2)), y = k.out("y", F32, k.dim("n"), Dim.of(2));
            Value start = k.scalar("start", I64);
            k.forEachTile(y, 4, 2, at -> y.store(at, x.gather(k.iota(at.row()).plus(k.full(start)))));
        });
        float[] y = new float[4];
        moved.onCpu().set("x", new float[] {1, 2, 3, 4, 5, 6}, 3, 2).set("y", y, 2, 2).scalar("start", 1).run();
        assertArrayEquals(new float[] {3, 4, 5, 6}, y);
    }

    @Test
    void dimensionsThatDisagreeAreNamed() {
        assertEquals("kernel 'gemm': dimension 'k' is 5 in tensor 'b' and 4 in tensor 'a': give arrays that agree "
                + "in 'k'",
                assertThrows(IllegalArgumentException.class, () -> GEMM.onCpu().set("a", new short[8], 2, 4)
                        .set("b", new short[15], 5, 3).set("c", new short[6], 2, 3).run()).getMessage());
    }

    /** Whichever of the threads that share the tiles has thrown it. */
    @Test
    void aRefusalOfATileIsThrownAsItIs() {
        TileKernel greatest = TileKernel.of("greatest", k -> {
            Dim rows = k.dim("rows");
            Tensor x = k.in("x", F32, rows, k.dim("columns")), y = k.out("y", F32, rows, Dim.of(1));
            k.forEachRow(x, row -> y.storeRow(row, x.row(row).max()));
        });
        int rows = 10_000;
        String message = assertThrows(IllegalArgumentException.class, () -> greatest.onCpu()
                .set("x", new float[0], rows, 0).set("y", new float[rows], rows, 1).run()).getMessage();
        assertTrue(message.startsWith("there is nothing to take together along axis 0"), message);
    }

    @Test
    void aListing() {
        assertEquals("""
                kernel gemm
                  in a: bf16 [m x k]
                  in b: bf16 [k x n]
                  out c: bf16 [m x n]
                  for each tile m by 24, n by 40
                    %0: f32 [24 x 40] = full f32(0x0)
                    %5: f32 [24 x 40] = for step_k below ((k + 63) / 64), carrying %1 from %0
                      %2: bf16 [24 x 64] = load a[(tile_m * 24) to +24, (step_k * 64) to +64]
                      %3: bf16 [64 x 40] = load b[(step_k * 64) to +64, (tile_n * 40) to +40]
                      %4: f32 [24 x 40] = mma %1 + %2 %3
                      next %4
                    %6: bf16 [24 x 40] = map %5 by bf16(x0)
                    store c[(tile_m * 24) to +24, (tile_n * 40) to +40] = %6
                """, GEMM.toString());
    }
}
