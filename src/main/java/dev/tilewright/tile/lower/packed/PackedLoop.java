package dev.tilewright.tile.lower.packed;

import dev.tilewright.NotNull;
import dev.tilewright.builder.pipeline.Arrivals;
import dev.tilewright.builder.pipeline.BarrierPipeline;
import dev.tilewright.builder.pipeline.BarrierRing;
import dev.tilewright.builder.pipeline.Filling;
import dev.tilewright.builder.pipeline.StageBuffer;
import dev.tilewright.builder.pipeline.ThreadRange;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.program.Body;
import dev.tilewright.program.Warp;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.tile.lower.layout.Held;
import dev.tilewright.tile.lower.layout.Team;
import java.util.List;
import java.util.function.Function;

/**
 * The turns of a {@link PackedPattern}, all parts of k at the same time, through a ring whose stages have a turn of
 * each.
 */
public final class PackedLoop {
    private static final int LINE = 128;

    private final PackedPattern pattern;
    private final StageBuffer leftStages;
    private final StageBuffer packedStages;
    private final BarrierRing ring;
    private final PackedSums partSums;

    /** Of this many stages. */
    public PackedLoop(PackedPattern pattern, int stages) {
        NotNull.all("pattern", pattern);
        this.pattern = pattern;
        leftStages = StageBuffer.of(pattern.a().tensor().name() + "_tiles", slots() * pattern.leftBytes(), 1024);
        packedStages = StageBuffer.of(pattern.bytes().tensor().name() + "_tiles", slots() * pattern.packedBytes(),
                1024);
        ring = BarrierRing.stages(stages).buffer(leftStages).buffer(packedStages)
                .consumers(ThreadRange.first(threads()), Arrivals.EACH_WARP).releasesOfSharedMemory().build();
        partSums = new PackedSums(pattern);
    }

    /** Bytes of shared memory for sums of parts. */
    public static int sumBytes(PackedPattern pattern) {
        NotNull.all("pattern", pattern);
        return PackedSums.bytes(pattern);
    }

    /** Parts of which a stage has a turn. */
    private int slots() {
        return pattern.partsAtOnce();
    }

    /** Threads that multiply. */
    public int threads() {
        return Warp.LANES * pattern.warps();
    }

    public BarrierRing ring() {
        return ring;
    }

    /** What it has in shared memory besides the ring. */
    public SharedRegion partSums() {
        return partSums.buffer();
    }

    /** How the copy engine swizzles the bytes. */
    public Swizzle swizzle() {
        return switch (pattern.rowBytes()) {
            case 32 -> Swizzle.B32;
            case 64 -> Swizzle.B64;
            default -> Swizzle.B128;
        };
    }

    /** Extents of a box of bytes, outermost first. */
    public List<Integer> packedBox() {
        return List.of(pattern.sums().getLast(), pattern.rowBytes());
    }

    /** Extents of a box of the left factor, whose rows are swizzled by 128 bytes. */
    public List<Integer> leftBox() {
        return List.of(pattern.sums().getFirst(), LINE / Short.BYTES);
    }

    /** Maps of the factors, and where a turn's boxes begin, innermost first. */
    public record Sources(Parameter.TensorMap left, Function<Expr, List<Expr>> leftStart, Parameter.TensorMap packed,
            Function<Expr, List<Expr>> packedStart) {
        public Sources {
            NotNull.all("left, leftStart, packed, packedStart", left, leftStart, packed, packedStart);
        }
    }

    /** Turns of the whole of k, those of a part, and stages of all tiles before. */
    public record Turns(Expr all, Expr ofPart, Expr before) {
        public Turns {
            NotNull.all("all, ofPart, before", all, ofPart, before);
        }

        /** Which stage has a turn of a round. */
        Expr stage(Expr round, Expr turn) {
            return before.plus(round.times(ofPart)).plus(turn);
        }
    }

    /** Stages that a tile takes. @param all turns of the whole of k @param ofPart those of a part */
    public Expr stagesOfTile(Expr all, Expr ofPart) {
        NotNull.all("all, ofPart", all, ofPart);
        Expr sum = ofPart;
        for (int round = 1; round < pattern.rounds(); round++) {
            sum = sum.plus(stagesOfRound(all, ofPart, Expr.of(round)));
        }
        return sum;
    }

    /** Turns that the first part of a round has. */
    private Expr stagesOfRound(Expr all, Expr ofPart, Expr round) {
        return pattern.rounds() == 1 ? ofPart : all.minus(round.times(slots()).times(ofPart)).min(ofPart).max(0);
    }

    /** Starts the copies of a tile. @param first stages of it that were begun before */
    public void load(Body body, BarrierPipeline pipe, Sources from, Turns turns, Expr first) {
        NotNull.all("body, pipe, from, turns, first", body, pipe, from, turns, first);
        pattern.eachRound(body, (ofRound, round) -> {
            Expr begun = pattern.rounds() == 1 ? first : round.isEqualTo(0).choose(first, 0);
            Expr stages = stagesOfRound(turns.all, turns.ofPart, round);
            ofRound.purpose("along each part of k").loop("turn", begun, stages, 1, (each, turn) -> {
                Filling stage = acquire(each, pipe, turns, round, turn);
                forEachPart(each, turns, round, turn, (one, slot, of) -> {
                    loadPacked(one, stage, from, slot, of);
                    loadLeft(one, stage, from, slot, of);
                });
                pipe.commit(each, stage);
            });
        });
    }

    /**
     * Starts the copies of the right factor into a block's first stages, waits for the launch in front, and starts
     * those of the left one.
     *
     * @param begun stages of the first parts, no more than there are
     */
    public void loadAhead(Body body, BarrierPipeline pipe, Sources from, Turns turns, Expr begun) {
        NotNull.all("body, pipe, from, turns, begun", body, pipe, from, turns, begun);
        body.purpose("along each part of k").loop("turn", begun, (each, turn) -> {
            Filling stage = acquire(each, pipe, turns, Expr.of(0), turn);
            forEachPart(each, turns, Expr.of(0), turn, (one, slot, of) -> loadPacked(one, stage, from, slot, of));
            pipe.commit(each, stage);
        });
        body.purpose("wait for what the previous launch writes").waitForPriorGrid();
        body.purpose("along each part of k").loop("turn", begun, (each, turn) -> {
            Filling stage = pipe.acquiredBefore(each, turn);
            forEachPart(each, turns, Expr.of(0), turn, (one, slot, of) -> loadLeft(one, stage, from, slot, of));
            pipe.commit(each, stage);
        });
    }

    /** What is done for a part. */
    private interface PartCode {
        /** @param slot of the stage @param turn of the whole of k */
        void accept(Body body, Expr slot, Expr turn);
    }

    private void forEachPart(Body body, Turns turns, Expr round, Expr turn, PartCode code) {
        body.purpose("one part after another").loop("slot", copies(turns, round, turn), (one, slot) ->
                code.accept(one, slot, one.let("of", round.times(slots()).plus(slot).times(turns.ofPart).plus(turn))));
    }

    /** Parts of a round that have a turn. */
    private Expr copies(Turns turns, Expr round, Expr turn) {
        Expr parts = turns.all.minus(turn).plus(turns.ofPart).minus(1).dividedBy(turns.ofPart);
        return pattern.rounds() == 1 ? parts : parts.minus(round.times(slots())).min(slots());
    }

    private Filling acquire(Body body, BarrierPipeline pipe, Turns turns, Expr round, Expr turn) {
        return pipe.acquire(body, turns.stage(round, turn), copies(turns, round, turn)
                .times(pattern.leftBytes() + pattern.packedBytes()));
    }

    private void loadPacked(Body body, Filling stage, Sources from, Expr slot, Expr turn) {
        body.purpose("a box of '" + pattern.bytes().tensor().name() + "'").tensorLoad(stage.at(packedStages,
                slot.times(pattern.packedBytes())), from.packed, from.packedStart.apply(turn), stage.full());
    }

    private void loadLeft(Body body, Filling stage, Sources from, Expr slot, Expr turn) {
        for (int panel = 0; panel < pattern.panels(); panel++) {
            List<Expr> start = from.leftStart.apply(turn);
            Expr along = start.getFirst().plus(panel * leftBox().getLast());
            body.purpose("a box of '" + pattern.a().tensor().name() + "'").tensorLoad(stage.at(leftStages,
                    slot.times(pattern.leftBytes()).plus(panel * pattern.sums().getFirst() * LINE)), from.left,
                    List.of(along, start.getLast()), stage.full());
        }
    }

    /**
     * Adds all turns' products, and the parts' sums, to registers.
     *
     * @param scale where the scale of a column of the tile is, in a turn
     * @param to the tile's sums
     */
    public void multiply(Body body, BarrierPipeline pipe, Turns turns, Scale scale, Team team, Held to) {
        NotNull.all("body, pipe, turns, scale, team, to", body, pipe, turns, scale, team, to);
        pattern.eachRound(body, (each, round) -> {
            RingWarp warp = new RingWarp(each, pattern, new RingWarp.Stages(leftStages, packedStages, pipe), turns,
                    scale, round);
            warp.write(stagesOfRound(turns.all, turns.ofPart, round));
            partSums.collect(each, warp.result(), team, to, round);
        });
    }

    /** Where scales are. */
    public interface Scale {
        /** A column's scale, in elements, behind which that of the next turn is. @param column of the tile */
        Expr place(Expr column, Expr turn);

        /** @param place in elements */
        Address at(Expr place);
    }
}
