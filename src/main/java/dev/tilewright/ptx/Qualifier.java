package dev.tilewright.ptx;

import java.util.Locale;

/** Part of an opcode that can be chosen. */
public interface Qualifier {
    /**
     * The text with its leading dot, or nothing where the choice is the one that PTX does not write. Unless said
     * otherwise it is the constant's name, and nothing for DEFAULT.
     */
    default String text() {
        String name = toString().toLowerCase(Locale.ROOT);
        return name.equals("default") ? "" : "." + name;
    }
}
