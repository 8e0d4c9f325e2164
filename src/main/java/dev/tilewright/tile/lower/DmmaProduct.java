package dev.tilewright.tile.lower;

import dev.tilewright.builder.pipeline.Landed;
import dev.tilewright.builder.pipeline.StageBuffer;
import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.mma.MmaShape;
import dev.tilewright.ptx.mma.MmaSync;
import dev.tilewright.ptx.mma.MmaTypes;
import dev.tilewright.tile.lower.layout.DmmaSums;
import dev.tilewright.tile.lower.layout.Linear;

/** Adds the products of f64 of a stage in shared memory by {@code mma.sync}. */
record DmmaProduct(ProductPattern pattern, StageBuffer aStages, StageBuffer bStages) {
    private static final MmaSync FORM = new MmaSync(MmaShape.M16N8K16, MmaTypes.F64_F64_F64);
    private static final int DEPTH = 16;
    private static final int ROWS = 16;
    private static final int COLUMNS = 8;
    private static final int A_ELEMENTS = 8;
    private static final int B_ELEMENTS = 4;
    private static final int SUMS = 4;
    private static final int BYTES = 8;
    private static final int CHUNK = 16;
    private static final int LINE_SHIFT = 7;

    /** @param depth elements along k, all of the stage's or the first of them */
    void add(Body body, Landed stage, Register sums, int depth) {
        Expr row = body.purpose("the thread's first row of A").let("row", pattern.layout().threadPart(0));
        Expr column = body.purpose("the thread's first column of B").let("column", Linear.of(Builtin.THREAD,
                pattern.dmmaSums().columnsOfB()));
        Expr first = body.purpose("the thread's first k").let("first", Builtin.THREAD.modulo(4));
        body.purpose("along k within the stage").loop("part", depth / DEPTH, (each, part) -> {
            Expr k = part.times(DEPTH).plus(first);
            int across = DmmaSums.WARP_COLUMNS / COLUMNS;
            Register right = each.purpose("the thread's elements of B").registers("b", ValueType.F64,
                    across * B_ELEMENTS);
            for (int i = 0; i < right.count(); i++) {
                load(each, right, i, pattern.b(), stage, bStages, column, i / B_ELEMENTS * COLUMNS,
                        k.plus(i % B_ELEMENTS * 4));
            }
            for (int down = 0; down < DmmaSums.WARP_ROWS / ROWS; down++) {
                Register left = each.purpose("the thread's elements of A").registers("a", ValueType.F64, A_ELEMENTS);
                for (int i = 0; i < A_ELEMENTS; i++) {
                    load(each, left, i, pattern.a(), stage, aStages, row, down * ROWS + i % 2 * 8, k.plus(i / 2 * 4));
                }
                for (int i = 0; i < across; i++) {
                    int sum = (down * across + i) * SUMS;
                    each.purpose("sums += A B").issue(FORM, Input.of(sums, sum), Input.of(left, 0),
                            Input.of(right, i * B_ELEMENTS), Input.of(sums, sum));
                }
            }
        });
    }

    /** Loads the element of a row or column, the thread's first and some behind it, at a k. */
    private static void load(Body body, Register to, int into, Operand operand, Landed stage, StageBuffer stages,
            Expr first, int behind, Expr k) {
        Expr across = first.plus(behind);
        Expr contiguous = operand.transposed() ? across : k;
        Expr line = operand.transposed() ? k : across;
        int elements = operand.panelElements();
        int chunks = operand.pitch() / CHUNK;
        Expr chunk = contiguous.modulo(elements).dividedBy(CHUNK / BYTES).xor(line.times(operand.pitch())
                .shiftRight(LINE_SHIFT).bitAnd(chunks - 1));
        Expr at = contiguous.dividedBy(elements).times(operand.panelStride()).plus(line.times(operand.pitch()))
                .plus(chunk.times(CHUNK)).plus(contiguous.modulo(CHUNK / BYTES).times(BYTES));
        body.load(to, into, 1, stage.at(stages, at));
    }
}
