package dev.tilewright.tile.lower.layout;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.BinaryOp;
import dev.tilewright.program.value.ValueType;
import java.util.ArrayList;
import java.util.List;

/**
 * The least or greatest of a thread's 16-bit floats, two at once: half as many operations as of f32, and no
 * conversions.
 */
public final class HalfPairs {
    private HalfPairs() {
    }

    /** Whether a thread has 16-bit floats in two pairs or more. */
    public static boolean has(Held from) {
        return (from.type() == ValueType.F16 || from.type() == ValueType.BF16) && from.layout().registerCount() >= 4;
    }

    /**
     * The least or greatest of elements that a thread {@link #has}, in f32: of the first of each pair, and of the
     * second.
     *
     * @param op such as {@link BinaryOp#MAX}
     */
    public static List<Value> of(Body body, Held from, BinaryOp op) {
        ValueType type = from.type();
        List<Value> left = new ArrayList<>();
        for (int i = 0; i < from.layout().registerCount(); i += 2) {
            left.add(body.let("pair", word(from, i).or(word(from, i + 1).shiftLeft(Short.SIZE))));
        }
        while (left.size() > 1) {
            List<Value> halves = new ArrayList<>();
            for (int i = 0; i < left.size() / 2; i++) {
                halves.add(body.let("pair", left.get(i).pairwise(op, left.get(i + left.size() / 2), type)));
            }
            left = halves;
        }
        Value pair = left.getFirst();
        return List.of(half(pair, type), half(pair.shiftRight(Short.SIZE), type));
    }

    private static Value word(Held from, int register) {
        return from.register().at(register).bitCast(ValueType.U16).to(ValueType.U32);
    }

    private static Value half(Value word, ValueType type) {
        return word.to(ValueType.U16).bitCast(type).to(ValueType.F32);
    }
}
