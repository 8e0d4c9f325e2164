package dev.tilewright.gpu.emulation;

/** A call that the driver refuses: its CUresult, on the way to the caller. */
final class Refusal extends RuntimeException {
    private static final long serialVersionUID = 1;
    private final int result;

    Refusal(int result) {
        super("CUresult " + result, null, false, false);
        this.result = result;
    }

    int result() {
        return result;
    }

    /** Refuses with a CUresult unless a condition holds. */
    static void unless(boolean condition, int result) {
        if (!condition) {
            throw new Refusal(result);
        }
    }
}
