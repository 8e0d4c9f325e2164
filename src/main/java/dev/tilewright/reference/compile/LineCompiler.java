package dev.tilewright.reference.compile;

import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.expression.ValueFunction;
import dev.tilewright.program.value.BinaryOp;
import dev.tilewright.program.value.ValueMath;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.reference.code.IndexCode;
import dev.tilewright.reference.op.Line;
import dev.tilewright.reference.state.Slots;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongUnaryOperator;

/**
 * Turns values into {@link Line}s. Constants lie in slots, which every thread fills before its first step; what is
 * computed on the way lies in slots that all lines share, as no line is interrupted.
 */
final class LineCompiler {
    /** Rows of a function up to which they are repeated in place of a call. */
    private static final int MOST_IN_PLACE = 8;

    private final Slots slots;
    private final ValueCompiler values;
    private final Line.Functions functions = new Line.Functions();
    private final Map<ValueFunction, Callee> callees = new HashMap<>();
    private Temporaries temporaries = new Temporaries();

    /** Slots for intermediate results: one for each level of a line, followed by the slots of lines within it. */
    private static final class Temporaries {
        private final List<Integer> slots = new ArrayList<>();
        private int used;
    }

    /** A function as a line over slots of its own; no call of it is within another one. */
    private record Callee(int[] parameters, Line line) { }

    /** A line that is being made. */
    private final class Rows {
        private int[] rows = new int[4 * Line.WIDTH];
        private int count;
        private boolean steadfast = true;

        void add(int kind, int to, int a, int b, int c) {
            if (count == rows.length) {
                rows = Arrays.copyOf(rows, 2 * count);
            }
            rows[count++] = kind;
            rows[count++] = to;
            rows[count++] = a;
            rows[count++] = b;
            rows[count++] = c;
        }

        Line line(int result) {
            return new Line(Arrays.copyOf(rows, count), functions, result, steadfast);
        }
    }

    LineCompiler(Slots slots, ValueCompiler values) {
        this.slots = slots;
        this.values = values;
    }

    /** A line that leaves the value in a slot. */
    Line into(int slot, Value value) {
        int before = temporaries.used;
        Rows rows = new Rows();
        compile(value, slot, rows);
        temporaries.used = before;
        return rows.line(slot);
    }

    /** A line that leaves the value in a slot of its own choice. */
    Line line(Value value) {
        int before = temporaries.used;
        Rows rows = new Rows();
        int result = operand(value, rows);
        temporaries.used = before;
        return rows.line(result);
    }

    private int temporary() {
        if (temporaries.used == temporaries.slots.size()) {
            temporaries.slots.add(slots.reserve(1));
        }
        return temporaries.slots.get(temporaries.used++);
    }

    /** The slot that holds the value: where it lies already, or one for what the rows compute. */
    private int operand(Value value, Rows rows) {
        int place = place(value);
        if (place != Slots.NONE) {
            return place;
        }
        int before = temporaries.used;
        int to = temporary();
        // What the operands need comes after the result's slot, and is free again.
        compile(value, to, rows);
        temporaries.used = before + 1;
        return to;
    }

    /** The slot in which the value lies already. */
    private int place(Value value) {
        return switch (value) {
            case Value.Const c -> slots.constant(c.word());
            case Value.Element(var register, Expr index) ->
                    values.slot(register, index, 1) instanceof IndexCode.Constant(long slot) ? (int) slot : Slots.NONE;
            case Value.Index(Expr e) when e.type() == IntType.BOOL -> Slots.NONE;
            case Value.Scalar _, Value.Index _ -> values.plain(value) instanceof IndexCode.Constant(long word)
                    ? slots.constant(word)
                    : value instanceof Value.Index(Expr.Var v) ? slots.of(v) : Slots.NONE;
            case Value.BitCast v when keepsWord(v) -> place(v.value());
            default -> Slots.NONE;
        };
    }

    /** Whether the word with the same bits is the same. */
    private static boolean keepsWord(Value.BitCast v) {
        return v.type().bits() == Long.SIZE || isSignedInteger(v.type()) == isSignedInteger(v.value().type());
    }

    /** Rows that leave the value in the slot; the last of them alone writes there. */
    private void compile(Value value, int to, Rows rows) {
        switch (value) {
            case Value.Const _, Value.Element _, Value.Scalar _, Value.Index _ -> leaf(value, to, rows);
            case Value.Unary v -> unary(ValueMath.unary(v.op(), v.type()), v.value(), to, rows);
            case Value.Convert v -> unary(ValueMath.convert(v.conversion()), v.value(), to, rows);
            case Value.BitCast v -> {
                ValueType type = v.type();
                if (keepsWord(v)) {
                    rows.add(Line.MOVE, to, operand(v.value(), rows), 0, 0);
                } else {
                    unary(type::word, v.value(), to, rows);
                }
            }
            case Value.Binary v when v.type().isInteger() && (v.op() == BinaryOp.DIV || v.op() == BinaryOp.REM) ->
                    code(value, to, rows);
            case Value.Binary v -> {
                int a = operand(v.left(), rows);
                int b = operand(v.right(), rows);
                int kind = kind(v.op(), v.type());
                rows.add(kind, to, a, b, kind == Line.BINARY ? functions.add(ValueMath.binary(v.op(), v.type())) : 0);
            }
            case Value.Fma v -> {
                int a = operand(v.a(), rows);
                int b = operand(v.b(), rows);
                int c = operand(v.c(), rows);
                if (v.type() == ValueType.F32) {
                    rows.add(Line.FMA_F32, to, a, b, c);
                } else {
                    rows.add(Line.TERNARY, to, a, b, c);
                    rows.add(Line.TERNARY, 0, functions.add(ValueMath.fma(v.type())), 0, 0);
                }
            }
            case Value.Compare v -> {
                int a = operand(v.left(), rows);
                int b = operand(v.right(), rows);
                rows.add(Line.COMPARE, to, a, b, functions.add(ValueMath.compare(v.comparison(), v.left().type())));
            }
            case Value.Select v when mayFail(v.yes()) || mayFail(v.no()) -> code(value, to, rows);
            case Value.Select v -> {
                int condition = operand(v.condition(), rows);
                int yes = operand(v.yes(), rows);
                int no = operand(v.no(), rows);
                rows.add(Line.SELECT, to, condition, yes, no);
            }
            case Value.Call v -> call(v, to, rows);
            case Value.Approximate _, Value.Compound _ -> code(value, to, rows);
        }
    }

    private static boolean isSignedInteger(ValueType type) {
        return type.isInteger() && type.isSigned();
    }

    private static int kind(BinaryOp op, ValueType type) {
        return switch (op) {
            case ADD -> type == ValueType.F32 ? Line.ADD_F32 : type == ValueType.I32 ? Line.ADD_I32 : Line.BINARY;
            case SUB -> type == ValueType.F32 ? Line.SUB_F32 : Line.BINARY;
            case MUL -> type == ValueType.F32 ? Line.MUL_F32 : Line.BINARY;
            case AND -> Line.AND;
            case OR -> Line.OR;
            case XOR -> Line.XOR;
            default -> Line.BINARY;
        };
    }

    private void unary(LongUnaryOperator op, Value value, int to, Rows rows) {
        rows.add(Line.UNARY, to, operand(value, rows), functions.add(op), 0);
    }

    private void leaf(Value value, int to, Rows rows) {
        int place = place(value);
        if (place == Slots.NONE) {
            code(value, to, rows);
        } else {
            rows.add(Line.MOVE, to, place, 0, 0);
        }
    }

    /** What may fail, or is chosen by a thread, is left to code. */
    private void code(Value value, int to, Rows rows) {
        rows.steadfast = false;
        rows.add(Line.CODE, to, functions.add(values.plain(value)), 0, 0);
    }

    private void call(Value.Call call, int to, Rows rows) {
        Callee callee = callees.get(call.function());
        if (callee == null) {
            callee = compile(call.function());
            callees.put(call.function(), callee);
        }
        int[] arguments = call.arguments().stream().mapToInt(a -> operand(a, rows)).toArray();
        if (callee.line.rows().length <= MOST_IN_PLACE * Line.WIDTH) {
            inPlace(call.function(), arguments, to, rows);
            return;
        }
        for (int i = 0; i < arguments.length; i++) {
            rows.add(Line.MOVE, callee.parameters[i], arguments[i], 0, 0);
        }
        rows.steadfast &= callee.line.steadfast();
        rows.add(Line.RUN, to, functions.add(callee.line), 0, 0);
    }

    /** The rows of a small function, over the slots that its arguments lie in. */
    private void inPlace(ValueFunction function, int[] arguments, int to, Rows rows) {
        slots.apart(() -> {
            for (int i = 0; i < arguments.length; i++) {
                slots.define(function.parameters().get(i), new Slots.Place(arguments[i]));
            }
            for (ValueFunction.Let let : function.lets()) {
                int slot = temporary();
                compile(let.value(), slot, rows);
                slots.define(let.register(), new Slots.Place(slot));
            }
            compile(function.result(), to, rows);
        });
    }

    private Callee compile(ValueFunction function) {
        Callee[] compiled = new Callee[1];
        Temporaries outer = temporaries;
        temporaries = new Temporaries();
        slots.apart(() -> {
            int[] parameters = function.parameters().stream().mapToInt(p -> slots.define(p, 1)).toArray();
            Rows rows = new Rows();
            for (ValueFunction.Let let : function.lets()) {
                int slot = slots.reserve(1);
                compile(let.value(), slot, rows);
                temporaries.used = 0;
                slots.define(let.register(), new Slots.Place(slot));
            }
            compiled[0] = new Callee(parameters, rows.line(operand(function.result(), rows)));
        });
        temporaries = outer;
        return compiled[0];
    }

    /** Whether computing it can be a mistake, so that a thread that does not choose it must not. */
    private static boolean mayFail(Value value) {
        return switch (value) {
            case Value.Const _, Value.Scalar _ -> false;
            case Value.Element(var _, Expr index) -> index.constant().isEmpty();
            case Value.Index(Expr e) -> !(e instanceof Expr.Var) && e.constant().isEmpty();
            case Value.Binary v -> v.type().isInteger() && (v.op() == BinaryOp.DIV || v.op() == BinaryOp.REM)
                    || v.parts().stream().anyMatch(LineCompiler::mayFail);
            case Value.Approximate _ -> true;
            case Value.Call v -> v.arguments().stream().anyMatch(LineCompiler::mayFail)
                    || v.function().lets().stream().anyMatch(l -> mayFail(l.value())) || mayFail(v.function().result());
            case Value.Compound v -> v.parts().stream().anyMatch(LineCompiler::mayFail);
        };
    }
}
