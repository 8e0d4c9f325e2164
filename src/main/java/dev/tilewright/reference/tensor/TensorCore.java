package dev.tilewright.reference.tensor;

/**
 * Whose tensor cores: how many bits of a term below the largest one reach the adder, and how many products are added at
 * once. Hopper's numbers were measured on an H200; Ampere's and Ada's are published ones that no test here has seen on
 * hardware.
 */
public enum TensorCore {
    /** Compute capability 9.0: 25 bits, all of an instruction's products at once. */
    HOPPER(25) {
        @Override
        int depth(int operandBits, int depth) {
            return depth;
        }
    },
    /** Compute capabilities 8.0 to 8.9, as published: 24 bits, half of K of the deepest instructions at once. */
    AMPERE(24) {
        @Override
        int depth(int operandBits, int depth) {
            return Math.min(depth, 128 / operandBits);
        }
    };

    private final int adderBits;

    TensorCore(int adderBits) {
        this.adderBits = adderBits;
    }

    int adderBits() {
        return adderBits;
    }

    /** How many products of operands of this width are added at once, of an instruction that has {@code depth}. */
    abstract int depth(int operandBits, int depth);
}
