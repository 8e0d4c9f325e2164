package dev.tilewright.verify.draw;

import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.expression.ValueFunction;
import dev.tilewright.program.value.BinaryOp;
import dev.tilewright.program.value.Comparison;
import dev.tilewright.program.value.Conversion;
import dev.tilewright.program.value.Rounding;
import dev.tilewright.program.value.UnaryOp;
import dev.tilewright.program.value.ValueMath;
import dev.tilewright.program.value.ValueType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Draws values of random trees of operations, over the registers and scalars of a program. */
final class ValueTrees {
    private static final int DEPTH = 4;

    private final DrawnChoices choices;
    /** The types that values have, the usual one first. */
    private final List<ValueType> types;
    private final Map<ValueType, Register> registers;
    private final List<ValueFunction> functions = new ArrayList<>();
    /** While a function is made, what its trees read. */
    private List<Value> arguments = List.of();
    /** The variable of the unrolled loop around the present statement; null for none. */
    private Expr.Var turn;

    /** @param registers of each type, there when a tree is drawn */
    ValueTrees(DrawnChoices choices, List<ValueType> types, Map<ValueType, Register> registers) {
        this.choices = choices;
        this.types = types;
        this.registers = registers;
    }

    /** What follows stands in an unrolled loop, or outside again. @param variable null for none */
    void within(Expr.Var variable) {
        turn = variable;
    }

    Expr.Var turn() {
        return turn;
    }

    /** Makes a function that later trees may call. */
    void addFunction(String name) {
        functions.add(function(name));
    }

    Value tree(ValueType type) {
        return tree(type, DEPTH);
    }

    /** An element's index. */
    Expr index() {
        return turn == null ? Expr.of(choices.below(ValuePrograms.COUNT))
                : choices.flag() ? Expr.of(ValuePrograms.COUNT - 1).minus(turn) : turn;
    }

    private ValueFunction function(String name) {
        ValueType x = anyType();
        ValueType y = anyType();
        ValueFunction made = ValueFunction.of(name, "a random tree", x, y, (lets, a, b) -> {
            arguments = new ArrayList<>(List.of(a, b));
            arguments.add(lets.let("kept", tree(anyType(), 2)));
            return tree(anyType(), 3);
        });
        arguments = List.of();
        return made;
    }

    ValueType anyType() {
        ValueType type = types.get(choices.below(types.size()));
        return choices.oneIn(3) ? ValueType.F32 : type;
    }

    private Value leaf(ValueType type) {
        List<Value> found = arguments.stream().filter(a -> a.type() == type).toList();
        if (!found.isEmpty() && !choices.oneIn(4)) {
            return found.get(choices.below(found.size()));
        }
        if (!arguments.isEmpty() || choices.oneIn(4)) {
            return Value.ofBits(type, ValueOperands.words(type, 1, choices.seed(), new long[0])[0]);
        }
        List<Parameter.Scalar> scalars = ValuePrograms.SCALARS.stream().filter(k -> ValueType.of(k.type()) == type)
                .toList();
        if (!scalars.isEmpty() && choices.oneIn(4)) {
            return scalars.getFirst().value();
        }
        if (type == ValueType.I32 && choices.oneIn(3)) {
            return Builtin.THREAD.times(3).minus(50).toValue();
        }
        return registers.get(type).at(index());
    }

    /** One of indices. */
    private Expr condition(int depth) {
        return switch (depth == 0 ? 0 : choices.below(6)) {
            case 3 -> condition(depth - 1).not();
            case 4 -> condition(depth - 1).and(condition(depth - 1));
            case 5 -> condition(depth - 1).or(condition(depth - 1));
            default -> Builtin.THREAD.lessThan(choices.below(ValuePrograms.THREADS));
        };
    }

    Value predicate(int depth) {
        ValueType type = anyType();
        Comparison comparison = Comparison.values()[choices.below(Comparison.values().length)];
        return switch (choices.below(6)) {
            case 0 -> new Value.Unary(UnaryOp.NOT, new Value.Compare(Comparison.LE, tree(ValueType.I32, depth),
                    tree(ValueType.I32, depth)));
            case 1 -> depth > 0 ? new Value.Binary(choices.flag() ? BinaryOp.AND : BinaryOp.XOR, predicate(depth - 1),
                    predicate(depth - 1)) : predicate(depth);
            case 2 -> arguments.isEmpty() ? condition(2).toValue()
                    : predicate(depth);
            default -> ValueMath.has(comparison, type) ? new Value.Compare(comparison, tree(type, depth), tree(type,
                    depth))
                    : predicate(depth);
        };
    }

    private Value tree(ValueType type, int depth) {
        if (depth == 0 || choices.below(8) == 0) {
            return leaf(type);
        }
        switch (choices.below(11)) {
            case 0, 1 -> {
                UnaryOp op = UnaryOp.values()[choices.below(UnaryOp.values().length)];
                return ValueMath.has(op, type) ? new Value.Unary(op, tree(type, depth - 1)) : tree(type, depth);
            }
            case 2, 3, 4 -> {
                BinaryOp op = BinaryOp.values()[choices.below(BinaryOp.values().length)];
                if (!ValueMath.has(op, type)) {
                    return tree(type, depth - 1);
                }
                Value divisor = tree(type, depth - 1);
                boolean divides = type.isInteger() && (op == BinaryOp.DIV || op == BinaryOp.REM);
                return new Value.Binary(op, tree(type, depth - 1), divides
                        ? new Value.Binary(BinaryOp.OR, divisor, Value.of(type, 1)) : divisor);
            }
            case 5 -> {
                return ValueMath.hasFma(type) ? new Value.Fma(tree(type, depth - 1), tree(type, depth - 1),
                        tree(type, depth - 1)) : tree(type, depth);
            }
            case 6 -> {
                return new Value.Select(predicate(depth - 1), tree(type, depth - 1), tree(type, depth - 1));
            }
            case 7 -> {
                for (ValueFunction f : functions) {
                    if (f.type() == type && arguments.isEmpty()) {
                        return f.of(tree(f.parameters().getFirst().type(), depth - 1),
                                tree(f.parameters().getLast().type(), depth - 1));
                    }
                }
                ValueType from = anyType();
                return from.bits() == type.bits() ? new Value.BitCast(tree(from, depth - 1), type) : tree(type, depth);
            }
            default -> {
                ValueType from = anyType();
                Conversion c = new Conversion(from, type, Rounding.values()[choices.below(5)], choices.flag());
                return ValueMath.has(c) ? new Value.Convert(tree(from, depth - 1), c) : tree(type, depth);
            }
        }
    }
}
