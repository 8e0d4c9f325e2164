package dev.tilewright.bench.device;

/** What arrays are filled with before a kernel works on them. All of it looks random and follows from a seed. */
public enum Content {
    /** 32-bit words. */
    WORDS("words"),
    /** f32 numbers of either sign below a half, multiples of 2^-24: products and sums are rounded. */
    F32("numbers"),
    /** f32 whole numbers from -8 to 8: their sums are exact as long as they stay below 2^24. */
    WHOLE_F32("whole_numbers"),
    /** bf16 whole numbers from -8 to 8, two in a word. */
    WHOLE_BF16("whole_halves"),
    /**
     * bf16 numbers, normally distributed as near as a sum of four uniform ones is, two in a word: what products are
     * timed with.
     */
    BF16("halves");

    private final String function;

    Content(String function) {
        this.function = function;
    }

    /** The name of the device's function that makes it. */
    String function() {
        return function;
    }
}
