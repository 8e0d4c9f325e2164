package dev.tilewright.ptx;

/** Part of an opcode that can be chosen. */
public interface Qualifier {
    /** The text with its leading dot, or nothing where the choice is the one that PTX does not write. */
    String text();
}
