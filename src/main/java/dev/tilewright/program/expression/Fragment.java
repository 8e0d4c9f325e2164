package dev.tilewright.program.expression;

import dev.tilewright.NotNull;
import dev.tilewright.layout.ElementType;

/**
 * A few elements in a thread's registers, moved by one memory access.
 *
 * @param count elements; {@code count * type.bytes()} is 1, 2, 4, 8 or 16 bytes
 * @param number tells fragments of one name apart, see {@link Expr.Var}
 */
public record Fragment(String name, ElementType type, int count, int number) {
    /** The only fragment of this name that is visible where it is used. */
    public Fragment(String name, ElementType type, int count) {
        this(name, type, count, 0);
    }

    public Fragment {
        NotNull.all("name, type", name, type);
        Identifiers.require(name);
        long bytes = (long) count * type.bytes();
        if (count < 1 || bytes > 16 || Long.bitCount(bytes) != 1) {
            throw new IllegalArgumentException(
                    "fragment '" + name + "' must have 1, 2, 4, 8 or 16 bytes, got " + count + " x " + type);
        }
    }

    /** The size in bytes: 1, 2, 4, 8 or 16. */
    public int bytes() {
        return count * type.bytes();
    }
}
