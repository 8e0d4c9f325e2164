package dev.tilewright.tile.run;

import dev.tilewright.program.value.BinaryOp;
import dev.tilewright.program.value.Comparison;
import dev.tilewright.program.value.Conversion;
import dev.tilewright.program.value.FixedPowers;
import dev.tilewright.program.value.LongBinaryPredicate;
import dev.tilewright.program.value.LongTernaryOperator;
import dev.tilewright.program.value.Rounding;
import dev.tilewright.program.value.UnaryOp;
import dev.tilewright.program.value.ValueMath;
import dev.tilewright.program.value.ValueType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.LongBinaryOperator;
import java.util.function.LongUnaryOperator;

/**
 * Operations on values, element by element of arrays. What is frequent has a loop that the JIT vectorises; everything
 * else goes through the words of {@link ValueMath}, which says what each operation means.
 */
final class ArrayMath {
    private ArrayMath() { }

    /**
     * Of elements that follow each other in the same array or in others, with the NaNs that arithmetic gives. Loops
     * over the first elements of arrays are what the JIT vectorises: what lies elsewhere is copied there.
     */
    static void settled(BinaryOp op, Elements a, int i, Elements b, int j, Elements out, int o, int n) {
        Elements result = o == 0 ? out : new Elements(out.type, n);
        settled(op, first(a, i, n), first(b, j, n), result, n);
        if (result != out) {
            out.copy(o, result, 0, n);
        }
    }

    private static Elements first(Elements of, int at, int n) {
        if (at == 0) {
            return of;
        }
        Elements part = new Elements(of.type, n);
        part.copy(0, of, at, n);
        return part;
    }

    /** {@code a[k] = a[k] op b[j + k]}; NaNs may have any bits. @param room for {@code n} elements */
    static void into(BinaryOp op, Elements a, Elements b, int j, Elements room, int n) {
        room.copy(0, b, j, n);
        if (!quick(op, a, room, a, n)) {
            words(op, a, room, a, n);
        }
    }

    /** Of the first elements, with the NaNs that arithmetic gives. */
    private static void settled(BinaryOp op, Elements a, Elements b, Elements out, int n) {
        if (quick(op, a, b, out, n)) {
            out.settleComputed(0, n);
        } else {
            words(op, a, b, out, n);
        }
    }

    /** Of the first elements of runs. */
    static void binary(BinaryOp op, Elements a, Elements b, Elements out, int n) {
        if (quick(op, a, b, out, n)) {
            out.computed();
        } else {
            a.settle(n);
            b.settle(n);
            words(op, a, b, out, n);
        }
    }

    private static void words(BinaryOp op, Elements a, Elements b, Elements out, int n) {
        LongBinaryOperator math = ValueMath.binary(op, a.type);
        for (int k = 0; k < n; k++) {
            out.setWord(k, math.applyAsLong(a.word(k), b.word(k)));
        }
    }

    /** {@code out[k] = a[k] op b[k]}, where there is a loop for it. {@code out} may be {@code a} or {@code b}. */
    private static boolean quick(BinaryOp op, Elements a, Elements b, Elements out, int n) {
        boolean orders = op == BinaryOp.MIN || op == BinaryOp.MAX;
        if (orders && a.type == ValueType.F32 && !a.hasNans(0, n) && !b.hasNans(0, n)) {
            return BinaryLoops.floats(op == BinaryOp.MIN ? BinaryOp.MIN_NAN : BinaryOp.MAX_NAN, a.floats, b.floats,
                    out.floats, n);
        }
        return switch (a.type) {
            case F32 -> BinaryLoops.floats(op, a.floats, b.floats, out.floats, n);
            case F64 -> BinaryLoops.doubles(op, a.doubles, b.doubles, out.doubles, n);
            case I32, U32, PRED -> BinaryLoops.ints(op, a.type, a.ints, b.ints, out.ints, n);
            case I64, U64 -> BinaryLoops.longs(op, a.longs, b.longs, out.longs, n);
            default -> false;
        };
    }

    static void fma(Elements a, Elements b, Elements c, Elements out, int n) {
        if (a.type == ValueType.F32) {
            float[] x = a.floats;
            float[] y = b.floats;
            float[] z = c.floats;
            float[] r = out.floats;
            for (int k = 0; k < n; k++) {
                r[k] = Math.fma(x[k], y[k], z[k]);
            }
            out.computed();
        } else if (a.type == ValueType.F64) {
            double[] x = a.doubles;
            double[] y = b.doubles;
            double[] z = c.doubles;
            double[] r = out.doubles;
            for (int k = 0; k < n; k++) {
                r[k] = Math.fma(x[k], y[k], z[k]);
            }
            out.computed();
        } else {
            LongTernaryOperator math = ValueMath.fma(a.type);
            for (int k = 0; k < n; k++) {
                out.setWord(k, math.applyAsLong(a.word(k), b.word(k), c.word(k)));
            }
        }
    }

    static void unary(UnaryOp op, Elements a, Elements out, int n) {
        if (a.type == ValueType.F32 && op == UnaryOp.SQRT) {
            for (int k = 0; k < n; k++) {
                out.floats[k] = (float) Math.sqrt(a.floats[k]);
            }
            out.computed();
        } else if (a.type == ValueType.F32 && op == UnaryOp.RECIPROCAL) {
            for (int k = 0; k < n; k++) {
                out.floats[k] = 1 / a.floats[k];
            }
            out.computed();
        } else if (op == UnaryOp.EXP2_FIXED) {
            for (int k = 0; k < n; k++) {
                out.floats[k] = FixedPowers.of(a.floats[k]);
            }
            out.computed();
        } else {
            a.settle(n);
            LongUnaryOperator math = ValueMath.unary(op, a.type);
            for (int k = 0; k < n; k++) {
                out.setWord(k, math.applyAsLong(a.word(k)));
            }
        }
    }

    static void compare(Comparison comparison, Elements a, Elements b, Elements out, int n) {
        if (a.type == ValueType.F32 && comparison == Comparison.LT) {
            for (int k = 0; k < n; k++) {
                out.ints[k] = a.floats[k] < b.floats[k] ? 1 : 0;
            }
        } else if (a.type == ValueType.F32 && comparison == Comparison.GT) {
            for (int k = 0; k < n; k++) {
                out.ints[k] = a.floats[k] > b.floats[k] ? 1 : 0;
            }
        } else {
            LongBinaryPredicate math = ValueMath.compare(comparison, a.type);
            for (int k = 0; k < n; k++) {
                out.ints[k] = math.test(a.word(k), b.word(k)) ? 1 : 0;
            }
        }
    }

    static void select(Elements condition, Elements yes, Elements no, Elements out, int n) {
        yes.settle(n);
        no.settle(n);
        int[] c = condition.ints;
        switch (out.kind) {
            case FLOAT -> {
                MemorySegment a = MemorySegment.ofArray(yes.floats);
                MemorySegment b = MemorySegment.ofArray(no.floats);
                MemorySegment r = MemorySegment.ofArray(out.floats);
                for (int k = 0; k < n; k++) {
                    int mask = -(c[k] & 1);
                    r.set(ValueLayout.JAVA_INT_UNALIGNED, 4L * k, a.get(ValueLayout.JAVA_INT_UNALIGNED, 4L * k) & mask
                            | b.get(ValueLayout.JAVA_INT_UNALIGNED, 4L * k) & ~mask);
                }
            }
            case DOUBLE -> {
                for (int k = 0; k < n; k++) {
                    out.doubles[k] = c[k] != 0 ? yes.doubles[k] : no.doubles[k];
                }
            }
            case INT -> {
                for (int k = 0; k < n; k++) {
                    out.ints[k] = yes.ints[k] & -(c[k] & 1) | no.ints[k] & ~-(c[k] & 1);
                }
            }
            case LONG -> {
                for (int k = 0; k < n; k++) {
                    out.longs[k] = c[k] != 0 ? yes.longs[k] : no.longs[k];
                }
            }
        }
    }

    static void convert(Conversion conversion, Elements a, Elements out, int n) {
        a.settle(n);
        ValueType from = conversion.from();
        ValueType to = conversion.to();
        if (from == ValueType.BF16 && to == ValueType.F32) {
            for (int k = 0; k < n; k++) {
                out.floats[k] = Float.intBitsToFloat(a.ints[k] << 16);
            }
        } else if (from == ValueType.I32 && to == ValueType.F32
                && conversion.rounding() == Rounding.NEAREST_EVEN) {
            for (int k = 0; k < n; k++) {
                out.floats[k] = a.ints[k];
            }
        } else {
            LongUnaryOperator math = ValueMath.convert(conversion);
            for (int k = 0; k < n; k++) {
                out.setWord(k, math.applyAsLong(a.word(k)));
            }
        }
    }

    static void bitCast(Elements a, Elements out, int n) {
        a.settle(n);
        if (a.kind == Elements.Kind.FLOAT && out.kind == Elements.Kind.INT) {
            MemorySegment.copy(MemorySegment.ofArray(a.floats), 0, MemorySegment.ofArray(out.ints), 0, 4L * n);
        } else if (a.kind == Elements.Kind.INT && out.kind == Elements.Kind.FLOAT) {
            MemorySegment.copy(MemorySegment.ofArray(a.ints), 0, MemorySegment.ofArray(out.floats), 0, 4L * n);
        } else {
            for (int k = 0; k < n; k++) {
                out.setWord(k, out.type.word(a.word(k)));
            }
        }
    }
}
