package dev.tilewright.builder.pipeline;

import dev.tilewright.NotNull;
import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * All turns of a group of threads that has both roles in a {@link BarrierRing}: the first stages are filled, then each
 * turn waits for its stage, reads it, releases it and fills the one that is due next.
 */
public final class Overlap {
    private final BarrierPipeline pipe;
    private final Expr turns;
    private Expr ahead;
    private Optional<Expr> loader = Optional.empty();
    private Optional<StageCode<Landed>> afterRelease = Optional.empty();
    private Optional<Consumer<Body>> beforeRefill = Optional.empty();

    Overlap(BarrierPipeline pipe, Expr turns) {
        this.pipe = pipe;
        this.turns = turns;
        this.ahead = pipe.ring().memory.stages();
    }

    /** How many turns are loading while one is read: 1 to the number of stages, which it is without this. */
    public Overlap ahead(int count) {
        int stages = pipe.ring().stages();
        if (count < 1 || count > stages) {
            throw new IllegalArgumentException("of " + stages + " stages, 1 to " + stages
                    + " can be filled ahead, got " + count);
        }
        Expr all = pipe.ring().memory.stages();
        ahead = count == stages ? all : all.minus(stages - count);
        return this;
    }

    /**
     * Sets which thread fills stages, if not every thread that gets here does.
     *
     * @param condition that holds in it
     */
    public Overlap filledWhere(Expr condition) {
        loader = Optional.of(Objects.requireNonNull(condition, "condition"));
        return this;
    }

    /**
     * Adds what the filling threads do in each turn between its release and the next fill, such as storing the tile.
     */
    public Overlap afterRelease(StageCode<Landed> code) {
        afterRelease = Optional.of(Objects.requireNonNull(code, "code"));
        return this;
    }

    /** Adds what the filling threads wait for before they fill a stage again, if there is more to fill. */
    public Overlap beforeRefill(Consumer<Body> code) {
        beforeRefill = Optional.of(Objects.requireNonNull(code, "code"));
        return this;
    }

    /**
     * Adds the steps.
     *
     * @param fill adds the steps that fill a stage; they stand in the kernel twice, so make long ones a procedure
     * @param read adds the steps that read one
     */
    public void write(Body body, StageCode<Filling> fill, StageCode<Landed> read) {
        NotNull.all("body, fill, read", body, fill, read);
        write(body, (each, turn) -> fill(each, turn, pipe.acquireFirst(each, turn), fill),
                (each, turn) -> fill(each, turn, pipe.acquire(each, position(turn)), fill), read);
    }

    /**
     * Adds the steps; the filling steps acquire and commit the stage themselves. For fills that compute what they
     * announce, or that are a procedure.
     */
    public void writeAcquiring(Body body, PositionCode fill, StageCode<Landed> read) {
        NotNull.all("body, fill, read", body, fill, read);
        write(body, (each, turn) -> fill.write(each, turn, RingPosition.first(turn)),
                (each, turn) -> fill.write(each, turn, position(turn)), read);
    }

    private void write(Body body, BiConsumer<Body, Expr> first, BiConsumer<Body, Expr> again, StageCode<Landed> read) {
        byLoader(body, one -> one.purpose("fill the first stages").loop("turn", turns.min(ahead), first::accept));
        body.purpose("one tile a turn").loop("turn", turns, (each, turn) -> {
            Landed stage = pipe.await(each, turn);
            read.write(each, turn, stage);
            pipe.release(each, stage);
            byLoader(each, one -> {
                afterRelease.ifPresent(code -> code.write(one, turn, stage));
                Expr next = one.purpose("the turn whose stage is filled next").let("next", turn.plus(ahead));
                one.purpose("if there is such a turn").when(next.lessThan(turns), more -> {
                    beforeRefill.ifPresent(code -> code.accept(more));
                    again.accept(more, next);
                });
            });
        });
    }

    private void fill(Body body, Expr turn, Filling stage, StageCode<Filling> fill) {
        fill.write(body, turn, stage);
        pipe.commit(body, stage);
    }

    private RingPosition position(Expr turn) {
        return RingPosition.of(turn, pipe.ring().memory.stages());
    }

    private void byLoader(Body body, Consumer<Body> code) {
        if (loader.isPresent()) {
            body.purpose("the thread that fills stages").when(loader.get(), code);
        } else {
            code.accept(body);
        }
    }

    /** {@code overlap of turns}. */
    @Override
    public String toString() {
        return "overlap of " + turns + " turns of " + pipe;
    }
}
