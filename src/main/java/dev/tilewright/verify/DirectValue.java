package dev.tilewright.verify;

import dev.tilewright.program.Expr;
import dev.tilewright.program.Register;
import dev.tilewright.program.Value;
import dev.tilewright.program.ValueFunction;
import dev.tilewright.program.value.ValueMath;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What a function of values is worth, by going through its values once for each call: no threads, no slots, nothing
 * compiled. Of the reference it shares only what each single operation means, {@link ValueMath}.
 */
final class DirectValue {
    private final Map<Register, Long> known = new HashMap<>();

    private DirectValue() {
    }

    /** The function's word for these bits. @param arguments bits above a parameter's width are ignored */
    static long call(ValueFunction function, List<Long> arguments) {
        DirectValue values = new DirectValue();
        for (int i = 0; i < arguments.size(); i++) {
            Register parameter = function.parameters().get(i);
            values.known.put(parameter, parameter.type().word(arguments.get(i)));
        }
        function.lets().forEach(let -> values.known.put(let.register(), values.of(let.value())));
        return values.of(function.result());
    }

    private long of(Value value) {
        return switch (value) {
            case Value.Const c -> c.word();
            case Value.Element(Register register, Expr _) -> known.get(register);
            case Value.Unary v -> ValueMath.unary(v.op(), v.type()).applyAsLong(of(v.value()));
            case Value.Binary v -> ValueMath.binary(v.op(), v.type()).applyAsLong(of(v.left()), of(v.right()));
            case Value.Fma v -> ValueMath.fma(v.type()).applyAsLong(of(v.a()), of(v.b()), of(v.c()));
            case Value.Compare v ->
                    ValueMath.compare(v.comparison(), v.left().type()).test(of(v.left()), of(v.right())) ? 1 : 0;
            case Value.Select v -> of(v.condition()) != 0 ? of(v.yes()) : of(v.no());
            case Value.Convert v -> ValueMath.convert(v.conversion()).applyAsLong(of(v.value()));
            case Value.BitCast v -> v.type().word(of(v.value()));
            case Value.Call v -> call(v.function(), v.arguments().stream().map(this::of).toList());
            case Value.Index _, Value.Scalar _, Value.Approximate _ -> throw new IllegalArgumentException(
                    "what a function is worth at " + value + " is not known here");
        };
    }
}
