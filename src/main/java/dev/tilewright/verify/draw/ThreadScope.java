package dev.tilewright.verify.draw;

import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import java.util.HashMap;
import java.util.Map;

/**
 * What a thread sees while it computes a value.
 *
 * @param turn of the unrolled loop around it, whose variable is {@code variable}; that is null outside of one
 * @param state the words of each register
 */
record ThreadScope(int thread, int turn, Expr.Var variable, Map<Register, long[]> state,
        Map<Parameter.Scalar, Long> scalars) {
    long index(Expr e) {
        return switch (e) {
            case Expr.Const c -> c.value();
            case Expr.Var v when v.equals(variable) -> turn;
            case Expr.Builtin b when b == Builtin.THREAD -> thread;
            case Expr.Binary b -> switch (b.op()) {
                case ADD -> index(b.left()) + index(b.right());
                case SUB -> index(b.left()) - index(b.right());
                case MUL -> index(b.left()) * index(b.right());
                default -> throw new AssertionError(e);
            };
            default -> throw new AssertionError(e);
        };
    }

    private boolean holds(Expr condition) {
        return switch (condition) {
            case Expr.Compare c -> {
                int order = Long.compare(index(c.left()), index(c.right()));
                yield switch (c.relation()) {
                    case EQ -> order == 0;
                    case NE -> order != 0;
                    case LT -> order < 0;
                    case LE -> order <= 0;
                    case GT -> order > 0;
                    case GE -> order >= 0;
                };
            }
            case Expr.Not c -> !holds(c.condition());
            case Expr.And c -> holds(c.left()) && holds(c.right());
            case Expr.Or c -> holds(c.left()) || holds(c.right());
            default -> throw new AssertionError(condition);
        };
    }

    long word(Value value) {
        return switch (value) {
            case Value.Const c -> c.word();
            case Value.Index v -> v.type() == ValueType.PRED ? holds(v.expr()) ? 1 : 0 : index(v.expr());
            case Value.Element(Register r, Expr at) -> state.get(r)[(int) index(at)];
            case Value.Compound v -> v.word(v.parts().stream().mapToLong(this::word).toArray());
            case Value.Call v -> {
                Map<Register, long[]> inner = new HashMap<>();
                ThreadScope scope = new ThreadScope(thread, turn, variable, inner, scalars);
                for (int i = 0; i < v.arguments().size(); i++) {
                    inner.put(v.function().parameters().get(i), new long[] {word(v.arguments().get(i))});
                }
                v.function().lets().forEach(l -> inner.put(l.register(), new long[] {scope.word(l.value())}));
                yield scope.word(v.function().result());
            }
            case Value.Scalar v -> scalars.get(v.parameter());
            default -> throw new AssertionError(value);
        };
    }
}
