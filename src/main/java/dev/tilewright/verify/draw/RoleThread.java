package dev.tilewright.verify.draw;

/** One thread of a kernel of roles, as the direct computation follows it. */
final class RoleThread {
    final int block;
    final int number;
    final int[] variables;
    Jump jump = Jump.NONE;

    /** Where a thread is going in the loop that it is in: on with its steps, on to the next turn, or out of it. */
    enum Jump { NONE, ON, OUT }

    RoleThread(int block, int number, int variables) {
        this.block = block;
        this.number = number;
        this.variables = new int[variables];
    }
}
