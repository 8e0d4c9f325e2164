package dev.tilewright.hazard.explore;

import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.expression.ValueFunction;
import dev.tilewright.program.value.ValueType;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A thread's values and registers. What comes from bytes that nothing wrote is undefined, and so is what it is in. */
final class ValueEvaluator {
    private final World w;
    private final ThreadState t;
    private boolean undefined;
    /** Of the function that is being computed. */
    private Map<Register, Long> names = Map.of();

    ValueEvaluator(World w, ThreadState t) {
        this.w = w;
        this.t = t;
    }

    /** What a value is worth. @throws Ending if that is not defined */
    long defined(Value value) {
        undefined = false;
        long word = of(value);
        if (undefined) {
            throw new Ending.Undefined();
        }
        return word;
    }

    void declare(Register register, Value initial) {
        undefined = true;
        long word = 0;
        if (initial != null) {
            undefined = false;
            word = of(initial);
        }
        for (int i = 0; i < register.count(); i++) {
            set(slot(register, i), word);
        }
    }

    void assign(Register register, Expr index, Value value) {
        undefined = false;
        set(slot(register, new Eval(w, t).toInt(index)), of(value));
    }

    /** Gives elements from the first on what bytes of memory say. */
    void load(Register register, Expr first, short[] bytes) {
        ValueType type = register.type();
        int at = slot(register, new Eval(w, t).toInt(first));
        for (int i = 0; i < bytes.length / type.bytes(); i++) {
            long bits = 0;
            undefined = false;
            for (int b = type.bytes() - 1; b >= 0; b--) {
                short one = bytes[i * type.bytes() + b];
                undefined |= one == Values.UNDEFINED;
                bits = bits << 8 | one & 0xFF;
            }
            set(at + i, undefined ? 0 : type.word(bits));
        }
    }

    /** The bytes that values have in memory. */
    short[] bytes(List<Value> values) {
        int each = values.getFirst().type().bytes();
        short[] all = new short[values.size() * each];
        for (int i = 0; i < values.size(); i++) {
            undefined = false;
            long word = of(values.get(i));
            System.arraycopy(undefined ? Values.undefined(each) : Values.of(word, each), 0, all, i * each, each);
        }
        return all;
    }

    private void set(int slot, long word) {
        t.registers[slot] = undefined ? 0 : word;
        t.undefinedRegisters.set(slot, undefined);
    }

    private int slot(Register register, int index) {
        if (index < 0 || index >= register.count()) {
            throw new Ending("outside the register array");
        }
        return w.launched.code.registers.get(register) + index;
    }

    /** A function's result, whose parameters and names are registers of its own. */
    private long call(ValueFunction function, List<Value> arguments) {
        Map<Register, Long> own = new HashMap<>();
        for (int i = 0; i < arguments.size(); i++) {
            own.put(function.parameters().get(i), of(arguments.get(i)));
        }
        Map<Register, Long> outer = names;
        names = own;
        for (ValueFunction.Let let : function.lets()) {
            own.put(let.register(), of(let.value()));
        }
        long result = of(function.result());
        names = outer;
        return result;
    }

    private long of(Value value) {
        return switch (value) {
            case Value.Element(Register register, Expr _) when names.containsKey(register) -> names.get(register);
            case Value.Call(ValueFunction function, List<Value> arguments, var _) -> call(function, arguments);
            case Value.Const(ValueType _, long word) -> word;
            case Value.Index(Expr expr) -> new Eval(w, t).of(expr);
            case Value.Scalar(var parameter) -> value.type().word(w.launched.scalars.get(parameter));
            case Value.Element(Register register, Expr index) -> {
                int slot = slot(register, new Eval(w, t).toInt(index));
                undefined |= t.undefinedRegisters.get(slot);
                yield t.registers[slot];
            }
            case Value.Select(Value condition, Value yes, Value no, var _, var _) -> of(condition) != 0 ? of(yes)
                    : of(no);
            case Value.Compound compound -> compound.word(compound.parts().stream().mapToLong(this::of).toArray());
            case Value.Approximate _ -> throw new Unsupported("a value that hardware rounds as it likes");
        };
    }
}
