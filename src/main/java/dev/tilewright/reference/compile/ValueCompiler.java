package dev.tilewright.reference.compile;

import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ApproximateOp;
import dev.tilewright.program.value.BinaryOp;
import dev.tilewright.program.value.LongBinaryPredicate;
import dev.tilewright.program.value.LongTernaryOperator;
import dev.tilewright.program.value.ValueMath;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.reference.code.ConditionCode;
import dev.tilewright.reference.code.IndexCode;
import dev.tilewright.reference.fault.Fault;
import dev.tilewright.reference.fault.ReferenceException.Kind;
import dev.tilewright.reference.state.Slots;
import java.util.function.LongBinaryOperator;
import java.util.function.LongUnaryOperator;

/** Turns values into code over a thread's slots, which computes their words; see {@link ValueType}. */
final class ValueCompiler {
    private final Slots slots;
    private final Bindings bindings;
    private final ExprCompiler expressions;
    private final LineCompiler lines;

    ValueCompiler(Slots slots, Bindings bindings, ExprCompiler expressions) {
        this.slots = slots;
        this.bindings = bindings;
        this.expressions = expressions;
        this.lines = new LineCompiler(slots, this);
    }

    /** What leaves words in slots. */
    LineCompiler lines() {
        return lines;
    }

    /** A value's word. */
    IndexCode word(Value value) {
        return switch (value) {
            case Value.Const _, Value.Index _, Value.Scalar _, Value.Element _ -> plain(value);
            default -> lines.line(value);
        };
    }

    /** A value's word, by code of its own for the outermost operation. */
    IndexCode plain(Value value) {
        return switch (value) {
            case Value.Const c -> new IndexCode.Constant(c.word());
            case Value.Index(Expr e) -> e.type() == IntType.BOOL ? word(expressions.condition(e))
                    : expressions.index(e);
            case Value.Scalar s -> new IndexCode.Constant(s.type().word(bindings.scalar(s.parameter())));
            case Value.Element(Register register, Expr index) -> element(register, index);
            case Value.Unary v -> {
                LongUnaryOperator op = ValueMath.unary(v.op(), v.type());
                IndexCode a = word(v.value());
                yield t -> op.applyAsLong(a.value(t));
            }
            case Value.Binary v -> binary(v);
            case Value.Fma v -> {
                LongTernaryOperator op = ValueMath.fma(v.type());
                IndexCode a = word(v.a());
                IndexCode b = word(v.b());
                IndexCode c = word(v.c());
                yield t -> op.applyAsLong(a.value(t), b.value(t), c.value(t));
            }
            case Value.Compare v -> word(condition(v));
            case Value.Select v -> {
                ConditionCode condition = condition(v.condition());
                IndexCode yes = word(v.yes());
                IndexCode no = word(v.no());
                yield t -> condition.holds(t) ? yes.value(t) : no.value(t);
            }
            case Value.Convert v -> {
                LongUnaryOperator op = ValueMath.convert(v.conversion());
                IndexCode a = word(v.value());
                yield t -> op.applyAsLong(a.value(t));
            }
            case Value.BitCast v -> {
                IndexCode a = word(v.value());
                ValueType type = v.type();
                yield t -> type.word(a.value(t));
            }
            case Value.Approximate v -> approximate(v);
            case Value.Call _ -> lines.line(value);
            case Value.Compound v -> {
                IndexCode[] parts = v.parts().stream().map(this::word).toArray(IndexCode[]::new);
                yield t -> {
                    long[] words = new long[parts.length];
                    for (int i = 0; i < words.length; i++) {
                        words[i] = parts[i].value(t);
                    }
                    return v.word(words);
                };
            }
        };
    }

    /** Refused where a thread reaches it, unless what is only near is asked for. */
    private IndexCode approximate(Value.Approximate v) {
        IndexCode a = word(v.value());
        if (bindings.approximations()) {
            ApproximateOp op = v.op();
            return t -> op.nearest(a.value(t));
        }
        String sentence = v.op().instruction() + " is the hardware's approximation, whose bits differ between GPUs: "
                + "use an exact function, or allow near values with ReferenceOptions.withApproximations()";
        return t -> {
            throw new Fault(Kind.NOT_MODELLED, sentence);
        };
    }

    /** A predicate. */
    ConditionCode condition(Value value) {
        return switch (value) {
            case Value.Index(Expr e) -> expressions.condition(e);
            case Value.Compare v -> {
                LongBinaryPredicate holds = ValueMath.compare(v.comparison(), v.left().type());
                IndexCode a = word(v.left());
                IndexCode b = word(v.right());
                yield t -> holds.test(a.value(t), b.value(t));
            }
            default -> {
                IndexCode word = word(value);
                yield t -> word.value(t) != 0;
            }
        };
    }

    private static IndexCode word(ConditionCode condition) {
        return t -> condition.holds(t) ? 1 : 0;
    }

    private IndexCode binary(Value.Binary v) {
        LongBinaryOperator op = ValueMath.binary(v.op(), v.type());
        IndexCode a = word(v.left());
        IndexCode b = word(v.right());
        if (v.type().isInteger() && (v.op() == BinaryOp.DIV || v.op() == BinaryOp.REM)) {
            return t -> {
                long left = a.value(t);
                long right = b.value(t);
                if (right == 0) {
                    throw new Fault(Kind.ARITHMETIC, "a value of type " + v.type() + ", " + left
                            + ", is divided by zero");
                }
                return op.applyAsLong(left, right);
            };
        }
        return t -> op.applyAsLong(a.value(t), b.value(t));
    }

    private IndexCode element(Register register, Expr index) {
        IndexCode slot = slot(register, index, 1);
        if (slot instanceof IndexCode.Constant(long s)) {
            int at = (int) s;
            return t -> t.slots[at];
        }
        return t -> t.slots[(int) slot.value(t)];
    }

    /** The slot of a register's first element. */
    int firstSlot(Register register) {
        return slots.of(register);
    }

    /** The slot of an element, behind which as many lie as are used. */
    IndexCode slot(Register register, Expr index, int elements) {
        int first = slots.of(register);
        IndexCode at = expressions.index(index);
        // One out of range, of an unrolled loop, is a mistake of the thread that reaches it.
        if (at instanceof IndexCode.Constant(long k) && k >= 0 && k <= register.count() - elements) {
            return new IndexCode.Constant(first + k);
        }
        return t -> {
            long k = at.value(t);
            if (k < 0 || k > register.count() - elements) {
                throw new Fault(Kind.OUT_OF_BOUNDS, "'" + register.name() + "' has the elements 0 to "
                        + (register.count() - 1) + ", asked for " + (elements == 1 ? "" + k
                        : k + " to " + (k + elements - 1)));
            }
            return first + k;
        };
    }
}
