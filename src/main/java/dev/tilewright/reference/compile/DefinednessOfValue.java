package dev.tilewright.reference.compile;

import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.expression.ValueSearch;
import dev.tilewright.program.value.BinaryOp;
import dev.tilewright.program.value.UnaryOp;
import dev.tilewright.reference.code.ConditionCode;
import dev.tilewright.reference.code.IndexCode;
import dev.tilewright.reference.code.SuspectValue;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Which bits of a value are not defined, computed from those of its registers: bit casts and bitwise operations bit by
 * bit, a choice by the side that is chosen if what chooses is defined, and of every other operation all of the result
 * if anything of an operand is undefined.
 *
 * @param suspects registers that may be undefined
 */
record DefinednessOfValue(DefinednessOfExpr expressions, ValueCompiler values, Set<Object> suspects) {
    private static final IndexCode NOTHING = new IndexCode.Constant(0);

    boolean isDefined(Value value) {
        return !ValueSearch.any(value, v -> switch (v) {
            case Value.Element(Register register, Expr _) -> suspects.contains(register);
            case Value.Index(Expr e) -> !expressions.isDefined(e);
            default -> false;
        });
    }

    SuspectValue of(Value value) {
        if (isDefined(value)) {
            return DefinednessOfExpr.DEFINED;
        }
        Set<Integer> slots = new TreeSet<>();
        addSlots(value, slots);
        return new SuspectValue(bits(value), slots.stream().mapToInt(s -> s).toArray());
    }

    /** Adds the slots of what may be undefined in it. */
    void addSlots(Value value, Set<Integer> slots) {
        ValueSearch.any(value, v -> {
            switch (v) {
                case Value.Element(Register register, Expr _) when suspects.contains(register) -> {
                    int first = values.firstSlot(register);
                    for (int k = 0; k < register.count(); k++) {
                        slots.add(first + k);
                    }
                }
                case Value.Index(Expr e) -> expressions.addSlots(e, slots);
                default -> { }
            }
            return false;
        });
    }

    IndexCode bits(Value value) {
        if (isDefined(value)) {
            return NOTHING;
        }
        return switch (value) {
            case Value.Element(Register register, Expr index) -> {
                IndexCode slot = values.slot(register, index, 1);
                yield t -> t.undefined.bits((int) slot.value(t));
            }
            case Value.Index(Expr e) -> expressions.bitsOf(e);
            case Value.BitCast v -> bits(v.value());
            case Value.Unary v when v.op() == UnaryOp.NOT -> bits(v.value());
            case Value.Binary v -> switch (v.op()) {
                case XOR -> {
                    IndexCode a = bits(v.left());
                    IndexCode b = bits(v.right());
                    yield t -> a.value(t) | b.value(t);
                }
                case AND, OR -> masked(v, v.op() == BinaryOp.AND);
                default -> all(v.parts());
            };
            case Value.Select v -> chosen(bits(v.condition()), values.condition(v.condition()), bits(v.yes()),
                    bits(v.no()));
            default -> all(value.parts());
        };
    }

    private IndexCode masked(Value.Binary v, boolean and) {
        return masked(and, bits(v.left()), values.word(v.left()), bits(v.right()), values.word(v.right()));
    }

    /** A zero decides an AND, a one an OR: undefined bits of both sides, and what the sides are worth. */
    static IndexCode masked(boolean and, IndexCode left, IndexCode a, IndexCode right, IndexCode b) {
        return t -> {
            long va = left.value(t);
            long vb = right.value(t);
            if ((va | vb) == 0) {
                return 0;
            }
            long open = and ? a.value(t) : ~a.value(t);
            long open2 = and ? b.value(t) : ~b.value(t);
            return (va | vb) & (open | va) & (open2 | vb);
        };
    }

    /** Undefined bits of what a condition chooses: all where it is undefined itself. */
    static IndexCode chosen(IndexCode chooses, ConditionCode condition, IndexCode yes, IndexCode no) {
        return t -> chooses.value(t) != 0 ? -1 : condition.holds(t) ? yes.value(t) : no.value(t);
    }

    private IndexCode all(List<Value> parts) {
        IndexCode[] bits = parts.stream().map(this::bits).toArray(IndexCode[]::new);
        return t -> {
            for (IndexCode part : bits) {
                if (part.value(t) != 0) {
                    return -1;
                }
            }
            return 0;
        };
    }
}
