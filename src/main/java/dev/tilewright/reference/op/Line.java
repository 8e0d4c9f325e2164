package dev.tilewright.reference.op;

import dev.tilewright.layout.FloatBits;
import dev.tilewright.program.value.LongBinaryPredicate;
import dev.tilewright.program.value.LongTernaryOperator;
import dev.tilewright.reference.code.IndexCode;
import dev.tilewright.reference.state.ThreadState;
import java.util.Arrays;
import java.util.function.LongBinaryOperator;
import java.util.function.LongUnaryOperator;

/**
 * Arithmetic on a thread's slots without a branch, as rows of five numbers: what is done, the slot of the result, and
 * up to three operands, which are slots or the place of a function. One loop runs them all, which costs a few
 * nanoseconds a row; frequent operations have a kind of their own, the others call a function.
 *
 * @param rows five numbers each
 * @param functions of the rows that call one
 * @param result the slot that holds the value of the whole
 * @param steadfast whether it cannot fail
 */
public record Line(int[] rows, Functions functions, int result, boolean steadfast) implements IndexCode, Op {
    public static final int WIDTH = 5;

    public static final int MOVE = 0;
    public static final int FMA_F32 = 1;
    public static final int ADD_F32 = 2;
    public static final int SUB_F32 = 3;
    public static final int MUL_F32 = 4;
    public static final int ADD_I32 = 5;
    public static final int AND = 6;
    public static final int OR = 7;
    public static final int XOR = 8;
    /** The second operand where the first is not zero, else the third. */
    public static final int SELECT = 9;
    /** A function of the first operand; the second is its place. */
    public static final int UNARY = 10;
    /** A function of the first two operands; the third is its place. */
    public static final int BINARY = 11;
    /** A question about the first two operands; the third is its place. */
    public static final int COMPARE = 12;
    /** A function of three operands, whose place is the first operand of the row after it. That row is passed over. */
    public static final int TERNARY = 13;
    /** Any code over the thread; the first operand is its place. */
    public static final int CODE = 14;
    /** Another line, over slots of its own; the first operand is its place. */
    public static final int RUN = 15;

    /** What rows call, by its place; grows while lines are made. */
    public static final class Functions {
        private Object[] all = new Object[16];
        private LongUnaryOperator[] unary = new LongUnaryOperator[16];
        private LongBinaryOperator[] binary = new LongBinaryOperator[16];
        private int count;

        /** @return its place */
        public int add(Object function) {
            if (count == all.length) {
                all = Arrays.copyOf(all, 2 * count);
                unary = Arrays.copyOf(unary, 2 * count);
                binary = Arrays.copyOf(binary, 2 * count);
            }
            all[count] = function;
            unary[count] = function instanceof LongUnaryOperator u ? u : null;
            binary[count] = function instanceof LongBinaryOperator b ? b : null;
            return count++;
        }
    }

    /** Several lines after each other. */
    public Line then(Line next) {
        int[] both = Arrays.copyOf(rows, rows.length + next.rows.length);
        System.arraycopy(next.rows, 0, both, rows.length, next.rows.length);
        return new Line(both, functions, next.result, steadfast && next.steadfast);
    }

    @Override
    public int run(ThreadState t, int pc) {
        perform(t);
        return pc + 1;
    }

    @Override
    public long value(ThreadState t) {
        perform(t);
        return t.slots[result];
    }

    private void perform(ThreadState t) {
        int[] r = rows;
        long[] s = t.slots;
        for (int i = 0; i + WIDTH <= r.length; i += WIDTH) {
            int a = r[i + 2];
            int b = r[i + 3];
            s[r[i + 1]] = switch (r[i]) {
                case MOVE -> s[a];
                case FMA_F32 -> FloatBits.toF32(Math.fma(FloatBits.f32(s[a]), FloatBits.f32(s[b]),
                        FloatBits.f32(s[r[i + 4]])));
                case ADD_F32 -> FloatBits.toF32(FloatBits.f32(s[a]) + FloatBits.f32(s[b]));
                case SUB_F32 -> FloatBits.toF32(FloatBits.f32(s[a]) - FloatBits.f32(s[b]));
                case MUL_F32 -> FloatBits.toF32(FloatBits.f32(s[a]) * FloatBits.f32(s[b]));
                case ADD_I32 -> (int) s[a] + (int) s[b];
                case AND -> s[a] & s[b];
                case OR -> s[a] | s[b];
                case XOR -> s[a] ^ s[b];
                case SELECT -> s[a] != 0 ? s[b] : s[r[i + 4]];
                case UNARY -> functions.unary[b].applyAsLong(s[a]);
                case BINARY -> functions.binary[r[i + 4]].applyAsLong(s[a], s[b]);
                case COMPARE -> ((LongBinaryPredicate) functions.all[r[i + 4]]).test(s[a], s[b]) ? 1 : 0;
                case TERNARY -> ((LongTernaryOperator) functions.all[r[i + WIDTH + 2]])
                        .applyAsLong(s[a], s[b], s[r[i + 4]]);
                case CODE -> ((IndexCode) functions.all[a]).value(t);
                case RUN -> ((Line) functions.all[a]).value(t);
                default -> throw new AssertionError(r[i]);
            };
            if (r[i] == TERNARY) {
                i += WIDTH;
            }
        }
    }
}
