package dev.tilewright.reference.op;

/** A place in the operations that jumps name before it is known. */
public final class Label {
    private int pc = -1;

    public void place(int pc) {
        this.pc = pc;
    }

    public int pc() {
        return pc;
    }
}
