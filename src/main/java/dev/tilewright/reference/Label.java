package dev.tilewright.reference;

/** A place in the operations that jumps name before it is known. */
final class Label {
    private int pc = -1;

    void place(int pc) {
        this.pc = pc;
    }

    int pc() {
        return pc;
    }
}
