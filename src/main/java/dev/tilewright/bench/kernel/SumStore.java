package dev.tilewright.bench.kernel;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.fence.FenceProxyAsync;
import dev.tilewright.ptx.warp.MatrixCount;
import dev.tilewright.ptx.warp.Stmatrix;
import java.util.List;

/**
 * Stores the f32 sums of two groups of four warps as bf16, 64 rows each. A group writes boxes of 64 columns to shared
 * memory, swizzled by 128 bytes, with {@code stmatrix}, which takes them as they lie in a warp's threads, and one
 * thread has the copy engine take each box away. There is room for two boxes of a group: before it writes one, the copy
 * before the last must have read it. PTX ISA, "Register Fragments for wgmma", accumulator D, and "stmatrix".
 *
 * @param map of the matrix, with boxes of 64 x 64 and that swizzle
 * @param group which of the two groups the thread is in, 32 bits
 * @param sums of the thread: of each 8 columns two neighbours in one row, and two 8 rows below
 * @param words what an stmatrix takes: two rounded neighbours of each of four matrices of 8 x 8
 */
record SumStore(Parameter.TensorMap map, Expr group, Register sums, Register words) {
    /** Columns of a box. */
    static final int BOX_N = 64;
    private static final int ROWS = 64;
    private static final int LINE = 2 * BOX_N;
    private static final int BOX_BYTES = ROWS * LINE;
    /** Two boxes of each group. */
    static final SharedRegion.Buffer BOXES = new SharedRegion.Buffer("c_boxes", 4 * BOX_BYTES, 1024);
    private static final int GROUP = 128;

    SumStore(Body body, Parameter.TensorMap map, Expr group, Register sums) {
        this(map, group, sums, body.purpose("pairs of rounded sums").registers("words", ValueType.U32, 4));
    }

    /** Starts the copies of a group's rows, from these coordinates on. */
    void write(Body body, Expr row, Expr column) {
        Expr lane = Builtin.THREAD.modulo(32);
        Expr line = body.purpose("the row of a box whose 16 bytes the thread says the place of")
                .let("line", Builtin.THREAD.modulo(GROUP).dividedBy(32).times(16).plus(lane.modulo(16)));
        body.unrolled("box", sums.count() * 2 / BOX_N, (each, box) -> {
            Expr place = each.purpose("one of the group's two boxes")
                    .let("place", group.times(2).plus(box.modulo(2)).times(BOX_BYTES));
            each.purpose("the copy before the last has read its box").when(isFirst(), one -> one.bulkWaitRead(1));
            each.purpose("all know").namedBarrier(group.plus(1), GROUP).sync();
            each.unrolled("part", BOX_N / 16, (b, part) -> {
                pack(b, box.times(BOX_N / 2).plus(part.times(8)));
                Expr chunk = part.times(2).plus(lane.dividedBy(16)).xor(line.modulo(8));
                b.purpose("16 rows and columns of a warp").issue(new Stmatrix(MatrixCount.X4),
                        Input.of(BOXES.at(place.plus(line.times(LINE)).plus(chunk.times(16)))), Input.of(words));
            });
            each.purpose("the copy engine sees what this thread wrote").proxyFence(FenceProxyAsync.Memory.SHARED);
            each.purpose("all have written").namedBarrier(group.plus(1), GROUP).sync();
            each.purpose("one thread starts the copy").when(isFirst(), one -> {
                one.tensorStore(map, List.of(column.plus(box.times(BOX_N)), row), BOXES.at(place));
                one.bulkCommit();
            });
        });
    }

    /** The block stays until the copies have read all boxes. */
    void finish(Body body) {
        body.purpose("the last copies have read their boxes").bulkWaitRead(0);
    }

    private static Expr isFirst() {
        return Builtin.THREAD.modulo(GROUP).isEqualTo(0);
    }

    /** Eight sums from one on, rounded, as four words. */
    private void pack(Body body, Expr first) {
        for (int i = 0; i < words.count(); i++) {
            Value low = rounded(first.plus(2 * i));
            Value high = rounded(first.plus(2 * i + 1));
            body.purpose("two neighbours").assign(words.at(i), low.or(high.shiftLeft(16)));
        }
    }

    private Value rounded(Expr index) {
        return sums.at(index).to(ValueType.BF16).bitCast(ValueType.U16).to(ValueType.U32);
    }
}
