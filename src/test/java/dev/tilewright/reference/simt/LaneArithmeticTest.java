package dev.tilewright.reference.simt;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.program.expression.Arithmetic;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.IntType;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Columns hold what index expressions mean, lane by lane; where one lane has no value, all go apart. */
class LaneArithmeticTest {
    private static final int LANES = 37;

    /** Of every size, both signs, and often a power of two or next to one. */
    private static long number(SplittableRandom random, IntType type) {
        int bits = random.nextInt(type == IntType.S32 ? 32 : 64);
        long n = random.nextInt(3) == 0 ? (1L << bits) + random.nextInt(-1, 2) : random.nextLong() >>> 63 - bits;
        n = random.nextBoolean() ? n : -n;
        return type == IntType.S32 ? (int) n : n;
    }

    private static Long expected(Expr.Op op, IntType type, long a, long b) {
        try {
            return Arithmetic.apply(op, type, a, b);
        } catch (ArithmeticException e) {
            return null;
        }
    }

    @Property(tries = 5_000)
    void columnsAreWhatLanesAre(@ForAll long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Expr.Op op = Expr.Op.values()[random.nextInt(Expr.Op.values().length)];
        IntType type = random.nextBoolean() ? IntType.S32 : IntType.S64;
        boolean small = random.nextBoolean();
        int form = random.nextInt(3);
        long sameA = small ? random.nextInt(100) : number(random, type);
        long sameB = small ? 1 + random.nextInt(30) : number(random, type);
        long[] a = new long[LANES];
        long[] b = new long[LANES];
        for (int i = 0; i < LANES; i++) {
            a[i] = form == 2 ? sameA : small ? random.nextInt(1 << 20) : number(random, type);
            b[i] = form == 1 ? sameB : small ? 1 + random.nextInt(20) : number(random, type);
        }
        int from = random.nextInt(LANES);
        int until = from + 1 + random.nextInt(LANES - from);
        long[] to = new long[LANES];
        boolean apart = !switch (form) {
            case 0 -> LaneArithmetic.apply(op, type, a, b, to, from, until);
            case 1 -> LaneArithmetic.apply(op, type, a, sameB, to, from, until);
            default -> LaneArithmetic.apply(op, type, sameA, b, to, from, until);
        };
        boolean fails = false;
        for (int i = from; i < until; i++) {
            Long value = expected(op, type, a[i], b[i]);
            fails |= value == null;
            if (!apart) {
                assertEquals(value, to[i], a[i] + " " + op + " " + b[i] + " in " + type);
            }
        }
        assertEquals(fails, apart, op + " in " + type);
        for (int i = 0; i < LANES; i++) {
            if (i < from || i >= until) {
                assertEquals(0, to[i], "lanes that are not active");
            }
        }
    }
}
