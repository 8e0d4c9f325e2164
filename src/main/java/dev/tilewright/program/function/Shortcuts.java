package dev.tilewright.program.function;

import dev.tilewright.NotNull;
import dev.tilewright.program.expression.Value;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Functions of {@link Functions} by fewer operations, with the same bits, of arguments that are neither very large nor
 * very small. Programs have both, and a branch that all elements of a thread share.
 */
public final class Shortcuts {
    private Shortcuts() {
    }

    /** What takes a value's place. @param condition of elements for which it has the same bits */
    public record Shortcut(Value condition, Value value) {
        public Shortcut {
            NotNull.all("condition, value", condition, value);
        }
    }

    /** The shortcut of a call; nothing where the function has none. */
    public static Optional<Shortcut> of(Value.Call call) {
        Objects.requireNonNull(call, "call");
        if (!call.function().equals(Exponentials.EXP_F32)) {
            return Optional.empty();
        }
        Value x = call.arguments().getFirst();
        return Optional.of(new Shortcut(x.times(x).atMost(Value.f32(Exponentials.NORMAL * Exponentials.NORMAL)),
                new Value.Call(Exponentials.EXP_NORMAL_F32, List.of(x))));
    }
}
