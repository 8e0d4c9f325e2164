package dev.tilewright.tensormap.rules;

import dev.tilewright.layout.Swizzle;

/**
 * What the rules need to know of {@code CUtensorMapSwizzle} (cuda.h) by its integer, the atoms of later targets
 * included.
 */
final class SwizzleFacts {
    private SwizzleFacts() { }

    /** A swizzle's integer with the name that users write: {@code 3 (128B)}. */
    static String named(long swizzle) {
        return swizzle + switch (Math.clamp(swizzle, -1, 7)) {
            case 0, 1, 2, 3 -> " (" + Swizzle.values()[(int) swizzle] + ")";
            case 4 -> " (128B, 32-byte atoms)";
            case 5 -> " (128B, 32-byte atoms, halves flipped)";
            case 6 -> " (128B, 64-byte atoms)";
            default -> "";
        };
    }
}
