package dev.tilewright.tile;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.Comparison;
import dev.tilewright.program.value.ValueType;
import java.util.function.DoublePredicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Comparisons take a number in place of a tile, or of a value. */
class ComparisonsTest {
    private static final double NUMBER = 2;
    private static final float[] X = {1, 2, 3, -0f, Float.NaN, Float.POSITIVE_INFINITY, Math.nextDown(2f),
        Math.nextUp(2f)};

    private static Tile tile(Comparison comparison, Tile x) {
        return switch (comparison) {
            case EQ -> x.isEqualTo(NUMBER);
            case NE -> x.isNotEqualTo(NUMBER);
            case LT -> x.lessThan(NUMBER);
            case LE -> x.atMost(NUMBER);
            case GT -> x.greaterThan(NUMBER);
            case GE -> x.atLeast(NUMBER);
            case ORDERED, UNORDERED -> throw new IllegalArgumentException(comparison + " with a number");
        };
    }

    private static Value value(Comparison comparison, Value x) {
        return switch (comparison) {
            case EQ -> x.isEqualTo(NUMBER);
            case NE -> x.isNotEqualTo(NUMBER);
            case LT -> x.lessThan(NUMBER);
            case LE -> x.atMost(NUMBER);
            case GT -> x.greaterThan(NUMBER);
            case GE -> x.atLeast(NUMBER);
            case ORDERED, UNORDERED -> throw new IllegalArgumentException(comparison + " with a number");
        };
    }

    private static DoublePredicate java(Comparison comparison) {
        return switch (comparison) {
            case EQ -> x -> x == NUMBER;
            case NE -> x -> x != NUMBER;
            case LT -> x -> x < NUMBER;
            case LE -> x -> x <= NUMBER;
            case GT -> x -> x > NUMBER;
            case GE -> x -> x >= NUMBER;
            case ORDERED, UNORDERED -> throw new IllegalArgumentException(comparison + " with a number");
        };
    }

    @ParameterizedTest
    @EnumSource(names = {"EQ", "NE", "LT", "LE", "GT", "GE"})
    void areThoseOfJava(Comparison comparison) {
        int[] wanted = new int[X.length];
        for (int i = 0; i < X.length; i++) {
            wanted[i] = java(comparison).test(X[i]) ? 1 : 0;
        }
        TileKernel kernel = TileKernel.of("compared", k -> {
            Dim n = k.dim("n");
            Tensor x = k.in("x", ValueType.F32, n);
            Tensor y = k.out("y", ValueType.I32, n);
            Tensor z = k.out("z", ValueType.I32, n);
            k.forEachTile(x, 8, at -> {
                Tile v = x.tile(at);
                y.store(at, tile(comparison, v).to(ValueType.I32));
                z.store(at, v.map(e -> value(comparison, e).to(ValueType.I32)));
            });
        });
        int[] y = new int[X.length];
        int[] z = new int[X.length];
        kernel.onCpu().set("x", X, X.length).set("y", y, X.length).set("z", z, X.length).run();
        assertArrayEquals(wanted, y);
        assertArrayEquals(wanted, z);
    }

    @Test
    void anIntegerMustHoldTheNumber() {
        String message = assertThrows(IllegalArgumentException.class, () -> TileKernel.of("compared", k -> {
            Dim n = k.dim("n");
            Tensor x = k.in("x", ValueType.I32, n);
            Tensor y = k.out("y", ValueType.I32, n);
            k.forEachTile(x, 8, at -> y.store(at, x.tile(at).atMost(2.5).to(ValueType.I32)));
        })).getMessage();
        assertTrue(message.startsWith("2.5 is no number of i32"), message);
    }
}
