package dev.tilewright.verify.draw;

/** One thread of a kernel of roles, as the direct computation follows it. */
final class RoleThread {
    final int block;
    final int number;
    final int[] variables;
    /** Whether it has left the loop that it was in. */
    boolean left;

    RoleThread(int block, int number, int variables) {
        this.block = block;
        this.number = number;
        this.variables = new int[variables];
    }
}
