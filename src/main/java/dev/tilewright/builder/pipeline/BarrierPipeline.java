package dev.tilewright.builder.pipeline;

import dev.tilewright.NotNull;
import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Token;
import java.util.Objects;

/**
 * A {@link BarrierRing} in use by a kernel: producers acquire a stage, fill it and commit it, consumers wait for it,
 * read it and release it. Each method adds the steps of one of these, for the threads that reach it there: producers'
 * are for the producing threads alone, consumers' for the consuming ones.
 *
 * <p>A turn is a number that counts from 0 in every thread, usually a loop's variable: stage and parity follow from it,
 * also in the first lap, where every stage is free. What is known when the kernel is built is refused then: a stage
 * that is committed or released twice or never, one that is acquired behind the tail.
 */
public final class BarrierPipeline extends ProducerSteps {
    BarrierPipeline(BarrierRing ring) {
        super(ring);
    }

    /**
     * Waits until the turn's stage is full.
     *
     * @param turn counts from 0
     */
    public Landed await(Body body, int turn) {
        return await(body, Expr.of(turn));
    }

    /**
     * Waits until the turn's stage is full.
     *
     * @param turn counts from 0
     */
    public Landed await(Body body, Expr turn) {
        return await(body, at(body, turn));
    }

    /** Waits until the stage at a cursor is full, and moves the cursor on. */
    public Landed await(Body body, RingCursor cursor) {
        NotNull.all("body, cursor", body, cursor);
        return await(body, cursor.take(body, memory));
    }

    /** Waits until the stage at a position is full. */
    public Landed await(Body body, RingPosition position) {
        NotNull.all("body, position", body, position);
        if (ring.consumersArrive) {
            return await(body, arrive(body, position));
        }
        requireOpen("waited for");
        waits.full(body, position);
        return opened(new Landed(memory, position));
    }

    /**
     * Asks once whether a stage is full, without waiting for long.
     *
     * @return for {@link #await(Body, RingPosition,
     * Tried)}
     */
    public Tried tryAwait(Body body, RingPosition position) {
        NotNull.all("body, position", body, position);
        requireOpen("waited for");
        requireNoTokens();
        return waits.tryFull(body, position);
    }

    /**
     * Waits until a stage is full unless it was found full before.
     *
     * @param tried of the same position
     */
    public Landed await(Body body, RingPosition position, Tried tried) {
        NotNull.all("body, position, tried", body, position, tried);
        requireOpen("waited for");
        body.purpose("unless it was full already").when(tried.done().isEqualTo(0), b -> waits.full(b, position));
        return opened(new Landed(memory, position));
    }

    private void requireNoTokens() {
        if (ring.consumersArrive) {
            throw new IllegalStateException("consumers of ring " + memory.title() + " wait with the token of their own "
                    + "arrival: arrive first");
        }
    }

    /**
     * Arrives for a stage early, to wait for it later, where {@link BarrierRing.Builder#consumersArrive} was chosen.
     *
     * @param position of a turn whose predecessor in the same stage this thread has waited for
     */
    public Arrived arrive(Body body, RingPosition position) {
        NotNull.all("body, position", body, position);
        requireOpen("arrived for");
        if (!ring.consumersArrive) {
            throw new IllegalStateException("consumers of ring " + memory.title()
                    + " do not arrive for a stage: they wait by its parity, or choose consumersArrive()");
        }
        Token token = body.purpose("arrive for the stage, and remember the phase")
                .arrive(ring.full.at(position.stage())).token("phase");
        return new Arrived(memory, position, token);
    }

    /** Waits until a stage is full that this thread has arrived for. */
    public Landed await(Body body, Arrived arrived) {
        NotNull.all("body, arrived", body, arrived);
        requireOpen("waited for");
        arrived.useIn(memory);
        body.purpose("all threads have arrived and all bytes have landed").waitToken(ring.full.at(arrived.position()
                .stage()),
                arrived.token());
        return opened(new Landed(memory, arrived.position()));
    }

    /**
     * A stage that this thread has waited for in an earlier turn of a loop and kept ({@link Landed#keep}), to be
     * released: where tensor cores still read the stage before while the present one is waited for.
     *
     * @param position of that turn
     */
    public Landed landedBefore(RingPosition position) {
        Objects.requireNonNull(position, "position");
        requireOpen("released");
        if (ring.stages() == 1) {
            throw new IllegalStateException("ring " + memory.title() + " has one stage, which is not filled again "
                    + "before it is released: release it in its own turn, or have 2 stages");
        }
        return opened(new Landed(memory, position));
    }

    /** A stage that an earlier turn has waited for, at a cursor, which moves on. */
    public Landed landedBefore(Body body, RingCursor cursor) {
        NotNull.all("body, cursor", body, cursor);
        return landedBefore(cursor.take(body, memory));
    }

    /** Hands a stage back to its producers: this thread reads it no more. */
    public void release(Body body, Landed stage) {
        NotNull.all("body, stage", body, stage);
        requireOpen("released");
        stage.close(memory, "released");
        switch (ring.release) {
            case SAME_THREAD -> { }
            case SYNC_THREADS -> body.purpose("every thread is done with the stage").syncThreads();
            case EMPTY_BARRIERS -> ThreadArrival.release(body, ring, stage.index());
        }
    }

    /**
     * Waits, in a producer, until the consumers have released a turn's stage: for one that stores what they have made
     * of it before it fills the stage again.
     *
     * @return the stage, which is not released once more
     */
    public Landed awaitReleased(Body body, RingPosition position) {
        NotNull.all("body, position", body, position);
        requireEmptyBarriers("waited for until they are released");
        waits.released(body, position);
        return new Landed(memory, position);
    }

    /**
     * Reads and releases a stage in each turn, for the consuming threads.
     *
     * @param turns how many there are
     */
    public void consume(Body body, int turns, StageCode<Landed> read) {
        consume(body, Expr.of(turns), read);
    }

    /** All turns of the consumers: waits for a stage in each, reads it, releases it. */
    public void consume(Body body, Expr turns, StageCode<Landed> read) {
        NotNull.all("body, turns, read", body, turns, read);
        body.purpose("read a stage a turn").loop("turn", turns, (each, turn) -> {
            Landed stage = await(each, turn);
            read.write(each, turn, stage);
            release(each, stage);
        });
    }

    /**
     * Turns in which the threads that read also fill stages ahead.
     *
     * @param turns how many there are
     */
    public Overlap overlap(int turns) {
        return overlap(Expr.of(turns));
    }

    /**
     * All turns of threads that fill stages ahead of the ones that they read: choose options, and then {@code write}.
     */
    public Overlap overlap(Expr turns) {
        Objects.requireNonNull(turns, "turns");
        requireOpen("acquired");
        return new Overlap(this, turns);
    }

    /**
     * Ends the ring's use in this kernel. Where blocks load for each other and no tail has been written, all threads of
     * the cluster wait here for each other.
     *
     * @throws IllegalStateException if a stage was acquired and never committed, or waited for and never released
     */
    public void close(Body body) {
        Objects.requireNonNull(body, "body");
        end();
        if (!ring.share.isAlone() && !hasTail()) {
            body.purpose("no block exits while others may arrive at its barriers").clusterSync();
        }
    }

    /** {@code pipeline through ring a}. */
    @Override
    public String toString() {
        return "pipeline through " + ring;
    }
}
