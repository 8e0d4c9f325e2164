package dev.tilewright.builder.pipeline;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Register;
import java.util.Objects;

/**
 * A thread's position in a ring, kept in two of its registers: for any loop, also nested ones, loops that end by data,
 * and turns taken in several places. Producers have one, consumers another; each acquire, or each wait, of a cursor
 * takes its position and moves it on.
 *
 * <p>Where a loop's variable counts all turns, stage and parity follow from it, too: by a division, which takes longer
 * than to move a cursor on unless the number of stages is a power of two.
 */
public final class RingCursor {
    private final RingMemory memory;
    private final Register stage;
    private final Register parity;

    private RingCursor(RingMemory memory, Register stage, Register parity) {
        this.memory = memory;
        this.stage = stage;
        this.parity = parity;
    }

    /** At the first stage, in the first lap. */
    static RingCursor start(Body body, RingMemory memory, String name) {
        return start(body, memory, name, RingPosition.first(Expr.of(0)));
    }

    static RingCursor start(Body body, RingMemory memory, String name, RingPosition at) {
        return new RingCursor(memory, body.purpose("the stage that comes next").variable(name + "_stage", at.stage()),
                body.purpose("the parity of its lap").variable(name + "_parity", at.parity()));
    }

    /** Where it is, which changes when it moves on. */
    public RingPosition position() {
        return new RingPosition(stage.get().toIndex(), parity.get().toIndex());
    }

    /** Moves it on by a turn. */
    public void advance(Body body) {
        Objects.requireNonNull(body, "body");
        Expr next = body.purpose("the stage after it").let("stage_behind", stage.get().toIndex().plus(1));
        Expr lapEnds = next.isEqualTo(memory.stages());
        Expr now = parity.get().toIndex();
        body.purpose("a lap changes the parity").assign(parity, lapEnds.choose(now.xor(1), now));
        body.purpose("the first stage follows the last").assign(stage, lapEnds.choose(0, next));
    }

    /** The cursor's position, kept for a turn, behind which it moves on. */
    RingPosition take(Body body, RingMemory ring) {
        if (memory != ring) {
            throw new IllegalArgumentException("a cursor of ring " + memory.title() + " is none of ring "
                    + ring.title());
        }
        RingPosition kept = new RingPosition(body.purpose("this turn's stage").let("stage", stage.get().toIndex()),
                body.purpose("the parity of its lap").let("parity", parity.get().toIndex()));
        advance(body);
        return kept;
    }

    /** {@code cursor of ring a}. */
    @Override
    public String toString() {
        return "cursor of " + memory;
    }
}
