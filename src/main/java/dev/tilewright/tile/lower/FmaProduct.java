package dev.tilewright.tile.lower;

import dev.tilewright.builder.pipeline.Landed;
import dev.tilewright.builder.pipeline.StageBuffer;
import dev.tilewright.layout.MatrixMajor;
import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.lower.layout.FmaSums;
import dev.tilewright.tile.lower.layout.Layout;
import dev.tilewright.tile.lower.layout.Linear;
import java.util.List;

/**
 * Adds the products of a stage in shared memory by fused multiply-adds, each sum's with k ascending. A thread reads
 * four elements at once: along k of a factor whose neighbours along k lie together, else along rows or columns.
 */
record FmaProduct(ProductPattern pattern, StageBuffer aStages, StageBuffer bStages) {
    /** Elements of an access. */
    private static final int VECTOR = 4;
    private static final int BYTES = 4;
    private static final int CHUNK = VECTOR * BYTES;
    /** Elements of B at four k. */
    private static final int OF_B = FmaSums.COLUMNS * VECTOR;
    /** Turns of four k that are written out one after the other: of four the instruction cache holds no whole loop. */
    private static final int QUADS = 2;
    /** Bytes between which a swizzle's pattern changes. */
    private static final int LINE_SHIFT = 7;

    /** @param depth elements along k, all of the stage's or the first of them */
    void add(Body body, Landed stage, Register sums, int depth) {
        Layout layout = pattern.layout();
        Side a = Side.of(body, pattern.a(), aStages, layout, 0);
        Side b = Side.of(body, pattern.b(), bStages, layout, 1);
        int all = depth / VECTOR;
        if (a.alongK() && all % QUADS == 0) {
            ahead(body, stage, a, b, all, sums);
            return;
        }
        int quads = Math.min(QUADS, all);
        body.purpose("along k within the stage").loop("part", all / quads, (each, part) -> each.unrolled("quad", quads,
                (q, quad) -> quad(q, stage, a, b, part.times(quads).plus(quad), sums)));
    }

    /**
     * The products of a stage. While a thread multiplies rows of A at four k by B's columns, it loads of B what comes
     * four k later; at the stage's last four it loads the first again.
     */
    private static void ahead(Body body, Landed stage, Side a, Side b, int all, Register sums) {
        Register right = body.purpose("the thread's columns of B at four k, and at the next four").registers("b",
                ValueType.F32, QUADS * OF_B);
        body.unrolled("piece", OF_B / VECTOR, (p, piece) -> b.piece(p, stage, right, Expr.of(0), piece, Expr.of(0)));
        body.purpose("along k within the stage").loop("part", all / QUADS, (each, part) -> each.unrolled("quad", QUADS,
                (q, quad) -> {
                    Register left = q.purpose("a row of A at four k").registers("a", ValueType.F32, VECTOR);
                    Expr now = part.times(QUADS).plus(quad);
                    q.unrolled("row", FmaSums.ROWS, (r, row) -> {
                        a.alongK(r, stage, left, Expr.of(0), row, now);
                        r.when(row.modulo(2).isEqualTo(0), some -> b.piece(some, stage, right, quad.plus(1)
                                .modulo(QUADS).times(OF_B), row.dividedBy(2), now.plus(1).modulo(all)));
                        r.unrolled("at", VECTOR, (s, at) -> row(s, left.at(at), right, quad.times(OF_B), b, at, sums,
                                row));
                    });
                }));
    }

    /** The products at four k. */
    private static void quad(Body body, Landed stage, Side a, Side b, Expr quad, Register sums) {
        Register right = body.purpose("the thread's columns of B at four k").registers("b", ValueType.F32, OF_B);
        body.unrolled("piece", OF_B / VECTOR, (p, piece) -> b.piece(p, stage, right, Expr.of(0), piece, quad));
        if (a.alongK()) {
            Register left = body.purpose("a row of A at four k").registers("a", ValueType.F32, VECTOR);
            body.unrolled("row", FmaSums.ROWS, (r, row) -> {
                a.alongK(r, stage, left, Expr.of(0), row, quad);
                r.unrolled("at", VECTOR, (s, at) -> row(s, left.at(at), right, Expr.of(0), b, at, sums, row));
            });
        } else {
            Register left = body.purpose("the thread's rows of A at one k").registers("a", ValueType.F32,
                    FmaSums.ROWS);
            body.unrolled("at", VECTOR, (s, at) -> {
                s.unrolled("rows", FmaSums.ROWS / VECTOR, (r, four) -> a.across(r, stage, left, four.times(VECTOR),
                        four, quad.times(VECTOR).plus(at)));
                s.unrolled("row", FmaSums.ROWS, (r, row) -> row(r, left.at(row), right, Expr.of(0), b, at, sums, row));
            });
        }
    }

    private static void row(Body body, Value left, Register right, Expr from, Side b, Expr at, Register sums,
            Expr row) {
        body.unrolled("column", FmaSums.COLUMNS, (c, column) -> {
            Value sum = sums.at(row.times(FmaSums.COLUMNS).plus(column));
            Expr element = b.alongK() ? column.times(VECTOR).plus(at) : at.times(FmaSums.COLUMNS).plus(column);
            c.assign(sum, left.fma(right.at(from.plus(element)), sum));
        });
    }

    /**
     * A factor in shared memory.
     *
     * @param first the thread's first row or column
     * @param exchanged what the swizzle exchanges chunks of that row by
     * @param own what each bit of the number of a thread's row or column adds to it
     */
    private record Side(Operand operand, StageBuffer stages, Expr first, Expr exchanged, List<Integer> own) {

        static Side of(Body body, Operand operand, StageBuffer stages, Layout layout, int axis) {
            Expr first = body.purpose("the thread's first " + (axis == 0 ? "row" : "column")).let("first",
                    layout.threadPart(axis));
            Expr exchanged = operand.transposed() ? Expr.of(0) : body.purpose("the swizzle's XOR for this row's "
                    + "chunks").let("exchanged", pattern(operand, first));
            return new Side(operand, stages, first, exchanged, layout.registers().stream().map(b -> b.get(axis))
                    .filter(place -> place != 0).toList());
        }

        /** What the chunks of a row are exchanged by; that of a sum of places is the exclusive or of theirs. */
        private static Expr pattern(Operand operand, Expr place) {
            return place.times(operand.pitch()).shiftRight(LINE_SHIFT).bitAnd(chunks(operand) - 1);
        }

        /** Of a row of a panel. */
        private static int chunks(Operand operand) {
            return operand.pitch() / CHUNK;
        }

        boolean alongK() {
            return operand.major() == MatrixMajor.K;
        }

        /** Loads one of eight accesses of B at four k. */
        void piece(Body body, Landed stage, Register to, Expr into, Expr piece, Expr quad) {
            if (alongK()) {
                alongK(body, stage, to, into.plus(piece.times(VECTOR)), piece, quad);
                return;
            }
            int fours = FmaSums.COLUMNS / VECTOR;
            across(body, stage, to, into.plus(piece.times(VECTOR)), piece.modulo(fours), quad.times(VECTOR).plus(
                    piece.dividedBy(fours)));
        }

        /** Loads four neighbours along k. @param number of the thread's row or column @param quad which four */
        void alongK(Body body, Landed stage, Register to, Expr into, Expr number, Expr quad) {
            Expr place = Linear.of(number, own);
            Expr chunk = quad.modulo(chunks(operand)).xor(exchanged).xor(pattern(operand, place));
            body.load(to, into, VECTOR, stage.at(stages, quad.dividedBy(chunks(operand)).times(operand.panelStride())
                    .plus(first.plus(place).times(operand.pitch())).plus(chunk.times(CHUNK))));
        }

        /** Loads four neighbouring rows or columns. @param four the number of the thread's four */
        void across(Body body, Landed stage, Register to, Expr into, Expr four, Expr k) {
            Expr place = Linear.of(four.times(VECTOR), own);
            body.load(to, into, VECTOR, stage.at(stages, k.times(operand.pitch()).plus(first.plus(place)
                    .times(BYTES))));
        }
    }
}
