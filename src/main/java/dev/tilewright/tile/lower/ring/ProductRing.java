package dev.tilewright.tile.lower.ring;

import dev.tilewright.NotNull;
import dev.tilewright.builder.pipeline.Filling;
import dev.tilewright.builder.pipeline.GroupPipeline;
import dev.tilewright.builder.pipeline.GroupRing;
import dev.tilewright.builder.pipeline.Landed;
import dev.tilewright.builder.pipeline.StageBuffer;
import dev.tilewright.builder.pipeline.StageCode;
import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.ptx.mma.MmaTypes;
import dev.tilewright.tile.lower.layout.Held;
import dev.tilewright.tile.lower.layout.Team;
import java.util.List;
import java.util.function.Function;

/**
 * A loop's products through a ring of stages: all threads of a block start {@code cp.async} copies of the factors some
 * turns ahead, and multiply by {@code mma.sync} what has landed.
 */
public final class ProductRing {
    private final RingPattern pattern;
    private final Team team;
    private final int stages;
    private final GroupRing ring;
    private final Function<RingProduct, MmaTypes> types;

    /** @param stages 2 or more @param types what tensor cores call a product's */
    public ProductRing(RingPattern pattern, Team team, int stages, Function<RingProduct, MmaTypes> types) {
        NotNull.all("pattern, team, types", pattern, team, types);
        this.pattern = pattern;
        this.team = team;
        this.stages = stages;
        this.types = types;
        this.ring = GroupRing.stages(stages).buffer(StageBuffer.of("stages", pattern.bytes())).build();
    }

    /** What the loop adds up. */
    public RingPattern pattern() {
        return pattern;
    }

    /** How many stages there are. */
    public int stages() {
        return stages;
    }

    /** Shared memory of all stages, which is free before and after the loop. */
    public SharedRegion.Buffer memory() {
        return (SharedRegion.Buffer) ring.regions().getFirst();
    }

    /**
     * Adds the products of turns.
     *
     * @param sums of each product, as {@code mma.sync} takes them
     * @param first turn
     * @param end behind the last, 64 bits both
     */
    public void turns(Body body, RingSources sources, List<Held> sums, Expr first, Expr end) {
        NotNull.all("body, sources, sums, first, end", body, sources, sums, first, end);
        Expr count = body.purpose("how many turns").let("turns", end.minus(first).as(IntType.S32));
        body.purpose("no thread needs what lies in the stages").syncThreads();
        List<RingCopies> copies = pattern.factors().stream().map(factor -> new RingCopies(factor, team.threads(),
                pattern.offset(factor))).toList();
        RingProducts products = RingProducts.of(body, pattern, sums, types);
        GroupPipeline pipe = ring.open(body);
        StageCode<Filling> fill = (b, turn, stage) -> {
            sources.turn(first.plus(turn.toS64()));
            copies.forEach(factor -> factor.start(b, stage, sources));
        };
        List<RingCopies> rounded = copies.stream().filter(RingCopies::isRounded).toList();
        body.purpose("if there are any").when(count.greaterThan(0), some -> turns(some, pipe, count, new Moves(fill,
                rounded), products));
        pipe.close();
    }

    /**
     * What threads do to bring a turn's factors.
     *
     * @param fill starts copies
     * @param rounded factors that a thread rounds when its own copies of them have landed
     */
    private record Moves(StageCode<Filling> fill, List<RingCopies> rounded) {
        /** Waits for a turn's stage. @param turn of which there is a stage @param isNew whether it came for it */
        Landed await(Body body, GroupPipeline pipe, Expr turn, Expr isNew) {
            return rounded.isEmpty() ? pipe.await(body, turn) : pipe.await(body, turn, (b, _, stage) ->
                    b.purpose("if it is not the last again").when(isNew, some -> rounded.forEach(factor ->
                            factor.round(some, stage))));
        }
    }

    /**
     * Each turn reads what the next begins with before its own last products, so that tensor cores do not wait while
     * threads meet.
     */
    private void turns(Body body, GroupPipeline pipe, Expr count, Moves moves, RingProducts products) {
        int ahead = stages - 1;
        body.purpose("fill the first stages, a group for each").loop("turn", ahead, (each, turn) ->
                pipe.fillWhere(each, turn.lessThan(count), turn, moves.fill));
        Landed begun = moves.await(body, pipe, Expr.of(0), count.greaterThan(0));
        RingProducts.Operands operands = products.operands(body);
        operands.read(body, begun, 0);
        pipe.release(body, begun);
        body.purpose("along k").loop("turn", count, (each, turn) -> {
            Expr next = each.purpose("the turn whose stage is filled next").let("next", turn.plus(ahead));
            pipe.fillWhere(each, next.lessThan(count), next, moves.fill);
            int last = products.steps() - 1;
            Landed now = pipe.landedBefore(each, turn);
            for (int step = 0; step < last; step++) {
                operands.read(each, now, step + 1);
                operands.multiply(each, step);
            }
            pipe.release(each, now);
            if (products.isOneBuffer()) {
                operands.multiply(each, last);
            }
            Landed after = moves.await(each, pipe, turn.plus(1).min(count.minus(1)), turn.plus(1).lessThan(count));
            operands.read(each, after, 0);
            pipe.release(each, after);
            if (!products.isOneBuffer()) {
                operands.multiply(each, last);
            }
        });
    }
}
