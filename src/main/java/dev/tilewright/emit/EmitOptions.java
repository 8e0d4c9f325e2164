package dev.tilewright.emit;

/**
 * Choices about the generated text that do not change what a correct kernel computes.
 *
 * @param pollLimit how often a wait on an mbarrier polls before it stops the kernel with a trap; 0 means for ever. One
 *     poll lets the hardware wait for a while, about a microsecond or more.
 */
public record EmitOptions(int pollLimit) {

    /** Waits for ever. */
    public static final EmitOptions DEFAULT = new EmitOptions(0);

    /** Turns a hang into an error: a wait gives up after a time that no working copy takes. */
    public static final EmitOptions BOUNDED = new EmitOptions(4_000_000);

    public EmitOptions {
        if (pollLimit < 0) {
            throw new IllegalArgumentException("the poll limit must be at least 0, got " + pollLimit);
        }
    }
}
