package dev.tilewright.builder.pipeline;

import dev.tilewright.NotNull;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr;
import java.util.List;
import java.util.Objects;

/** A stage of a ring as one turn has it, to be filled or to be read. */
public abstract sealed class RingStage permits Filling, Landed {
    final RingMemory memory;
    private final RingPosition position;
    private boolean open = true;

    RingStage(RingMemory memory, RingPosition position) {
        this.memory = memory;
        this.position = position;
    }

    /** The number of the stage, 32 bits. */
    public Expr index() {
        return position.stage();
    }

    /** The first byte of the ring's only buffer in this stage. */
    public Address.Shared start() {
        return at(memory.only());
    }

    /**
     * A byte of the ring's only buffer in this stage.
     *
     * @param offset from the stage's first one, 32 bits
     */
    public Address.Shared at(Expr offset) {
        Objects.requireNonNull(offset, "offset");
        return at(memory.only(), offset);
    }

    /**
     * A byte of the ring's only buffer in this stage.
     *
     * @param offset from the stage's first one
     */
    public Address.Shared at(int offset) {
        return at(Expr.of(offset));
    }

    /** The first byte of one of the ring's buffers in this stage. */
    public Address.Shared at(StageBuffer buffer) {
        Objects.requireNonNull(buffer, "buffer");
        return memory.at(buffer, index());
    }

    /**
     * A byte of one of the ring's buffers in this stage.
     *
     * @param offset from the stage's first one, 32 bits
     */
    public Address.Shared at(StageBuffer buffer, Expr offset) {
        NotNull.all("buffer, offset", buffer, offset);
        return memory.at(buffer, index(), offset);
    }

    /**
     * A byte of one of the ring's buffers in this stage.
     *
     * @param offset from the stage's first one
     */
    public Address.Shared at(StageBuffer buffer, int offset) {
        return at(buffer, Expr.of(offset));
    }

    /** Ends its use in this turn. @param how what ends it, as in messages */
    final void close(RingMemory ring, String how) {
        if (memory != ring) {
            throw new IllegalArgumentException("a stage of ring " + memory.title() + " cannot be " + how + " in ring "
                    + ring.title());
        }
        if (!open) {
            throw new IllegalStateException("a stage of ring " + memory.title() + " is " + how + " twice: "
                    + "each turn of it ends once");
        }
        open = false;
    }

    /** Refuses stages that were taken and not handed on. */
    static void requireEnded(List<RingStage> stages) {
        for (RingStage stage : stages) {
            if (stage.open) {
                throw new IllegalStateException("a stage of ring " + stage.memory.title() + (stage instanceof Filling
                        ? " is acquired and never committed: those who wait for it would wait for ever"
                        : " is waited for and never released: those who fill it would wait for ever"));
            }
        }
    }

    /** {@code stage of ring a}. */
    @Override
    public String toString() {
        return "stage of " + memory;
    }
}
