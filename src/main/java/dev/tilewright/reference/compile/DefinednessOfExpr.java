package dev.tilewright.reference.compile;

import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.ExprSearch;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Value;
import dev.tilewright.reference.code.ConditionCode;
import dev.tilewright.reference.code.IndexCode;
import dev.tilewright.reference.code.SuspectValue;
import dev.tilewright.reference.state.Slots;
import java.util.HashSet;
import java.util.Set;

/**
 * Which bits of an expression are not defined, computed from those of its variables: sums and products from the lowest
 * undefined bit up, masks and shifts bit by bit, a choice by the side that is chosen if what chooses is defined. A
 * comparison is defined if no bit of its sides is undefined, or if defined bits differ already and it asks for
 * equality.
 */
final class DefinednessOfExpr {
    /** Of what cannot be undefined. */
    static final SuspectValue DEFINED = new SuspectValue(new IndexCode.Constant(0), new int[0]);

    private static final IndexCode NOTHING = new IndexCode.Constant(0);

    private final ExprCompiler expressions;
    private final Slots slots;
    /** Variables that may be undefined. */
    private final Set<Object> suspects;
    private final DefinednessOfValue values;

    DefinednessOfExpr(ExprCompiler expressions, Slots slots, Set<Object> suspects) {
        this.expressions = expressions;
        this.slots = slots;
        this.suspects = suspects;
        this.values = new DefinednessOfValue(this, expressions.values(), suspects);
    }

    /** Of an integer, or of a truth value: there any bit stands for it. */
    SuspectValue of(Expr e) {
        Set<Integer> of = new HashSet<>();
        addSlots(e, of);
        return of.isEmpty() ? DEFINED
                : new SuspectValue(e.type() == IntType.BOOL ? condition(e) : bits(e),
                        of.stream().mapToInt(slot -> slot).toArray());
    }

    /** Of a value. */
    SuspectValue of(Value value) {
        return values.of(value);
    }

    /** Adds the slots of what may be undefined in it. */
    void addSlots(Expr e, Set<Integer> to) {
        ExprSearch.any(e, part -> {
            if (suspects.contains(part)) {
                to.add(slots.of(part));
            }
            if (part instanceof Expr.OfValue(Value value)) {
                values.addSlots(value, to);
            }
            return false;
        });
    }

    boolean isDefined(Expr e) {
        return !ExprSearch.any(e, part -> suspects.contains(part)
                || part instanceof Expr.OfValue(Value value) && !values.isDefined(value));
    }

    /** Of an integer, or of a truth value: there any bit stands for it. */
    IndexCode bitsOf(Expr e) {
        return e.type() == IntType.BOOL ? condition(e) : bits(e);
    }

    private IndexCode bits(Expr e) {
        if (isDefined(e)) {
            return NOTHING;
        }
        return switch (e) {
            case Expr.Var v -> {
                int slot = slots.of(v);
                yield v.type() == IntType.S32 ? t -> (int) t.undefined.bits(slot) : t -> t.undefined.bits(slot);
            }
            case Expr.Binary b -> binary(b);
            case Expr.Select s -> DefinednessOfValue.chosen(condition(s.condition()),
                    expressions.condition(s.condition()), bits(s.yes()), bits(s.no()));
            case Expr.Convert c -> {
                IndexCode value = bits(c.value());
                yield c.type() == IntType.S32 ? t -> (int) value.value(t) : value;
            }
            case Expr.Const _, Expr.Named _, Expr.Builtin _, Expr.ParamValue _, Expr.DeviceAddress _,
                    Expr.SharedAddress _ -> NOTHING;
            case Expr.OfValue(Value value) -> values.bits(value);
            case Expr.Compare _, Expr.And _, Expr.Or _, Expr.Not _ -> condition(e);
        };
    }

    private IndexCode binary(Expr.Binary b) {
        IndexCode left = bits(b.left());
        IndexCode right = bits(b.right());
        boolean narrow = b.type() == IntType.S32;
        return switch (b.op()) {
            case ADD, SUB, MUL -> t -> {
                long either = left.value(t) | right.value(t);
                long up = either | -either;
                return narrow ? (int) up : up;
            };
            case XOR -> t -> left.value(t) | right.value(t);
            case AND, OR -> DefinednessOfValue.masked(b.op() == Expr.Op.AND, left, expressions.index(b.left()), right,
                    expressions.index(b.right()));
            case SHL, SHR -> {
                IndexCode by = expressions.index(b.right());
                boolean up = b.op() == Expr.Op.SHL;
                yield t -> {
                    long undefined = left.value(t);
                    if (right.value(t) != 0) {
                        return -1;
                    }
                    if (undefined == 0) {
                        return 0;
                    }
                    long shift = by.value(t);
                    return up ? narrow ? (int) undefined << shift : undefined << shift
                            : narrow ? (int) undefined >> shift : undefined >> shift;
                };
            }
            case DIV, REM, MIN, MAX -> t -> (left.value(t) | right.value(t)) == 0 ? 0 : -1;
        };
    }

    /** Not 0 where it is not known whether a condition holds. */
    private IndexCode condition(Expr e) {
        if (isDefined(e)) {
            return NOTHING;
        }
        return switch (e) {
            case Expr.Compare c -> {
                IndexCode left = bits(c.left());
                IndexCode right = bits(c.right());
                if (c.relation() != Expr.Relation.EQ && c.relation() != Expr.Relation.NE) {
                    yield t -> left.value(t) | right.value(t);
                }
                IndexCode a = expressions.index(c.left());
                IndexCode b = expressions.index(c.right());
                yield t -> {
                    long undefined = left.value(t) | right.value(t);
                    return undefined == 0 || ((a.value(t) ^ b.value(t)) & ~undefined) != 0 ? 0 : undefined;
                };
            }
            case Expr.And both -> {
                IndexCode left = condition(both.left());
                IndexCode right = condition(both.right());
                ConditionCode first = expressions.condition(both.left());
                yield t -> {
                    long undefined = left.value(t);
                    return undefined != 0 ? undefined : first.holds(t) ? right.value(t) : 0;
                };
            }
            case Expr.Or either -> {
                IndexCode left = condition(either.left());
                IndexCode right = condition(either.right());
                ConditionCode first = expressions.condition(either.left());
                yield t -> {
                    long undefined = left.value(t);
                    return undefined != 0 ? undefined : first.holds(t) ? 0 : right.value(t);
                };
            }
            case Expr.Not n -> condition(n.condition());
            case Expr.OfValue(Value value) -> values.bits(value);
            default -> throw new IllegalArgumentException("an index is not a condition: " + e);
        };
    }
}
