package dev.tilewright.tile.kernel;

import dev.tilewright.program.expression.Value;
import java.util.Objects;
import java.util.function.UnaryOperator;

/** A function of each element of a result. */
public enum Activation {
    /** None: the element itself. */
    NONE(x -> x),
    /** The element, or 0 if that is greater; 0 of a NaN. */
    RELU(x -> x.max(0)),
    /** {@link Value#gelu}, of f32 and f64. */
    GELU(Value::gelu),
    /** {@link Value#silu}, of f32 and f64. */
    SILU(Value::silu);

    private final UnaryOperator<Value> function;

    Activation(UnaryOperator<Value> function) {
        this.function = function;
    }

    /** The activation of an element. */
    Value of(Value element) {
        return function.apply(Objects.requireNonNull(element, "element"));
    }
}
