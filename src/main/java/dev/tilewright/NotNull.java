package dev.tilewright;

import java.util.Objects;

/** Refuses null arguments by their names. */
public final class NotNull {
    private NotNull() {
    }

    /**
     * Refuses the first argument that is null.
     *
     * @param names of the arguments, in their order, as {@code "from, to"}
     * @throws NullPointerException whose message is the name
     */
    public static void all(String names, Object... arguments) {
        Objects.requireNonNull(names, "names");
        Objects.requireNonNull(arguments, "arguments");
        for (int i = 0; i < arguments.length; i++) {
            if (arguments[i] == null) {
                throw new NullPointerException(names.split(", ")[i]);
            }
        }
    }
}
