package dev.tilewright.tile;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.tilewright.gpu.ArrayKernel;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.program.array.ArrayLaunch;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import java.util.Random;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Quotients of integers are defined for all divisors, on the CPU as on a GPU, within tensors and outside. */
class QuotientsTest {
    private static final int COUNT = 50;
    private static final int NESTED = 12;

    private static TileKernel kernel(BiFunction<Tile, Tile, Tile> function) {
        return TileKernel.of("quotients", k -> {
            Dim n = k.dim("n");
            Tensor x = k.in("x", ValueType.I32, n);
            Tensor z = k.in("z", ValueType.I32, n);
            Tensor y = k.out("y", ValueType.I32, n);
            k.forEachTile(y, 48, at -> y.store(at, function.apply(x.tile(at), z.tile(at))));
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void areDefinedForAllDivisors(int least) {
        Random random = new Random(3);
        int[] x = random.ints(COUNT, -100, 100).toArray();
        int[] z = random.ints(COUNT, least, 5).toArray();
        x[0] = Integer.MIN_VALUE;
        z[0] = -1;
        int[] wanted = new int[COUNT];
        int[] rest = new int[COUNT];
        int[] twice = new int[COUNT];
        for (int i = 0; i < COUNT; i++) {
            wanted[i] = z[i] == 0 ? 0 : x[i] / z[i];
            rest[i] = z[i] == 0 ? x[i] : x[i] % z[i];
            twice[i] = wanted[i] == 0 ? 0 : x[i] / wanted[i];
        }
        assertLeaves(wanted, kernel(Tile::dividedBy), x, z);
        assertLeaves(rest, kernel(Tile::remainder), x, z);
        assertLeaves(twice, kernel((a, b) -> a.map(b, (p, q) -> p.dividedBy(p.dividedBy(q)))), x, z);
    }

    /** Each division has its divisor once: twelve within each other would be half a million. */
    @Test
    void mayBeNested() {
        Random random = new Random(4);
        int[] x = random.ints(COUNT, -1000, 1000).toArray();
        int[] z = random.ints(COUNT, -9, 10).toArray();
        int[] wanted = new int[COUNT];
        for (int i = 0; i < COUNT; i++) {
            int last = z[i];
            for (int n = 1; n <= NESTED; n++) {
                int dividend = n * x[i];
                last = n % 3 == 0 ? last == 0 ? dividend : dividend % last : last == 0 ? 0 : dividend / last;
                last = n % 3 == 1 ? last == 0 ? last : last % 7 : last;
            }
            wanted[i] = last;
        }
        assertLeaves(wanted, kernel((a, b) -> a.map(b, (p, q) -> {
            Value last = q;
            for (int n = 1; n <= NESTED; n++) {
                Value dividend = p.times(n);
                last = n % 3 == 0 ? dividend.remainder(last) : dividend.dividedBy(last);
                last = n % 3 == 1 ? last.remainder(Value.i32(7)) : last;
            }
            return last;
        })), x, z);
    }

    /** What lies outside of a tensor divides by zero, and a scan goes over it. */
    @Test
    void thoseOutsideOfATensorHarmNobody() {
        int[] x = new int[COUNT];
        int[] z = new int[COUNT];
        int[] wanted = new int[COUNT];
        int sum = 0;
        for (int i = 0; i < COUNT; i++) {
            x[i] = 1000 + i;
            z[i] = i % 7 + 1;
            sum = i == 48 ? x[i] / z[i] : sum + x[i] / z[i];
            wanted[i] = sum;
        }
        assertLeaves(wanted, kernel((a, b) -> a.dividedBy(b).scan(Reduction.SUM, 0)), x, z);
    }

    private static void assertLeaves(int[] wanted, TileKernel kernel, int[] x, int[] z) {
        assertArrayEquals(wanted, run(kernel.onCpu(), x, z));
        try (Gpu gpu = Gpu.emulated(); ArrayKernel loaded = gpu.load(kernel)) {
            assertArrayEquals(wanted, run(loaded.launch(), x, z));
        }
    }

    private static int[] run(ArrayLaunch<?> launch, int[] x, int[] z) {
        int[] y = new int[COUNT];
        launch.set("x", x, COUNT).set("z", z, COUNT).set("y", y, COUNT).run();
        return y;
    }
}
