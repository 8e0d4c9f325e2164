package dev.tilewright.gpu.emulation.state;

/** A call that the driver refuses: its CUresult, on the way to the caller. */
public final class Refusal extends RuntimeException {
    private static final long serialVersionUID = 1;
    private final int result;

    public Refusal(int result) {
        super("CUresult " + result, null, false, false);
        this.result = result;
    }

    public int result() {
        return result;
    }

    /** Refuses with a CUresult unless a condition holds. */
    public static void unless(boolean condition, int result) {
        if (!condition) {
            throw new Refusal(result);
        }
    }
}
