package dev.tilewright.program;

import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

/** Puts other values in the places of some within a value. */
final class ValueRewrite {

    private ValueRewrite() {
    }

    /**
     * The value with parts of it replaced; what is within a replaced part, or takes its place, is not looked at. Index
     * expressions and functions are left as they are, a function's arguments are not.
     *
     * @param replacement what takes a part's place, or nothing where it stays
     */
    static Value of(Value value, Function<Value, Optional<Value>> replacement) {
        Objects.requireNonNull(value, "value");
        Objects.requireNonNull(replacement, "replacement");
        return replacement.apply(value).orElseGet(() -> switch (value) {
            case Value.Const _, Value.Scalar _, Value.Element _, Value.Index _ -> value;
            case Value.Unary v -> new Value.Unary(v.op(), of(v.value(), replacement));
            case Value.Binary v ->
                    new Value.Binary(v.op(), of(v.left(), replacement), of(v.right(), replacement));
            case Value.Fma v ->
                    new Value.Fma(of(v.a(), replacement), of(v.b(), replacement), of(v.c(), replacement));
            case Value.Compare v ->
                    new Value.Compare(v.comparison(), of(v.left(), replacement), of(v.right(), replacement));
            case Value.Select v -> new Value.Select(of(v.condition(), replacement), of(v.yes(), replacement),
                    of(v.no(), replacement));
            case Value.Convert v -> new Value.Convert(of(v.value(), replacement), v.conversion());
            case Value.BitCast v -> new Value.BitCast(of(v.value(), replacement), v.type());
            case Value.Approximate v -> new Value.Approximate(v.op(), of(v.value(), replacement));
            case Value.Call v -> new Value.Call(v.function(),
                    v.arguments().stream().map(a -> of(a, replacement)).toList());
        });
    }
}
