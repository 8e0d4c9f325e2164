package dev.tilewright.builder.pipeline;

import dev.tilewright.NotNull;
import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.ptx.fence.FenceProxyAsync;
import dev.tilewright.ptx.mbarrier.CpAsyncMbarrierArrive;
import java.util.Optional;

/** The part of a {@link BarrierPipeline} for producers: places in the ring, and stages to acquire and to commit. */
public abstract sealed class ProducerSteps extends RingUse permits BarrierPipeline {
    final BarrierRing ring;
    final RingWaits waits;
    private boolean tail;

    ProducerSteps(BarrierRing ring) {
        super(ring.memory);
        this.ring = ring;
        this.waits = new RingWaits(ring);
    }

    /** What is in use. */
    public BarrierRing ring() {
        return ring;
    }

    /**
     * The position of a turn in the ring.
     *
     * @param turn counts from 0
     */
    public RingPosition at(Body body, int turn) {
        return at(body, Expr.of(turn));
    }

    /**
     * Names the stage of a turn, for several uses of it.
     *
     * @param turn counts from 0
     */
    public RingPosition at(Body body, Expr turn) {
        NotNull.all("body, turn", body, turn);
        RingPosition position = RingPosition.of(turn, memory.stages());
        return new RingPosition(body.purpose("this turn's stage").let("stage", position.stage()), position.parity());
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
     * A thread's place in the ring from some turn on.
     *
     * @param name of its registers
     * @param turn counts from 0
     */
    public RingCursor cursor(Body body, String name, int turn) {
        return cursor(body, name, Expr.of(turn));
    }

    /**
     * A thread's place in the ring from some turn on: for loops that would divide to find each of theirs.
     *
     * @param name of its registers
     * @param turn counts from 0
     */
    public RingCursor cursor(Body body, String name, Expr turn) {
        NotNull.all("body, name, turn", body, name, turn);
        return RingCursor.start(body, memory, name, RingPosition.of(turn, memory.stages()));
    }

    /**
     * Waits until the turn's stage is free.
     *
     * @param turn counts from 0
     */
    public Filling acquire(Body body, int turn) {
        return acquire(body, Expr.of(turn));
    }

    /**
     * Waits until the turn's stage is free. The copy engine's full barrier is told of all its bytes.
     *
     * @param turn counts from 0
     */
    public Filling acquire(Body body, Expr turn) {
        NotNull.all("body, turn", body, turn);
        return acquire(body, at(body, turn));
    }

    /**
     * Waits until the turn's stage is free, and announces fewer or other bytes than the stage has.
     *
     * @param bytes by the copy engine
     */
    public Filling acquire(Body body, int turn, int bytes) {
        return acquire(body, Expr.of(turn), Expr.of(bytes));
    }

    /**
     * Waits until the turn's stage is free, and announces fewer or other bytes than the stage has.
     *
     * @param bytes by the copy engine
     */
    public Filling acquire(Body body, Expr turn, int bytes) {
        return acquire(body, turn, Expr.of(bytes));
    }

    /**
     * Waits until the turn's stage is free, and announces fewer or other bytes than the stage has.
     *
     * @param bytes by the copy engine, 32 bits
     */
    public Filling acquire(Body body, int turn, Expr bytes) {
        return acquire(body, Expr.of(turn), bytes);
    }

    /**
     * Waits until the turn's stage is free, and announces fewer or other bytes than the stage has.
     *
     * @param bytes by the copy engine, 32 bits
     */
    public Filling acquire(Body body, Expr turn, Expr bytes) {
        NotNull.all("body, turn, bytes", body, turn, bytes);
        return acquire(body, at(body, turn), bytes);
    }

    /** Waits until the stage at a cursor is free, and moves the cursor on. */
    public Filling acquire(Body body, RingCursor cursor) {
        NotNull.all("body, cursor", body, cursor);
        return acquire(body, cursor.take(body, memory));
    }

    /** Waits until the stage at a position is free. */
    public Filling acquire(Body body, RingPosition position) {
        NotNull.all("body, position", body, position);
        return acquired(body, position, true, allBytes());
    }

    /**
     * Waits until the stage at a position is free, and announces a number of bytes of one's own.
     *
     * @param bytes by the copy engine
     */
    public Filling acquire(Body body, RingPosition position, int bytes) {
        return acquire(body, position, Expr.of(bytes));
    }

    /**
     * Waits until the stage at a position is free, and announces a number of bytes of one's own.
     *
     * @param bytes by the copy engine, 32 bits
     */
    public Filling acquire(Body body, RingPosition position, Expr bytes) {
        NotNull.all("body, position, bytes", body, position, bytes);
        return acquired(body, position, true, bytes);
    }

    /**
     * Asks once whether a stage is free, without waiting for long: for producers that have other work meanwhile.
     *
     * @return 1 if it is, else 0; for {@link #acquire(Body, RingPosition, Tried)}
     */
    public Tried tryAcquire(Body body, RingPosition position) {
        NotNull.all("body, position", body, position);
        requireEmptyBarriers("tried to acquire");
        return waits.tryFree(body, position);
    }

    /**
     * Waits until a stage is free unless it was found free before.
     *
     * @param tried of the same position
     */
    public Filling acquire(Body body, RingPosition position, Tried tried) {
        NotNull.all("body, position, tried", body, position, tried);
        requireOpen("acquired");
        body.purpose("unless it was free already").when(tried.done().isEqualTo(0), b -> waits.pollFree(b, position));
        waits.acquireShared(body);
        return acquired(body, position, false, allBytes());
    }

    /**
     * A stage that this thread has acquired before and committed, to be filled further.
     *
     * @param turn counts from 0
     */
    public Filling acquiredBefore(Body body, int turn) {
        return acquiredBefore(body, Expr.of(turn));
    }

    /**
     * A stage that this thread has acquired in an earlier turn of a loop and committed, to be filled further: where a
     * part of it can be started before the rest.
     *
     * @param turn counts from 0
     * @throws IllegalStateException if its stages are not filled by the copy engine alone, whose bytes are all
     *     announced when a stage is acquired
     */
    public Filling acquiredBefore(Body body, Expr turn) {
        NotNull.all("body, turn", body, turn);
        requireOpen("filled further");
        if (ring.fill != StageFill.COPY_ENGINE) {
            throw new IllegalStateException("a stage of ring " + memory.title() + " is filled by " + ring.fill
                    + ", and only one by " + StageFill.COPY_ENGINE + " can be filled further");
        }
        RingPosition position = at(body, turn);
        return opened(new Filling(memory, position, Optional.of(ring.full.at(position.stage()))));
    }

    /** A stage in its first lap, when it is free. */
    Filling acquireFirst(Body body, Expr turn) {
        return acquired(body, RingPosition.first(turn), false, allBytes());
    }

    private Filling acquired(Body body, RingPosition position, boolean wait, Expr bytes) {
        requireOpen("acquired");
        if (tail) {
            throw new IllegalStateException("a stage of ring " + memory.title()
                    + " is acquired behind the tail, which waits for all stages to be free for good: put the tail "
                    + "last");
        }
        if (wait && ring.hasEmptyBarriers()) {
            waits.free(body, position);
        }
        Optional<Address.Barrier> full = Optional.empty();
        if (ring.fill.hasCopyEngine()) {
            full = Optional.of(announce(body, ring.full.at(position.stage()), bytes));
        } else if (bytes != null) {
            throw new IllegalArgumentException("only copies of the copy engine are announced, ring " + memory.title()
                    + " is filled by " + ring.fill);
        }
        return opened(new Filling(memory, position, full));
    }

    /** The bytes of a stage where one thread has the copy engine fill all of it; null where none are announced. */
    private Expr allBytes() {
        if (ring.fill == StageFill.COPY_ENGINE_AND_STORES) {
            throw new IllegalArgumentException("of a stage of ring " + memory.title()
                    + " the copy engine fills a part: say how many bytes, with acquire(body, turn, bytes)");
        }
        return ring.fill == StageFill.COPY_ENGINE ? memory.bytes() : null;
    }

    private Address.Barrier announce(Body body, Address.Barrier full, Expr bytes) {
        if (ring.fill == StageFill.COPY_ENGINE) {
            body.purpose("announce its bytes").arriveExpectTx(full, bytes);
        } else {
            ring.producers.one(body.purpose("the thread that starts copies"),
                    one -> one.purpose("announces their bytes, and arrives when it commits").expectTx(full, bytes));
        }
        return full;
    }

    /** Says that a stage is filled, or will be when the copies into it have landed. */
    public void commit(Body body, Filling stage) {
        NotNull.all("body, stage", body, stage);
        requireOpen("committed");
        stage.close(memory, "committed");
        Expr index = stage.index();
        switch (ring.fill) {
            case COPY_ENGINE -> { }
            case CP_ASYNC -> body.purpose("arrive when this thread's copies have landed")
                    .issue(new CpAsyncMbarrierArrive().withNoinc(), Input.of(ring.full.at(index)));
            case STORES, COPY_ENGINE_AND_STORES -> {
                fence(body);
                ThreadArrival.write(body, ring.producerArrivals, "this thread has filled its share",
                        b -> b.arrive(ring.full.at(index)));
            }
            case CP_ASYNC_AND_STORES -> {
                fence(body);
                body.purpose("one arrival more, when this thread's copies have landed")
                        .issue(new CpAsyncMbarrierArrive(), Input.of(ring.full.at(index)));
                body.purpose("this thread has stored its share").arrive(ring.full.at(index));
            }
        }
    }

    private void fence(Body body) {
        if (ring.copyEngineReads) {
            body.purpose("the copy engine sees what this thread wrote").proxyFence(FenceProxyAsync.Memory.SHARED);
        }
    }

    /**
     * Waits until every stage is free for good, behind the last turn.
     *
     * @param turns how many turns there were
     */
    public void tail(Body body, int turns) {
        tail(body, Expr.of(turns));
    }

    /**
     * Waits until every stage is free for good, behind the last turn: in a cluster no block may exit while others still
     * release stages to it. For the producing thread.
     *
     * @param turns how many turns there were
     */
    public void tail(Body body, Expr turns) {
        NotNull.all("body, turns", body, turns);
        beginTail();
        body.purpose("drain: no stage is released after this").loop("last", memory.stages(), (each, last) ->
                waits.free(each, RingPosition.of(turns.plus(last), memory.stages())));
    }

    /** Waits until every stage is free for good, behind the last turn of a cursor. */
    public void tail(Body body, RingCursor cursor) {
        NotNull.all("body, cursor", body, cursor);
        beginTail();
        body.purpose("drain: no stage is released after this").loop("last", memory.stages(), (each, last) ->
                waits.free(each, cursor.take(each, memory)));
    }

    private void beginTail() {
        requireEmptyBarriers("waited for at the end");
        if (tail) {
            throw new IllegalStateException("ring " + memory.title() + " has two tails");
        }
        tail = true;
    }

    /**
     * Fills a stage in each turn, for the producing threads.
     *
     * @param turns how many there are
     */
    public void produce(Body body, int turns, StageCode<Filling> fill) {
        produce(body, Expr.of(turns), fill);
    }

    /** All turns of the producers: acquires a stage in each, fills it, commits it; then, in a cluster, the tail. */
    public void produce(Body body, Expr turns, StageCode<Filling> fill) {
        NotNull.all("body, turns, fill", body, turns, fill);
        body.purpose("fill a stage a turn").loop("turn", turns, (each, turn) -> {
            Filling stage = acquire(each, turn);
            fill.write(each, turn, stage);
            commit(each, stage);
        });
        if (!ring.share.isAlone()) {
            tail(body, turns);
        }
    }

    final void requireEmptyBarriers(String how) {
        requireOpen(how);
        if (!ring.hasEmptyBarriers()) {
            throw new IllegalStateException("stages of ring " + memory.title() + " cannot be " + how
                    + ": no empty barriers say when they are free");
        }
    }

    /** Whether a tail waits for all stages to be free for good. */
    final boolean hasTail() {
        return tail;
    }
}
