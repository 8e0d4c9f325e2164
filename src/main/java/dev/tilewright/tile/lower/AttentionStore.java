package dev.tilewright.tile.lower;

import dev.tilewright.layout.Swizzle;
import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.fence.FenceProxyAsync;
import dev.tilewright.ptx.warp.MatrixCount;
import dev.tilewright.ptx.warp.Stmatrix;
import dev.tilewright.tile.Region;
import dev.tilewright.tile.lower.analysis.Indexes;
import dev.tilewright.tile.lower.layout.Elementwise;
import dev.tilewright.tile.lower.layout.ProgramMaps;
import dev.tilewright.tile.lower.layout.Team;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * Stores the 64 rows of a group of four warps, as {@code wgmma} has left their sums: {@code stmatrix} writes them to
 * shared memory in panels as wide as a swizzle's span, and one thread has the copy engine take these away.
 */
record AttentionStore(Region.Store store, int width, ProgramMaps maps) {
    private static final int ROWS = AttentionPattern.ROWS;

    private Swizzle swizzle() {
        return width * 2 % Swizzle.B128.span() == 0 ? Swizzle.B128 : width * 2 % Swizzle.B64.span() == 0 ? Swizzle.B64
                : Swizzle.B32;
    }

    /** What a group needs of shared memory. @param width columns of a result */
    static int bytes(int width) {
        return ROWS * width * Short.BYTES;
    }

    /** Waits until what a group has written last may go, of a kernel that ends. */
    static void finish(Body body) {
        body.purpose("the last results have been read").when(BoxStore.isFirst(), one -> one.bulkWaitRead(0));
    }

    /**
     * Returns when what has been written may be overwritten, or leaves that to the next call and {@link #finish}.
     *
     * @param place of a byte of the group's own
     * @param isOwn whether nothing but results lies there
     */
    void write(Body body, Indexes indexes, Elementwise tile, Function<Expr, Address.Shared> place, boolean isOwn) {
        int span = swizzle().span();
        int columns = span / 2;
        Expr lane = Builtin.THREAD.modulo(32);
        Expr line = body.purpose("the row whose address this thread gives").let("line",
                Builtin.THREAD.modulo(Team.GROUP).dividedBy(32).times(16).plus(lane.modulo(16)));
        Register words = body.purpose("packed pairs of neighbouring elements").registers("words", ValueType.U32, 4);
        Expr group = body.purpose("this thread's group of four warps")
                .let("group", Builtin.THREAD.dividedBy(Team.GROUP));
        if (isOwn) {
            body.purpose("the previous result has been read").when(BoxStore.isFirst(), one -> one.bulkWaitRead(0));
        }
        body.purpose(isOwn ? "from here on every thread may write" : "all warps have multiplied what was there")
                .namedBarrier(group.plus(1),
                Team.GROUP).sync();
        body.unrolled("panel", width / columns, (each, panel) -> each.unrolled("part", columns / 16, (b, part) -> {
            Expr first = panel.times(columns / 2).plus(part.times(8));
            for (int i = 0; i < words.count(); i++) {
                b.purpose("two neighbours in one word").assign(words.at(i), bits(b, tile, first.plus(2 * i)).or(bits(b,
                        tile,
                        first.plus(2 * i + 1)).shiftLeft(16)));
            }
            Expr chunk = part.times(2).plus(lane.dividedBy(16)).xor(line.dividedBy(Swizzle.B128.span() / span)
                    .modulo(span / 16));
            b.purpose("the warp stores 16 rows by 16 columns").issue(new Stmatrix(MatrixCount.X4), Input.of(place.apply(
                    panel.times(ROWS * span).plus(line.times(span)).plus(chunk.times(16)))), Input.of(words));
        }));
        body.purpose("the copy engine sees what this thread wrote").proxyFence(FenceProxyAsync.Memory.SHARED);
        body.purpose("all threads of the group have written").namedBarrier(group.plus(1), Team.GROUP).sync();
        Parameter.TensorMap map = maps.of(store.tensor(), store.axes().stream().map(axis -> axis.single() ? 1
                : axis == store.axes().getLast() ? columns : Math.toIntExact(axis.length().size().orElseThrow()))
                .toList(), swizzle());
        List<Expr> start = ProductLoop.coordinates(indexes, store.axes());
        body.purpose("one thread starts the copies").when(BoxStore.isFirst(), one -> {
            IntStream.range(0, width / columns).forEach(panel -> {
                List<Expr> coordinates = new ArrayList<>(start);
                coordinates.set(0, start.getFirst().plus(panel * columns));
                one.tensorStore(map, coordinates, place.apply(Expr.of(panel * ROWS * span)));
            });
            one.bulkCommit();
            if (!isOwn) {
                one.purpose("they have read it").bulkWaitRead(0);
            }
        });
    }

    private static Value bits(Body body, Elementwise tile, Expr register) {
        return tile.at(body, register).bitCast(ValueType.U16).to(ValueType.U32);
    }
}
