package dev.tilewright.tile.lower.packed;

import dev.tilewright.NotNull;
import dev.tilewright.builder.pipeline.Arrivals;
import dev.tilewright.builder.pipeline.BarrierPipeline;
import dev.tilewright.builder.pipeline.BarrierRing;
import dev.tilewright.builder.pipeline.Filling;
import dev.tilewright.builder.pipeline.Landed;
import dev.tilewright.builder.pipeline.StageBuffer;
import dev.tilewright.builder.pipeline.ThreadRange;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.mma.MmaShape;
import dev.tilewright.ptx.mma.MmaSync;
import dev.tilewright.ptx.mma.MmaTypes;
import dev.tilewright.ptx.warp.Ldmatrix;
import dev.tilewright.ptx.warp.MatrixCount;
import dev.tilewright.tile.lower.layout.Held;
import dev.tilewright.tile.lower.layout.Registers;
import dev.tilewright.tile.lower.layout.Team;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * The turns of a {@link PackedPattern}, all parts of k at the same time, through a ring whose stages have a turn of
 * each. A warp has 32 columns of a part, the rows of {@code mma.sync}'s left factor: {@code ldmatrix} brings their
 * bytes, of which it makes 16-bit floats in place. Of 16 neighbours along k a thread has four in a row: the sum of an
 * instruction does not depend on their order, so that the left factor's are taken in the same.
 */
public final class PackedLoop {
    private static final int WARP = 32;
    /** Of an instruction's left factor: columns of a tile. */
    private static final int ROWS = 16;
    /** Of its right one: rows of a tile. */
    private static final int COLUMNS = 8;
    private static final int DEPTH = 16;
    private static final int SUMS = 4;
    private static final int LINE = 128;
    private static final int CHUNK = 16;
    private static final int MATRICES = 4;
    private static final int BLOCKS = PackedPattern.WARP_COLUMNS / ROWS;

    private final PackedPattern pattern;
    private final StageBuffer leftStages;
    private final StageBuffer packedStages;
    private final BarrierRing ring;
    private final PackedSums partSums;

    /** Of so many stages. */
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
        return WARP * pattern.warps();
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

    private void eachRound(Body body, BiConsumer<Body, Expr> code) {
        if (pattern.rounds() == 1) {
            code.accept(body, Expr.of(0));
        } else {
            body.purpose("some parts of k after the others").loop("round", pattern.rounds(), code::accept);
        }
    }

    /** Starts the copies of a tile. @param first stages of it that were begun before */
    public void load(Body body, BarrierPipeline pipe, Sources from, Turns turns, Expr first) {
        NotNull.all("body, pipe, from, turns, first", body, pipe, from, turns, first);
        eachRound(body, (ofRound, round) -> {
            Expr begun = pattern.rounds() == 1 ? first : round.isEqualTo(0).choose(first, Expr.of(0));
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
        body.purpose("what the launch in front has written is there").waitForPriorGrid();
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
        body.purpose("one part after the other").loop("slot", copies(turns, round, turn), (one, slot) ->
                code.accept(one, slot, one.let("of", round.times(slots()).plus(slot).times(turns.ofPart).plus(turn))));
    }

    /** Parts of a round that have a turn. */
    private Expr copies(Turns turns, Expr round, Expr turn) {
        Expr parts = turns.all.minus(turn).plus(turns.ofPart).minus(1).dividedBy(turns.ofPart);
        return pattern.rounds() == 1 ? parts : parts.minus(round.times(slots())).min(slots());
    }

    private Filling acquire(Body body, BarrierPipeline pipe, Turns turns, Expr round, Expr turn) {
        return pipe.acquire(body, number(turns, round, turn), copies(turns, round, turn)
                .times(pattern.leftBytes() + pattern.packedBytes()));
    }

    /** Of a stage. */
    private Expr number(Turns turns, Expr round, Expr turn) {
        return turns.before.plus(round.times(turns.ofPart)).plus(turn);
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
        eachRound(body, (each, round) -> {
            RingWarp warp = new RingWarp(each, pipe, turns, scale, round);
            warp.write();
            for (int row = 0; row < pattern.sums().getFirst(); row += partSums.rows()) {
                warp.store(row);
                team.sync(each.purpose("sums of all parts are there"));
                partSums.add(each, to, row, round);
                team.sync(each.purpose("they have been read"));
            }
        });
    }

    /** Where scales are. */
    public interface Scale {
        /** A column's scale, in elements, behind which that of the next turn is. @param column of the tile */
        Expr place(Expr column, Expr turn);

        /** @param place in elements */
        Address at(Expr place);
    }

    /** What a warp does. */
    private final class RingWarp {
        private final Body body;
        private final BarrierPipeline pipe;
        private final Turns turns;
        private final Scale scale;
        private final Expr round;
        private final int columns = pattern.sums().getFirst() / COLUMNS;
        private final int chunks = pattern.rowBytes() / CHUNK;
        private final Expr lane;
        private final Expr slot;
        private final Expr column;
        private final Expr matrixRow;
        private final Register leftAt;
        private final Register scaleAt;
        private final Register sums;

        RingWarp(Body body, BarrierPipeline pipe, Turns turns, Scale scale, Expr round) {
            this.round = round;
            this.body = body;
            this.pipe = pipe;
            this.turns = turns;
            this.scale = scale;
            lane = body.let("lane", Builtin.THREAD.modulo(WARP));
            Expr warp = body.let("warp", Builtin.THREAD.dividedBy(WARP));
            slot = body.purpose("which of the stage's parts").let("slot", warp.dividedBy(pattern.warpsOfPart()));
            column = body.purpose("the warp's first").let("column", warp.modulo(pattern.warpsOfPart())
                    .times(PackedPattern.WARP_COLUMNS));
            matrixRow = body.purpose("the matrix row whose address this lane gives").let("matrix_row",
                    slot.times(pattern.packedBytes()).plus(column.plus(matrixRow()).times(pattern.rowBytes()))
                            .plus(matrixChunk().times(CHUNK)));
            leftAt = body.registers("left_at", ValueType.I32, MATRICES);
            Expr row = lane.dividedBy(4).times(2).plus(lane.dividedBy(16)).modulo(COLUMNS);
            Expr first = body.purpose("rows in an order in which half a warp meets all banks").let("left_first",
                    slot.times(pattern.leftBytes()).plus(row.times(LINE)).plus(lane.modulo(4).dividedBy(2).xor(row)
                            .times(CHUNK)).plus(lane.modulo(2).times(CHUNK / 2)));
            for (int i = 0; i < MATRICES; i++) {
                body.assign(leftAt.at(i), first.xor(i * 2 * CHUNK).toValue());
            }
            scaleAt = body.purpose("where the thread's scales are").registers("scale_at", ValueType.I64, BLOCKS * 2);
            sums = body.registers("sums", BLOCKS * columns * SUMS, Value.f32(0));
        }

        /** Of a lane's matrix; two matrices are of the upper and lower rows where a row has two chunks. */
        private Expr matrixRow() {
            Expr row = lane.modulo(COLUMNS);
            return chunks >= MATRICES ? row : lane.dividedBy(2 * COLUMNS).times(COLUMNS).plus(row);
        }

        private Expr matrixChunk() {
            Expr chunk = chunks >= MATRICES ? lane.dividedBy(COLUMNS) : lane.dividedBy(COLUMNS).modulo(2);
            return chunk.xor(lane.modulo(COLUMNS).times(pattern.rowBytes()).dividedBy(LINE).bitAnd(chunks - 1));
        }

        void write() {
            Expr first = body.purpose("the part's first turn").let("first", round.times(slots()).plus(slot)
                    .times(turns.ofPart()));
            Register next = body.registers("next_scales", pattern.scales().tensor().type(), BLOCKS * 2);
            Expr one = body.let("scale_turn", first.min(turns.all().minus(1)));
            for (int i = 0; i < scaleAt.count(); i++) {
                Expr own = column.plus(lane.dividedBy(4)).plus(i * COLUMNS);
                body.assign(scaleAt.at(i), scale.place(own, one).toValue());
                body.load(next, i, 1, scale.at(scaleAt.at(i).toIndex()));
            }
            body.purpose("along the part of k").loop("turn", stagesOfRound(turns.all(), turns.ofPart(), round), (each,
                    turn) -> {
                Landed stage = pipe.await(each, number(turns, round, turn));
                Expr number = each.let("number", first.plus(turn));
                each.purpose("the part has this turn").when(number.lessThan(turns.all()), in -> {
                    Register factors = in.registers("scales", ValueType.F32, BLOCKS * 2);
                    Registers.each(in, factors.count(), (b, r) -> b.assign(factors.at(r), next.at(r)
                            .to(ValueType.F32)));
                    Expr ahead = in.purpose("none behind the last turn").let("ahead", number.plus(1)
                            .lessThan(turns.all()).choose(Expr.of(1), Expr.of(0)));
                    for (int i = 0; i < scaleAt.count(); i++) {
                        in.assign(scaleAt.at(i), scaleAt.at(i).plus(ahead.toS64().toValue()));
                        in.load(next, i, 1, scale.at(scaleAt.at(i).toIndex()));
                    }
                    Register block = in.purpose("of this turn").registers("block", BLOCKS * columns * SUMS,
                            Value.f32(0));
                    products(in, stage, block);
                    in.purpose("scaled").unrolled("r", sums.count(), (b, r) -> {
                        Expr of = r.dividedBy(columns * SUMS).times(2).plus(r.dividedBy(2).modulo(2));
                        b.assign(sums.at(r), block.at(r).fma(factors.at(of), sums.at(r)));
                    });
                });
                pipe.release(each, stage);
            });
        }

        private void products(Body b, Landed stage, Register block) {
            int words = 2 * chunks;
            Register bytes = b.purpose("of 16 columns each").registers("bytes", ValueType.U32, BLOCKS * words);
            Ldmatrix form = new Ldmatrix(Ldmatrix.Shape.M8N8_B16, MatrixCount.X4);
            for (int i = 0; i < bytes.count() / MATRICES; i++) {
                // Words of 8 columns, chunk by chunk, then of the 8 below.
                int behind = i * MATRICES / chunks * COLUMNS * pattern.rowBytes();
                Expr at = chunks > MATRICES ? matrixRow.xor(i * MATRICES % chunks * CHUNK) : matrixRow;
                b.issue(form, Input.of(bytes, i * MATRICES), Input.of(stage.at(packedStages, at.plus(behind))));
            }
            for (int pass = 0; pass < Byte.SIZE / pattern.bits(); pass++) {
                int of = pass;
                b.purpose(pattern.bits() == Byte.SIZE ? "16 along k after the other" : "16 along k after the other, "
                        + (pass == 0 ? "of low" : "of high") + " bits").unrolled("chunk", chunks, (each, chunk) ->
                        step(each, stage, block, bytes, chunk, of));
            }
        }

        /** The products of 16 neighbours along k. @param pass which of a byte's numbers */
        private void step(Body b, Landed stage, Register block, Register bytes, Expr chunk, int pass) {
            Register a = b.registers("weights", ValueType.U32, BLOCKS * SUMS);
            b.unrolled("i", BLOCKS * 2, (each, i) -> {
                List<Value> pair = pattern.packed().pairs(each, bytes.at(i.times(chunks).plus(chunk)), pass);
                Expr first = i.dividedBy(2).times(SUMS).plus(i.modulo(2));
                each.assign(a.at(first), pair.get(0));
                each.assign(a.at(first.plus(2)), pair.get(1));
            });
            Expr step = chunk.plus(pass * chunks);
            Expr panel = step.dividedBy(MATRICES).times(pattern.sums().getFirst() * LINE);
            Registers.each(b, columns, (each, j) -> {
                Register x = each.registers("x", ValueType.U32, 2);
                each.load(x, stage.at(leftStages, leftAt.at(step.modulo(MATRICES)).toIndex().plus(panel)
                        .plus(j.times(COLUMNS * LINE))));
                for (int down = 0; down < BLOCKS; down++) {
                    Expr sum = j.plus(down * columns).times(SUMS);
                    each.purpose("sums += A B").issue(form(), Input.of(block, sum), Input.of(a, down * SUMS),
                            Input.of(x), Input.of(block, sum));
                }
            });
        }

        private MmaSync form() {
            return new MmaSync(MmaShape.M16N8K16, pattern.packed().type() == ValueType.BF16
                    ? MmaTypes.F32_BF16_BF16 : MmaTypes.F32_F16_F16);
        }

        /** Puts sums of the part where all threads find them. @param first of the tile's rows */
        void store(int first) {
            int groups = partSums.rows() / COLUMNS;
            Expr row = lane.modulo(2).times(4).plus(lane.modulo(4).dividedBy(2));
            Expr at = body.purpose("where the thread's sums go").let("sums_at", partSums.place(slot, row,
                    column.plus(lane.dividedBy(4))));
            body.unrolled("r", BLOCKS * groups * SUMS, (each, r) -> {
                Expr down = r.dividedBy(groups * SUMS);
                Expr j = r.dividedBy(SUMS).modulo(groups);
                Expr rows = j.times(COLUMNS).plus(r.modulo(2).times(2));
                Expr across = down.times(ROWS).plus(r.modulo(SUMS).dividedBy(2).times(COLUMNS));
                each.store(partSums.at(at.plus(partSums.place(Expr.of(0), rows, across))), sums.at(down.times(columns)
                        .plus(j).plus(first / COLUMNS).times(SUMS).plus(r.modulo(SUMS))));
            });
        }
    }
}
