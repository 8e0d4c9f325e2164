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
    private Shortcuts() { }

    /**
     * What takes a value's place.
     *
     * @param condition of arguments for which it has the same bits
     * @param moderate condition of arguments for which it has them, and is between 2^-60 and 2^60
     */
    public record Shortcut(Value condition, Value moderate, Value value) {
        public Shortcut {
            NotNull.all("condition, moderate, value", condition, moderate, value);
        }
    }

    /** The shortcut of a call; nothing where the function has none. */
    public static Optional<Shortcut> of(Value.Call call) {
        Objects.requireNonNull(call, "call");
        Value x = call.arguments().getFirst();
        if (call.function().equals(Exponentials.EXP_F32)) {
            return Optional.of(new Shortcut(x.abs().atMost(Value.f32(Exponentials.NORMAL)),
                    x.abs().atMost(Value.f32(Exponentials.MODERATE)),
                    new Value.Call(Exponentials.EXP_NORMAL_F32, List.of(x))));
        }
        return Optional.of(call).filter(of -> of.function().equals(Sigmoids.SILU_F32)).map(_ -> new Shortcut(
                x.abs().atMost(Value.f32(Sigmoids.NEAR)),
                x.abs().atLeast(Value.f32(0x1p-50f)).and(x.abs().atMost(Value.f32(20))),
                new Value.Call(Sigmoids.SILU_NEAR_F32, List.of(x))));
    }
}
