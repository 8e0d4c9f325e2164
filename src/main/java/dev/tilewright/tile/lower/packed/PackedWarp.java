package dev.tilewright.tile.lower.packed;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.mma.MmaShape;
import dev.tilewright.ptx.mma.MmaSync;
import dev.tilewright.ptx.mma.MmaTypes;
import dev.tilewright.ptx.warp.Ldmatrix;
import dev.tilewright.ptx.warp.MatrixCount;
import dev.tilewright.tile.lower.layout.Registers;
import java.util.List;

/**
 * What a warp multiplies: some columns of a part, the rows of {@code mma.sync}'s left factor. {@code ldmatrix} brings
 * their bytes, of which it makes 16-bit floats in place. Of 16 neighbours along k a thread has four in a row: an
 * instruction's sum does not depend on their order, so that the left factor's are taken in the same.
 */
final class PackedWarp {
    private static final int WARP = PackedPattern.WARP;
    /** Of an instruction's left factor: columns of a tile. */
    static final int ROWS = 16;
    /** Of its right one: rows of a tile. */
    static final int COLUMNS = 8;
    /** Along k, of the left factor's elements. */
    private static final int STEP_BYTES = 16 * Short.BYTES;
    static final int SUMS = 4;
    private static final int CHUNK = 16;
    private static final int MATRICES = 4;

    private final PackedPattern pattern;
    private final SharedRegion.Buffer left;
    private final SharedRegion.Buffer packed;
    private final PackedRows scales;
    private final int blocks;
    private final int columns;
    private final int chunks;
    private final Expr lane;
    private final Expr slot;
    private final Expr column;
    private final Expr matrixRow;
    private final Expr leftAt;
    private final Register scaleAt;
    private final Register nextScales;
    private final Register sums;

    /**
     * @param slot which of a stage's parts
     * @param first turn of the part, of the whole of k
     * @param all turns of the whole of k
     */
    PackedWarp(Body body, PackedPattern pattern, SharedRegion.Buffer left, SharedRegion.Buffer packed,
            PackedRows scales, Expr slot, Expr first, Expr all) {
        this.pattern = pattern;
        this.left = left;
        this.packed = packed;
        this.scales = scales;
        this.slot = slot;
        blocks = pattern.warpColumns() / ROWS;
        columns = Math.ceilDiv(pattern.sums().getFirst(), COLUMNS);
        chunks = pattern.rowBytes() / CHUNK;
        lane = body.let("lane", Builtin.THREAD.modulo(WARP));
        column = body.purpose("the warp's first column").let("column", Builtin.THREAD.dividedBy(WARP)
                .modulo(pattern.warpsOfPart()).times(pattern.warpColumns()));
        matrixRow = body.purpose("the matrix row whose address this lane gives").let("matrix_row",
                slot.times(PackedCopies.packedBytes(pattern)).plus(PackedCopies.packedPlace(pattern,
                        column.plus(matrixRow()), matrixChunk())));
        leftAt = body.purpose("where this thread's elements of the left factor lie").let("left_at", slot
                .times(PackedCopies.leftBytes(pattern)).plus(lane.dividedBy(4).min(pattern.sums().getFirst() - 1)
                .times(PackedCopies.leftPitch(pattern))).plus(lane.modulo(4).times(STEP_BYTES / 4)));
        scaleAt = body.purpose("where this thread's scales lie").registers("scale_at", ValueType.I64, blocks * 2);
        nextScales = body.registers("next_scales", scales.type(), blocks * 2);
        Expr turn = body.let("scale_turn", first.min(all.minus(1)));
        for (int i = 0; i < scaleAt.count(); i++) {
            body.assign(scaleAt.at(i), scales.start(column.plus(lane.dividedBy(4)).plus(i * COLUMNS))
                    .plus(turn.toS64()).toValue());
            body.load(nextScales, i, 1, scales.at(scaleAt.at(i).toIndex()));
        }
        sums = body.registers("sums", blocks * columns * SUMS, Value.f32(0));
    }

    /** Of a lane's matrix; two matrices are of the upper and lower rows where a row has two chunks. */
    private Expr matrixRow() {
        Expr row = lane.modulo(COLUMNS);
        return chunks >= MATRICES ? row : lane.dividedBy(2 * COLUMNS).times(COLUMNS).plus(row);
    }

    private Expr matrixChunk() {
        return chunks >= MATRICES ? lane.dividedBy(COLUMNS) : lane.dividedBy(COLUMNS).modulo(2);
    }

    /** Where what a turn takes is: bytes of the left factor's and of the packed region, the latter in all rows. */
    record Place(Expr left, Expr packed, Expr alongPacked) { }

    /** Adds the products of a turn. @param number of the turn, of the whole of k @param all such turns */
    void turn(Body body, Place place, Expr number, Expr all) {
        Register factors = body.registers("scales", ValueType.F32, scaleAt.count());
        Registers.each(body, factors.count(), (b, r) -> b.assign(factors.at(r), nextScales.at(r).to(ValueType.F32)));
        Expr ahead = body.purpose("the last turn loads no further scales").let("ahead", number.plus(1).lessThan(all)
                .choose(Expr.of(1), Expr.of(0)));
        for (int i = 0; i < scaleAt.count(); i++) {
            body.assign(scaleAt.at(i), scaleAt.at(i).plus(ahead.toS64().toValue()));
            body.load(nextScales, i, 1, scales.at(scaleAt.at(i).toIndex()));
        }
        Register block = body.purpose("this turn's sums").registers("block", sums.count(), Value.f32(0));
        products(body, place, block);
        body.purpose("add the scaled sums to the totals").unrolled("r", sums.count(), (b, r) -> {
            Expr of = r.dividedBy(columns * SUMS).times(2).plus(r.dividedBy(2).modulo(2));
            b.assign(sums.at(r), block.at(r).fma(factors.at(of), sums.at(r)));
        });
    }

    private void products(Body b, Place place, Register block) {
        Register bytes = b.purpose("packed bytes, of 16 columns each").registers("bytes", ValueType.U32,
                blocks * 2 * chunks);
        Ldmatrix form = new Ldmatrix(Ldmatrix.Shape.M8N8_B16, MatrixCount.X4);
        Expr row = pattern.turnsOfLine() == 1 ? matrixRow : b.purpose("this turn's part of the line").let("row",
                matrixRow.xor(place.alongPacked));
        for (int i = 0; i < bytes.count() / MATRICES; i++) {
            // Words of 8 columns, chunk by chunk, then of the 8 below.
            int behind = i * MATRICES / chunks * COLUMNS * pattern.lineBytes();
            Expr at = chunks > MATRICES ? row.xor(i * MATRICES % chunks * CHUNK) : row;
            b.issue(form, Input.of(bytes, i * MATRICES), Input.of(packed.at(place.packed.plus(at.plus(behind)))));
        }
        for (int pass = 0; pass < Byte.SIZE / pattern.bits(); pass++) {
            int of = pass;
            b.purpose(pattern.bits() == Byte.SIZE ? "16 along k after the other" : "16 along k after the other, "
                    + (pass == 0 ? "of low" : "of high") + " bits").unrolled("chunk", chunks, (each, chunk) ->
                    step(each, place, block, bytes, chunk, of));
        }
    }

    /** The products of 16 neighbours along k. @param pass which of a byte's numbers */
    private void step(Body b, Place place, Register block, Register bytes, Expr chunk, int pass) {
        Register a = b.registers("weights", ValueType.U32, blocks * SUMS);
        b.unrolled("i", blocks * 2, (each, i) -> {
            List<Value> pair = pattern.packed().pairs(each, bytes.at(i.times(chunks).plus(chunk)), pass);
            Expr first = i.dividedBy(2).times(SUMS).plus(i.modulo(2));
            each.assign(a.at(first), pair.get(0));
            each.assign(a.at(first.plus(2)), pair.get(1));
        });
        Expr along = chunk.plus(pass * chunks).times(STEP_BYTES);
        Registers.each(b, columns, (each, j) -> {
            Register x = each.registers("x", ValueType.U32, 2);
            each.load(x, left.at(place.left.plus(leftAt).plus(along.plus(j.times(COLUMNS
                    * PackedCopies.leftPitch(pattern))))));
            for (int down = 0; down < blocks; down++) {
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
    void store(Body body, PackedSums to, int first) {
        int groups = Math.ceilDiv(to.rows(), COLUMNS);
        Expr row = lane.modulo(4).times(2);
        Expr at = body.purpose("where the thread's sums go").let("sums_at", to.place(slot, row,
                column.plus(lane.dividedBy(4))));
        body.unrolled("r", blocks * groups * SUMS, (each, r) -> {
            Expr down = r.dividedBy(groups * SUMS);
            Expr j = r.dividedBy(SUMS).modulo(groups);
            Expr across = down.times(ROWS).plus(r.modulo(SUMS).dividedBy(2).times(COLUMNS));
            Address.Shared place = to.at(at.plus(to.place(Expr.of(0), j.times(COLUMNS).plus(r.modulo(2)), across)));
            Value sum = sums.at(down.times(columns).plus(j).plus(first / COLUMNS).times(SUMS).plus(r.modulo(SUMS)));
            if (to.rows() < COLUMNS) {
                each.when(row.plus(r.modulo(2)).lessThan(to.rows()), b -> b.store(place, sum));
            } else {
                each.store(place, sum);
            }
        });
    }
}
