package dev.tilewright.program.expression;

import dev.tilewright.NotNull;
import dev.tilewright.program.value.ValueType;
import java.util.Objects;

/**
 * A shared buffer as elements of one type.
 *
 * @param buffer where they are; it belongs into the kernel's layout
 * @param elementType of each, 8 to 64 bits wide
 */
public record SharedArray(SharedRegion.Buffer buffer, ValueType elementType) implements Elements {
    public SharedArray {
        NotNull.all("buffer, elementType", buffer, elementType);
        if (elementType == ValueType.PRED || buffer.bytes() % elementType.bytes() != 0
                || buffer.alignment() % elementType.bytes() != 0) {
            throw new IllegalArgumentException("shared buffer '" + buffer.name() + "' of " + buffer.bytes()
                    + " bytes, aligned to " + buffer.alignment() + ", is no array of " + elementType);
        }
    }

    /** An array of {@code count} elements, aligned to 16 bytes. */
    public static SharedArray of(String name, ValueType elementType, int count) {
        NotNull.all("name, elementType", name, elementType);
        return new SharedArray(new SharedRegion.Buffer(name, Math.multiplyExact(count, elementType.bytes()), 16),
                elementType);
    }

    /** How many elements there are. */
    public int count() {
        return buffer.bytes() / elementType.bytes();
    }

    @Override
    public Address.Shared at(Expr index) {
        Objects.requireNonNull(index, "index");
        return buffer.at(index.toS32().times(elementType.bytes()));
    }

    @Override
    public Address.Shared at(int index) {
        return at(Expr.of(index));
    }
}
