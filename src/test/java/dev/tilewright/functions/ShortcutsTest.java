package dev.tilewright.functions;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.program.expression.Value;
import dev.tilewright.program.expression.ValueFunction;
import dev.tilewright.program.function.Functions;
import dev.tilewright.program.function.Shortcuts;
import dev.tilewright.program.value.ValueType;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Shortcuts have their functions' bits wherever their conditions hold. The bit patterns at a stride, as {@link
 * FloatFunctionsTest} takes them: {@code -Dtilewright.functions.stride=1} takes all 2^32.
 */
class ShortcutsTest {
    private static final long STRIDE = Long.getLong("tilewright.functions.stride", 8191);
    private static final long BLOCK = 1 << 20;

    /** Functions that have a shortcut, and the greatest size of arguments for which it is right. */
    private enum Shortened {
        EXP(Functions::exp, 86), SILU(Functions::silu, 68);

        final UnaryOperator<Value> function;
        final float greatest;

        Shortened(UnaryOperator<Value> function, float greatest) {
            this.function = function;
            this.greatest = greatest;
        }

        Shortcuts.Shortcut shortcut(Value x) {
            return Shortcuts.of((Value.Call) function.apply(x)).orElseThrow();
        }

        /** A function that is called, or one that is 1 where a condition holds and else 0. */
        static CompiledFunction.OfFloat compiled(UnaryOperator<Value> of) {
            ValueFunction tree = of.apply(Value.f32(0)) instanceof Value.Call call ? call.function()
                    : ValueFunction.of("holds", "1 or 0.", ValueType.F32, (_, x) -> of.apply(x).choose(
                            Value.f32(1), Value.f32(0)));
            return CompiledFunction.compile(tree, CompiledFunction.OfFloat.class);
        }
    }

    @ParameterizedTest
    @EnumSource
    void shortcutsHaveTheBitsOfTheirFunctions(Shortened function) {
        CompiledFunction.OfFloat all = Shortened.compiled(function.function);
        CompiledFunction.OfFloat some = Shortened.compiled(x -> function.shortcut(x).value());
        CompiledFunction.OfFloat holds = Shortened.compiled(x -> function.shortcut(x).condition());
        CompiledFunction.OfFloat moderate = Shortened.compiled(x -> function.shortcut(x).moderate());
        LongStream.range(0, (1L << 32) / BLOCK).parallel().forEach(block -> {
            for (long bits = Math.ceilDiv(block * BLOCK, STRIDE) * STRIDE; bits < (block + 1) * BLOCK; bits += STRIDE) {
                float x = Float.intBitsToFloat((int) bits);
                boolean same = Float.floatToRawIntBits(all.apply(x)) == Float.floatToRawIntBits(some.apply(x));
                boolean allowed = holds.apply(x) == 1;
                assertTrue(allowed == Math.abs(x) <= function.greatest, () -> function + " of " + x);
                assertTrue(same || !allowed, () -> function + " of " + x + " is " + all.apply(x) + ", got "
                        + some.apply(x));
                float size = Math.abs(all.apply(x));
                assertTrue(moderate.apply(x) == 0 || allowed && size >= 0x1p-60f && size <= 0x1p60f, () -> function
                        + " of " + x + " is " + all.apply(x));
            }
        });
    }
}
