package dev.tilewright.ptx;

/** Part of an opcode that can be chosen. */
interface Qualifier {
    /** The text with its leading dot, or nothing where the choice is the one that PTX does not write. */
    String text();
}
