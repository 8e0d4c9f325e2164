package dev.tilewright.tile.lower.packed;

import dev.tilewright.program.Body;
import dev.tilewright.program.Warp;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.warp.Ldmatrix;
import dev.tilewright.ptx.warp.MatrixCount;
import dev.tilewright.tile.lower.layout.Registers;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.apache.commons.lang3.function.TriFunction;

/**
 * What a warp multiplies: some columns of a part, the rows of {@code mma.sync}'s left factor. {@code ldmatrix} brings
 * their bytes, of which it makes 16-bit floats in place. Of 16 neighbours along k a thread has four in a row: an
 * instruction's sum does not depend on their order, so that the left factor's are taken in the same.
 */
final class PackedWarp {
    /** Of an instruction's left factor: columns of a tile. */
    static final int ROWS = 16;
    /** Of its right one: rows of a tile. */
    static final int COLUMNS = 8;
    static final int SUMS = 4;
    private static final int CHUNK = 16;
    /** Turns whose scales a lane has, one after the other. */
    private static final int EACH = 2;
    /** Lanes that have the same columns. */
    private static final int ALIKE = 4;
    private static final int SCALED = EACH * ALIKE;
    static final int BLOCKS = PackedPattern.WARP_COLUMNS / ROWS;

    private final PackedPattern pattern;
    private final PackedLeft left;
    private final SharedRegion.Buffer lines;
    private final Of of;
    private final int columns;
    private final int chunks;
    private final Expr lane;
    private final Expr row;
    private final Register scales;
    private final Register sums;

    /**
     * What it takes.
     *
     * @param line where its packed bytes are
     * @param slot which of the parts at a time
     * @param column the first of its columns
     * @param first turn of the part, of the whole of k
     * @param count of the part's turns
     * @param all turns of the whole of k
     */
    record Of(PackedRows scales, Expr line, Expr slot, Expr column, Expr first, Expr count, Expr all) { }

    PackedWarp(Body body, PackedPattern pattern, PackedLeft left, SharedRegion.Buffer lines, Of of) {
        this.pattern = pattern;
        this.left = left;
        this.lines = lines;
        this.of = of;
        columns = Math.ceilDiv(pattern.sums().getFirst(), COLUMNS);
        chunks = pattern.rowBytes() / CHUNK;
        lane = body.let("lane", Builtin.THREAD.modulo(Warp.LANES));
        row = body.purpose("the row of a line whose address this lane gives").let("row", of.line.plus(PackedCopies
                .place(pattern, lane, Expr.of(0))));
        scales = body.registers("scales", of.scales.type(), BLOCKS * 2 * EACH);
        loadScales(body, Expr.of(0));
        sums = body.registers("sums", BLOCKS * columns * SUMS, Value.f32(0));
    }

    /** Loads the scales of {@link #SCALED} turns, those of two into each lane. @param turn of the part, the first */
    private void loadScales(Body body, Expr turn) {
        Expr own = body.purpose("turns whose scales this lane has").let("scaled", of.first.plus(turn)
                .plus(lane.modulo(ALIKE).times(EACH)));
        for (int i = 0; i < scales.count(); i++) {
            Expr column = of.column.plus(lane.dividedBy(ALIKE)).plus(i / EACH * COLUMNS);
            body.load(scales, i, 1, of.scales.at(of.scales.start(column).plus(own.plus(i % EACH).min(of.all.minus(1))
                    .toS64())));
        }
    }

    /** Takes a turn's packed bytes into registers. */
    Register take(Body body, Expr turn) {
        Register bytes = body.purpose("packed bytes, of 8 columns each").registers("bytes", ValueType.U32, BLOCKS * 2
                * chunks);
        Expr at = pattern.turnsOfLine() == 1 ? row : body.purpose("this turn's part of the line").let("at", row.xor(turn
                .modulo(pattern.turnsOfLine()).times(pattern.rowBytes())));
        Ldmatrix form = new Ldmatrix(Ldmatrix.Shape.M8N8_B16, MatrixCount.X4);
        for (int chunk = 0; chunk < chunks; chunk++) {
            body.issue(form, Input.of(bytes, chunk * BLOCKS * 2), Input.of(lines.at(at.xor(chunk * CHUNK))));
        }
        return bytes;
    }

    /** Adds the products of a turn of the part. @param bytes that it took */
    void multiply(Body body, Register bytes, Expr turn) {
        Register block = body.purpose("this turn's sums").registers("block", sums.count(), Value.f32(0));
        products(body, pattern, (chunk, i) -> bytes.at(chunk.times(BLOCKS * 2).plus(i)), left::load, block);
        left.advance(body);
        scaled(body, block, turn);
    }

    private void scaled(Body body, Register block, Expr turn) {
        Expr scaled = turn.modulo(SCALED);
        Register factors = body.purpose("this turn's scales").registers("factors", ValueType.F32, BLOCKS * 2);
        Value even = body.let("even", Value.of(scaled.modulo(EACH).isEqualTo(0)));
        Registers.each(body, factors.count(), (b, i) -> b.assign(factors.at(i), b.warp().shuffleIndex(even.choose(
                scales.at(i.times(EACH)), scales.at(i.times(EACH).plus(1))).to(ValueType.F32),
                scaled.dividedBy(EACH), ALIKE)));
        body.purpose("add the scaled sums to the totals").unrolled("r", sums.count(), (b, r) -> {
            Expr scale = r.dividedBy(columns * SUMS).times(2).plus(r.dividedBy(2).modulo(2));
            b.assign(sums.at(r), block.at(r).fma(factors.at(scale), sums.at(r)));
        });
        body.purpose("the next turn has other scales").when(scaled.isEqualTo(SCALED - 1).and(turn.plus(1)
                .lessThan(of.count)), b -> loadScales(b, turn.plus(1)));
    }

    /**
     * Adds the products of a turn.
     *
     * @param bytes of the packed factor, given the chunk and which of its words
     * @param left the left factor, given which 16 neighbours along k and which 8 rows of the tile
     * @param block the sums
     */
    static void products(Body body, PackedPattern pattern, BiFunction<Expr, Expr, Value> bytes,
            TriFunction<Body, Expr, Expr, Register> left, Register block) {
        int chunks = pattern.rowBytes() / CHUNK;
        for (int pass = 0; pass < Byte.SIZE / pattern.bits(); pass++) {
            int of = pass;
            body.purpose(pattern.bits() == Byte.SIZE ? "16 along k after the other" : "16 along k after the other, of "
                    + (pass == 0 ? "low" : "high") + " bits").unrolled("chunk", chunks, (each, chunk) -> step(each,
                    pattern, i -> bytes.apply(chunk, i), of, (b, j) -> left.apply(b, chunk.plus(of * chunks), j),
                    block));
        }
    }

    /** The products of 16 neighbours along k. @param pass which of a byte's numbers */
    private static void step(Body b, PackedPattern pattern, Function<Expr, Value> bytes, int pass,
            BiFunction<Body, Expr, Register> left, Register block) {
        int columns = block.count() / (BLOCKS * SUMS);
        Register a = b.registers("weights", ValueType.U32, BLOCKS * SUMS);
        b.unrolled("i", BLOCKS * 2, (each, i) -> {
            List<Value> pair = pattern.packed().pairs(each, bytes.apply(i), pass);
            Expr first = i.dividedBy(2).times(SUMS).plus(i.modulo(2));
            each.assign(a.at(first), pair.get(0));
            each.assign(a.at(first.plus(2)), pair.get(1));
        });
        Registers.each(b, columns, (each, j) -> {
            Register x = left.apply(each, j);
            for (int down = 0; down < BLOCKS; down++) {
                Expr sum = j.plus(down * columns).times(SUMS);
                each.purpose("sums += A B").issue(pattern.product(), Input.of(block, sum), Input.of(a, down * SUMS),
                        Input.of(x), Input.of(block, sum));
            }
        });
    }

    /** What it has of the part. */
    PackedSums.OfWarp result() {
        return new PackedSums.OfWarp(sums, lane, of.slot, of.column);
    }
}
