package dev.tilewright.builder.pipeline;

import dev.tilewright.program.Body;
import java.util.Objects;

/**
 * How three groups of four warps share a multiprocessor's registers where two compute and one loads: the loading group
 * gives back what it does not need, and the others wait for it and take it.
 *
 * @param computing registers of a thread that computes: 24, 32, … 240
 * @param loading registers of a thread that loads: 24, 32, … 168
 */
public record RegisterShare(int computing, int loading) {
    /** The share of products, whose loading threads hold a few addresses and counters. */
    public static final RegisterShare PRODUCT = new RegisterShare(240, 24);

    /** 65,536 registers among 384 threads are 170, of which a block gets a multiple of 8 for each. */
    private static final int EACH = 168;
    private static final int COMPUTING_GROUPS = 2;

    /** @throws IllegalArgumentException if the three groups would have more registers than the multiprocessor */
    public RegisterShare {
        int all = COMPUTING_GROUPS * computing + loading;
        int most = (COMPUTING_GROUPS + 1) * EACH;
        if (all > most) {
            throw new IllegalArgumentException("three groups share " + most + " registers for a thread of each, got "
                    + "2 x " + computing + " + " + loading + " = " + all);
        }
    }

    /** Takes what the loading group gives back. All warps of a computing group come to it. */
    public void take(Body body) {
        Objects.requireNonNull(body, "body").purpose("take the registers that the loading warps give up")
                .increaseMaxRegisters(computing);
    }

    /** Gives back what threads that load do not need. All warps of the loading group come to it. */
    public void giveBack(Body body) {
        Objects.requireNonNull(body, "body").purpose("give up registers for the warps that compute")
                .decreaseMaxRegisters(loading);
    }
}
