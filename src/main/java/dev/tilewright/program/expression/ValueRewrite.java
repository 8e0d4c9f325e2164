package dev.tilewright.program.expression;

import dev.tilewright.NotNull;
import java.util.Optional;
import java.util.function.Function;

/** Puts other values in the places of some within a value. */
public final class ValueRewrite {

    private ValueRewrite() { }

    /**
     * The value with parts of it replaced; what is within a replaced part, or takes its place, is not looked at. Index
     * expressions and functions are left as they are, a function's arguments are not.
     *
     * @param replacement what takes a part's place, or nothing where it stays
     */
    public static Value of(Value value, Function<Value, Optional<Value>> replacement) {
        NotNull.all("value, replacement", value, replacement);
        return replacement.apply(value).orElseGet(() -> value.map(part -> of(part, replacement)));
    }
}
