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
import dev.tilewright.tile.lower.layout.Places;
import dev.tilewright.tile.lower.layout.Registers;
import dev.tilewright.tile.lower.layout.Team;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;

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
    /** Behind the columns of a row of sums, so that few banks meet. */
    private static final int PADDING = 8;
    /** Of a tile, whose sums are added at a time. */
    private static final int ADDED_ROWS = 16;

    private final PackedPattern pattern;
    private final StageBuffer leftStages;
    private final StageBuffer packedStages;
    private final BarrierRing ring;
    private final SharedRegion.Buffer partSums;

    /** Of so many stages. */
    public PackedLoop(PackedPattern pattern, int stages) {
        NotNull.all("pattern", pattern);
        this.pattern = pattern;
        leftStages = StageBuffer.of(pattern.a().tensor().name() + "_tiles", parts() * pattern.leftBytes(), 1024);
        packedStages = StageBuffer.of(pattern.bytes().tensor().name() + "_tiles", parts() * pattern.packedBytes(),
                1024);
        ring = BarrierRing.stages(stages).buffer(leftStages).buffer(packedStages)
                .consumers(ThreadRange.first(threads()), Arrivals.EACH_WARP).releasesOfSharedMemory().build();
        partSums = new SharedRegion.Buffer("part_sums", sumBytes(pattern), CHUNK);
    }

    /** Bytes of shared memory for sums of all parts. */
    public static int sumBytes(PackedPattern pattern) {
        return pattern.loop().parts() * addedRows(pattern) * pitch(pattern) * Float.BYTES;
    }

    private static int addedRows(PackedPattern pattern) {
        return Math.min(ADDED_ROWS, pattern.sums().getFirst());
    }

    private static int pitch(PackedPattern pattern) {
        return pattern.sums().getLast() + PADDING;
    }

    private int parts() {
        return pattern.loop().parts();
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
        return partSums;
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

    /** Turns of the whole of k, of a part, and those of all tiles before. */
    public record Turns(Expr all, Expr ofPart, Expr before) {
        public Turns {
            NotNull.all("all, ofPart, before", all, ofPart, before);
        }
    }

    /** Starts the copies of a tile, from a turn of a part on. */
    public void load(Body body, BarrierPipeline pipe, Sources from, Turns turns, Expr first) {
        NotNull.all("body, pipe, from, turns, first", body, pipe, from, turns, first);
        body.purpose("along each part of k").loop("turn", first, turns.ofPart, 1, (each, turn) -> {
            Expr copies = copies(each, turns, turn);
            Filling stage = acquire(each, pipe, turns, turn, copies);
            each.purpose("one part after the other").loop("part", copies, (one, part) -> {
                Expr of = one.let("of", part.times(turns.ofPart).plus(turn));
                loadPacked(one, stage, from, part, of);
                loadLeft(one, stage, from, part, of);
            });
            pipe.commit(each, stage);
        });
    }

    /**
     * Starts the copies of the right factor into a block's first stages, waits for the launch in front, and starts
     * those of the left one.
     *
     * @param begun stages, no more than there are
     */
    public void loadAhead(Body body, BarrierPipeline pipe, Sources from, Turns turns, Expr begun) {
        NotNull.all("body, pipe, from, turns, begun", body, pipe, from, turns, begun);
        body.purpose("along each part of k").loop("turn", begun, (each, turn) -> {
            Expr copies = copies(each, turns, turn);
            Filling stage = acquire(each, pipe, turns, turn, copies);
            each.purpose("one part after the other").loop("part", copies, (one, part) ->
                    loadPacked(one, stage, from, part, part.times(turns.ofPart).plus(turn)));
            pipe.commit(each, stage);
        });
        body.purpose("what the launch in front has written is there").waitForPriorGrid();
        body.purpose("along each part of k").loop("turn", begun, (each, turn) -> {
            Expr copies = copies(each, turns, turn);
            Filling stage = pipe.acquiredBefore(each, turn);
            each.purpose("one part after the other").loop("part", copies, (one, part) ->
                    loadLeft(one, stage, from, part, part.times(turns.ofPart).plus(turn)));
            pipe.commit(each, stage);
        });
    }

    private static Expr copies(Body body, Turns turns, Expr turn) {
        return body.purpose("parts that have this turn").let("copies", turns.all.minus(turn).plus(turns.ofPart)
                .minus(1).dividedBy(turns.ofPart));
    }

    private Filling acquire(Body body, BarrierPipeline pipe, Turns turns, Expr turn, Expr copies) {
        return pipe.acquire(body, turns.before.plus(turn),
                copies.times(pattern.leftBytes() + pattern.packedBytes()));
    }

    private void loadPacked(Body body, Filling stage, Sources from, Expr part, Expr turn) {
        body.purpose("a box of '" + pattern.bytes().tensor().name() + "'").tensorLoad(stage.at(packedStages,
                part.times(pattern.packedBytes())), from.packed, from.packedStart.apply(turn), stage.full());
    }

    private void loadLeft(Body body, Filling stage, Sources from, Expr part, Expr turn) {
        for (int panel = 0; panel < pattern.panels(); panel++) {
            List<Expr> start = from.leftStart.apply(turn);
            Expr along = start.getFirst().plus(panel * leftBox().getLast());
            body.purpose("a box of '" + pattern.a().tensor().name() + "'").tensorLoad(stage.at(leftStages,
                    part.times(pattern.leftBytes()).plus(panel * pattern.sums().getFirst() * LINE)), from.left,
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
        PackedWarp warp = new PackedWarp(body, pipe, turns, scale);
        warp.write();
        for (int row = 0; row < pattern.sums().getFirst(); row += addedRows(pattern)) {
            warp.store(row);
            team.sync(body.purpose("sums of all parts are there"));
            add(body, to, row);
            team.sync(body.purpose("they have been read"));
        }
    }

    /** Where scales are. */
    public interface Scale {
        /** Where a column's begin, as elements. @param column of the tile */
        Expr row(Expr column);

        /** @param row where a column's begin @param turn of the whole of k */
        Address at(Expr row, Expr turn);
    }

    /** Adds the parts' sums, ascending. @param row of the tile, the first of some whose registers are neighbours */
    private void add(Body body, Held to, int row) {
        Places places = new Places(body, to.layout());
        int count = to.layout().registerCount() * addedRows(pattern) / pattern.sums().getFirst();
        int width = Math.min(MATRICES, count);
        Registers.each(body, count / width, (each, group) -> {
            Expr first = group.times(width).plus(row / addedRows(pattern) * count);
            Register sums = each.registers("part", ValueType.F32, width);
            for (int part = 0; part < parts(); part++) {
                each.load(sums, 0, width, partSums.at(places.at(0, first).plus(part * addedRows(pattern) - row)
                        .times(pitch(pattern)).plus(places.at(1, first)).times(Float.BYTES)));
                for (int i = 0; i < width; i++) {
                    Value sum = to.register().at(first.plus(i));
                    each.assign(sum, part == 0 ? sums.at(i) : sum.plus(sums.at(i)));
                }
            }
        });
    }

    /** What a warp does. */
    private final class PackedWarp {
        private final Body body;
        private final BarrierPipeline pipe;
        private final Turns turns;
        private final Scale scale;
        private final int columns = pattern.sums().getFirst() / COLUMNS;
        private final int chunks = pattern.rowBytes() / CHUNK;
        private final Expr lane;
        private final Expr part;
        private final Expr column;
        private final Expr matrixRow;
        private final Register leftAt;
        private final List<Expr> scaleRows;
        private final Register sums;

        PackedWarp(Body body, BarrierPipeline pipe, Turns turns, Scale scale) {
            this.body = body;
            this.pipe = pipe;
            this.turns = turns;
            this.scale = scale;
            lane = body.let("lane", Builtin.THREAD.modulo(WARP));
            Expr warp = body.let("warp", Builtin.THREAD.dividedBy(WARP));
            part = body.purpose("of k").let("part", warp.dividedBy(pattern.warpsOfPart()));
            column = body.purpose("the warp's first").let("column", warp.modulo(pattern.warpsOfPart())
                    .times(PackedPattern.WARP_COLUMNS));
            matrixRow = body.purpose("the matrix row whose address this lane gives").let("matrix_row",
                    part.times(pattern.packedBytes()).plus(column.plus(matrixRow()).times(pattern.rowBytes()))
                            .plus(matrixChunk().times(CHUNK)));
            leftAt = body.registers("left_at", ValueType.I32, MATRICES);
            Expr row = lane.dividedBy(4).times(2).plus(lane.dividedBy(16)).modulo(COLUMNS);
            Expr first = body.purpose("rows in an order in which half a warp meets all banks").let("left_first",
                    part.times(pattern.leftBytes()).plus(row.times(LINE)).plus(lane.modulo(4).dividedBy(2).xor(row)
                            .times(CHUNK)).plus(lane.modulo(2).times(CHUNK / 2)));
            for (int i = 0; i < MATRICES; i++) {
                body.assign(leftAt.at(i), first.xor(i * 2 * CHUNK).toValue());
            }
            scaleRows = IntStream.range(0, BLOCKS * 2).<Expr>mapToObj(i -> body.purpose("where the thread's scales are")
                    .let("scale_row", scale.row(column.plus(lane.dividedBy(4)).plus(i * COLUMNS)))).toList();
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
            Expr first = body.purpose("the part's first turn").let("first", part.times(turns.ofPart()));
            Register next = body.registers("next_scales", pattern.scales().tensor().type(), BLOCKS * 2);
            scales(body, next, first);
            body.purpose("along the part of k").loop("turn", turns.ofPart(), (each, turn) -> {
                Landed stage = pipe.await(each, turns.before().plus(turn));
                Expr number = each.let("number", first.plus(turn));
                each.purpose("the part has this turn").when(number.lessThan(turns.all()), in -> {
                    Register factors = in.registers("scales", ValueType.F32, BLOCKS * 2);
                    Registers.each(in, factors.count(), (b, r) -> b.assign(factors.at(r), next.at(r)
                            .to(ValueType.F32)));
                    scales(in, next, number.plus(1));
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

        /** The scales of the thread's columns in a turn, or in the last one. */
        private void scales(Body b, Register to, Expr turn) {
            Expr of = b.let("of", turn.min(turns.all().minus(1)));
            for (int i = 0; i < to.count(); i++) {
                b.load(to, i, 1, scale.at(scaleRows.get(i), of));
            }
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
            Expr row = lane.modulo(2).times(4).plus(lane.modulo(4).dividedBy(2));
            Expr at = body.purpose("where the thread's sums go").let("sums_at", part.times(addedRows(pattern))
                    .plus(row).times(pitch(pattern)).plus(column).plus(lane.dividedBy(4)).times(Float.BYTES));
            body.unrolled("r", BLOCKS * addedRows(pattern) / COLUMNS * SUMS, (each, r) -> {
                Expr down = r.dividedBy(addedRows(pattern) / COLUMNS * SUMS);
                Expr j = r.dividedBy(SUMS).modulo(addedRows(pattern) / COLUMNS);
                Expr rows = j.times(COLUMNS).plus(r.modulo(2).times(2));
                Expr across = down.times(ROWS).plus(r.modulo(SUMS).dividedBy(2).times(COLUMNS));
                each.store(partSums.at(at.plus(rows.times(pitch(pattern)).plus(across).times(Float.BYTES))),
                        sums.at(down.times(columns).plus(j).plus(first / COLUMNS).times(SUMS).plus(r.modulo(SUMS))));
            });
        }
    }
}
