package dev.tilewright.builder.pipeline;

import dev.tilewright.program.expression.Token;

/** A stage that a consumer has arrived for and will wait for. */
public final class Arrived {
    private final RingMemory memory;
    private final RingPosition position;
    private final Token token;
    private boolean waited;

    Arrived(RingMemory memory, RingPosition position, Token token) {
        this.memory = memory;
        this.position = position;
        this.token = token;
    }

    /** The stage and its lap. */
    public RingPosition position() {
        return position;
    }

    Token token() {
        return token;
    }

    void useIn(RingMemory ring) {
        if (memory != ring) {
            throw new IllegalArgumentException("an arrival in ring " + memory.title() + " is none in ring "
                    + ring.title());
        }
        if (waited) {
            throw new IllegalStateException("a stage of ring " + memory.title() + " is waited for twice with one "
                    + "arrival: arrive again");
        }
        waited = true;
    }

    /** {@code arrival at a stage of ring a}. */
    @Override
    public String toString() {
        return "arrival at a stage of " + memory;
    }
}
