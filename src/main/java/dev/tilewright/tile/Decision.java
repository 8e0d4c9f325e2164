package dev.tilewright.tile;

import dev.tilewright.NotNull;
import java.util.List;
import java.util.Optional;

/**
 * What a pass of the lowering chose, and why.
 *
 * @param pass which pass
 * @param subject of what: a tile, a load or a store, the kernel
 * @param choice what it chose
 * @param reason why, or why not something better; empty where there is no choice
 * @param places which thread holds which elements, where that is what it chose
 */
public record Decision(Pass pass, String subject, String choice, String reason, Optional<Places> places) {
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

    /**
     * A layout: for each bit of a register's number in its thread, and of a thread's in its block, the place that it
     * adds along each axis, by exclusive or.
     *
     * @param bits of a place along each axis
     */
    public record Places(List<Integer> bits, List<List<Integer>> registers, List<List<Integer>> threads) {
        public Places {
            NotNull.all("bits, registers, threads", bits, registers, threads);
            bits = List.copyOf(bits);
            registers = registers.stream().map(List::copyOf).toList();
            threads = threads.stream().map(List::copyOf).toList();
        }
    }

    public Decision {
        NotNull.all("pass, subject, choice, reason, places", pass, subject, choice, reason, places);
    }

    /** A choice that is no layout. */
    public Decision(Pass pass, String subject, String choice, String reason) {
        this(pass, subject, choice, reason, Optional.empty());
    }

    /** {@code %2, load of a: each thread loads its own elements into registers (the tile is not a factor …)}. */
    @Override
    public String toString() {
        return subject + ": " + choice + (reason.isEmpty() ? "" : " (" + reason + ")");
    }
}
