package dev.tilewright.verify;

import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.expression.ValueFunction;
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

    private DirectValue() { }

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
            case Value.Compound v -> v.word(v.parts().stream().mapToLong(this::of).toArray());
            case Value.Call v -> call(v.function(), v.arguments().stream().map(this::of).toList());
            case Value.Index _, Value.Scalar _, Value.Approximate _ -> throw new IllegalArgumentException(
                    "what a function is worth at " + value + " is not known here");
        };
    }
}
