package dev.tilewright.tile;

import dev.tilewright.NotNull;

/**
 * What a pass of the lowering chose, and why.
 *
 * @param pass which pass
 * @param subject of what: a tile, a load or a store, the kernel
 * @param choice what it chose
 * @param reason why, or why not something better; empty where there is no choice
 */
public record Decision(Pass pass, String subject, String choice, String reason) {
    /** The passes, in their order. */
    public enum Pass {
        /** Which thread holds which elements. */
        LAYOUT,
        /** How elements go between tensors and threads. */
        MECHANISM,
        /** What happens at the same time. */
        PIPELINE,
        /** Which block computes which tile. */
        GRID,
        /** How results leave. */
        EPILOGUE,
        /** How it is made sure that accesses are within tensors. */
        BOUNDS
    }

    public Decision {
        NotNull.all("pass, subject, choice, reason", pass, subject, choice, reason);
    }

    /** {@code %2 = load a: element by element, through registers: the tile is not …}. */
    @Override
    public String toString() {
        return subject + ": " + choice + (reason.isEmpty() ? "" : ": " + reason);
    }
}
