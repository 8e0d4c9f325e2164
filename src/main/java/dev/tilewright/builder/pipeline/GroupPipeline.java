package dev.tilewright.builder.pipeline;

import dev.tilewright.NotNull;
import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr;
import java.util.Optional;

/**
 * A {@link GroupRing} in use by a kernel. Every thread performs every turn: waits for the turn's stage, fills and
 * commits the one that is {@code ahead} turns later, reads its own. {@link #overlap} does all of it; the single steps
 * are for loops that it does not suit.
 *
 * <p>Groups count turns, so that a turn is committed also where there is nothing to load. A turn is a number that
 * counts from 0 in every thread.
 */
public final class GroupPipeline extends RingUse {
    private final GroupRing ring;

    GroupPipeline(GroupRing ring) {
        super(ring.memory);
        this.ring = ring;
    }

    /** What is in use. */
    public GroupRing ring() {
        return ring;
    }

    /**
     * A thread's place in the ring, for loops without a variable that counts turns.
     *
     * @param name of its registers
     */
    public RingCursor cursor(Body body, String name) {
        NotNull.all("body, name", body, name);
        return RingCursor.start(body, memory, name);
    }

    /**
     * The stage that a turn fills.
     *
     * @param turn counts from 0
     */
    public Filling acquire(Body body, int turn) {
        return acquire(body, Expr.of(turn));
    }

    /**
     * Takes a stage to fill it. It is free: in the first laps no one has used it, and later a thread comes here behind
     * the wait of a turn after the last one that read it (behind its release, where all stages are filled ahead).
     *
     * @param turn counts from 0
     */
    public Filling acquire(Body body, Expr turn) {
        NotNull.all("body, turn", body, turn);
        requireOpen("acquired");
        return opened(new Filling(memory, RingPosition.of(turn, memory.stages()), Optional.empty()));
    }

    /** Takes the cursor's stage to fill it, and moves the cursor on. */
    public Filling acquire(Body body, RingCursor cursor) {
        NotNull.all("body, cursor", body, cursor);
        requireOpen("acquired");
        return opened(new Filling(memory, cursor.take(body, memory), Optional.empty()));
    }

    /** Closes the thread's group of copies of a turn. */
    public void commit(Body body, Filling stage) {
        NotNull.all("body, stage", body, stage);
        requireOpen("committed");
        stage.close(memory, "committed");
        body.purpose("close this turn's group").cpAsyncCommit();
    }

    /** Fills and commits a turn's stage where a condition holds. */
    public void fillWhere(Body body, Expr condition, int turn, StageCode<Filling> fill) {
        fillWhere(body, condition, Expr.of(turn), fill);
    }

    /** Fills and commits a turn's stage where a condition holds, and else commits an empty group. */
    public void fillWhere(Body body, Expr condition, Expr turn, StageCode<Filling> fill) {
        NotNull.all("body, condition, turn, fill", body, condition, turn, fill);
        fillWhere(body, condition, turn, RingPosition.of(turn, memory.stages()), fill);
    }

    private void fillWhere(Body body, Expr condition, Expr turn, RingPosition position, StageCode<Filling> fill) {
        requireOpen("acquired");
        Filling stage = new Filling(memory, position, Optional.empty());
        body.purpose("if there is such a turn").when(condition, more -> fill.write(more, turn, stage));
        stage.close(memory, "committed");
        body.purpose("close this turn's group, even if empty, so that groups count turns").cpAsyncCommit();
    }

    /**
     * Waits until the turn's stage has landed.
     *
     * @param turn counts from 0
     */
    public Landed await(Body body, int turn) {
        return await(body, Expr.of(turn));
    }

    /**
     * Waits until the turn's stage has landed, and for the others who copied into it.
     *
     * @param turn counts from 0
     */
    public Landed await(Body body, Expr turn) {
        NotNull.all("body, turn", body, turn);
        requireOpen("waited for");
        waitForOldest(body);
        RingPosition position = RingPosition.of(turn, memory.stages());
        return opened(new Landed(memory, new RingPosition(body.purpose("the stage that has landed")
                .let("stage", position.stage()), position.parity())));
    }

    /**
     * Waits until the turn's stage has landed, and for the others who copied into it.
     *
     * @param turn counts from 0
     * @param own what a thread does before that with what it copied itself
     */
    public Landed await(Body body, int turn, StageCode<Landed> own) {
        return await(body, Expr.of(turn), own);
    }

    /**
     * Waits until the turn's stage has landed, and for the others who copied into it.
     *
     * @param turn counts from 0
     * @param own what a thread does before that with what it copied itself
     */
    public Landed await(Body body, Expr turn, StageCode<Landed> own) {
        NotNull.all("body, turn, own", body, turn, own);
        requireOpen("waited for");
        body.purpose("this thread's share of the oldest stage has landed").cpAsyncWait(ring.ahead - 1);
        RingPosition position = RingPosition.of(turn, memory.stages());
        Landed stage = opened(new Landed(memory, new RingPosition(body.purpose("the stage that has landed")
                .let("stage", position.stage()), position.parity())));
        own.write(body, turn, stage);
        meet(body);
        return stage;
    }

    /** Waits until the cursor's stage has landed, and for the others who copied into it; moves the cursor on. */
    public Landed await(Body body, RingCursor cursor) {
        NotNull.all("body, cursor", body, cursor);
        requireOpen("waited for");
        waitForOldest(body);
        return opened(new Landed(memory, cursor.take(body, memory)));
    }

    /**
     * A turn's stage that was waited for before.
     *
     * @param turn counts from 0
     */
    public Landed landedBefore(Body body, int turn) {
        return landedBefore(body, Expr.of(turn));
    }

    /**
     * A turn's stage that was waited for before, and that no thread has filled since.
     *
     * @param turn counts from 0
     */
    public Landed landedBefore(Body body, Expr turn) {
        NotNull.all("body, turn", body, turn);
        requireOpen("waited for");
        RingPosition position = RingPosition.of(turn, memory.stages());
        return opened(new Landed(memory, new RingPosition(body.purpose("its stage").let("stage", position.stage()),
                position.parity())));
    }

    private void waitForOldest(Body body) {
        body.purpose("this thread's share of the oldest stage has landed").cpAsyncWait(ring.ahead - 1);
        meet(body);
    }

    private void meet(Body body) {
        meet(body, free() ? "all shares have landed, and all threads are done with the stage that is filled next"
                : "all shares have landed");
    }

    /** Whether a stage is free to be filled as soon as the next one has landed everywhere. */
    private boolean free() {
        return ring.ahead < memory.count();
    }

    private void meet(Body body, String purpose) {
        switch (ring.readers) {
            case BLOCK -> body.purpose(purpose).syncThreads();
            case WARP -> body.purpose(purpose).syncWarp();
            case THREAD -> { }
        }
    }

    /** Says that this thread reads a stage no more. */
    public void release(Body body, Landed stage) {
        NotNull.all("body, stage", body, stage);
        requireOpen("released");
        stage.close(memory, "released");
        if (!free()) {
            meet(body, "all are done with the stage, which is filled next");
        }
    }

    /**
     * Fills stages ahead while earlier ones are read.
     *
     * @param turns how many there are
     */
    public void overlap(Body body, int turns, StageCode<Filling> fill, StageCode<Landed> read) {
        overlap(body, Expr.of(turns), fill, read);
    }

    /**
     * All turns: the first stages are filled, then each turn waits for its stage, fills the one that is due next and
     * reads its own (reads before it fills, where all stages are filled ahead).
     *
     * @param fill adds the steps that start the copies into a stage; they stand in the kernel twice, so that long ones
     *     are better a procedure
     * @param read adds the steps that read one
     */
    public void overlap(Body body, Expr turns, StageCode<Filling> fill, StageCode<Landed> read) {
        NotNull.all("body, turns, fill, read", body, turns, fill, read);
        body.purpose("fill the first stages, a group for each").loop("turn", ring.namedAhead(),
                (each, turn) -> fillWhere(each, turn.lessThan(turns), turn, RingPosition.first(turn), fill));
        body.purpose("one tile a turn").loop("turn", turns, (each, turn) -> {
            if (free()) {
                requireOpen("waited for");
                waitForOldest(each);
                fillNext(each, turn, turns, fill);
                RingPosition position = RingPosition.of(turn, memory.stages());
                read.write(each, turn, new Landed(memory, new RingPosition(
                        each.purpose("the stage that has landed").let("stage", position.stage()),
                        position.parity())));
            } else {
                Landed stage = await(each, turn);
                read.write(each, turn, stage);
                release(each, stage);
                fillNext(each, turn, turns, fill);
            }
        });
    }

    private void fillNext(Body body, Expr turn, Expr turns, StageCode<Filling> fill) {
        Expr next = body.purpose("the turn whose stage is filled next").let("next", turn.plus(ring.namedAhead()));
        fillWhere(body, next.lessThan(turns), next, fill);
    }

    /**
     * Ends the ring's use in this kernel.
     *
     * @throws IllegalStateException if a stage was acquired and never committed, or waited for and never released
     */
    public void close() {
        end();
    }

    /** {@code pipeline through ring a}. */
    @Override
    public String toString() {
        return "pipeline through " + ring;
    }
}
