package dev.tilewright.tile.lower;

import dev.tilewright.layout.Swizzle;
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
import dev.tilewright.tile.Axis;
import dev.tilewright.tile.Region;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.Update;
import dev.tilewright.tile.lower.analysis.Epilogue;
import dev.tilewright.tile.lower.analysis.Indexes;
import dev.tilewright.tile.lower.analysis.TileOrder;
import dev.tilewright.tile.lower.layout.Elementwise;
import dev.tilewright.tile.lower.layout.ProgramMaps;
import dev.tilewright.tile.lower.layout.Team;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.IntFunction;

/**
 * Stores of a product's results of 16 bits. A group of four warps writes boxes of 64 x 64 to shared memory, swizzled by
 * 128 bytes, with {@code stmatrix}, which takes them as they lie in a warp's threads, and one thread has the copy
 * engine take each box away, while the next tile is multiplied. There is room for two boxes of a group: before it
 * writes one, the copy before the last must have read it. Where rows of the tensor, or tiles within rows, begin
 * anywhere, each warp stores the rows that it wrote itself.
 */
final class BoxStore {
    private static final int SIDE = 64;
    private static final int LINE = 2 * SIDE;
    private static final int BOX_BYTES = SIDE * LINE;
    /** Results of a box that a thread has. */
    private static final int OF_BOX = SIDE / 2;

    private final ProductPattern pattern;
    private final ProgramMaps maps;
    private final SharedRegion.Buffer boxes;
    private final TileOrder order;
    /** Whether the kernel has one store. */
    private final boolean alone;
    /** Whether code that is written once for each element would be too long. */
    private final boolean isLong;
    private boolean byOneCode;
    private boolean used;
    private final Set<Tensor> byRows = new HashSet<>();

    BoxStore(TileKernel kernel, ProductPattern pattern, Epilogue epilogue, ProgramMaps maps) {
        this.order = new TileOrder(kernel);
        this.alone = kernel.grid().body().stores().count() == 1;
        this.isLong = alone && epilogue.isLong(pattern.ofThread());
        this.pattern = pattern;
        this.maps = maps;
        this.boxes = new SharedRegion.Buffer("boxes", 2 * pattern.groups() * BOX_BYTES, 1024);
    }

    /** Two boxes of each group, where any are stored. */
    static int bytes(ProductPattern pattern) {
        return pattern.boxed() ? 2 * pattern.groups() * BOX_BYTES : 0;
    }

    List<SharedRegion> regions() {
        return pattern.boxed() ? List.of(boxes) : List.of();
    }

    boolean byOneCode() {
        return byOneCode;
    }

    /** Tensors that warps store rows of. */
    Set<Tensor> byRows() {
        return byRows;
    }

    /** Why a tile is not stored so; nothing where it is. */
    Optional<String> whyNot(Region.Store store) {
        String name = store.tensor().name();
        if (pattern.byThreads()) {
            return Optional.of("no thread has elements of '" + name + "' as boxes of the copy engine are written");
        }
        if (order.isRepeated(store)) {
            return Optional.of("'" + name + "' is stored to several times, and copies have no order");
        }
        if (store.tensor().type().bits() != 16 || store.update() != Update.SET) {
            return Optional.of("'" + name + "' takes no plain elements of 16 bits");
        }
        List<Axis> places = store.axes().stream().filter(axis -> !axis.single()).toList();
        return places.size() == 2 && pattern.sums().get(1) >= SIDE ? Operand.whyNotStored(name, store.axes())
                : Optional.of("a tile of '" + name + "' is no matrix of 64 columns or more");
    }

    /** @param aligned whether rows of the tensor, and tiles in them, begin at multiples of 16 bytes, as boxes do */
    void write(Body body, Indexes indexes, Region.Store store, Elementwise tile, boolean aligned) {
        Taking taking = aligned ? byCopies(body, indexes, store) : byRows(body, indexes, store);
        Register words = body.purpose("packed pairs of neighbouring elements").registers("words", ValueType.U32, 4);
        Expr group = body.purpose("this thread's group of four warps").let("group", group());
        Expr lane = Builtin.THREAD.modulo(32);
        Expr line = body.purpose("the row of the box whose address this thread gives").let("line",
                firstRow().plus(lane.modulo(16)));
        int across = pattern.sums().get(1) / SIDE;
        int boxes = across * pattern.blocks();
        Optional<Map<Register, Integer>> strides = isLong
                ? tile.parts().flatMap(parts -> parts.strides(tile, OF_BOX, boxes)) : Optional.empty();
        BiConsumer<Body, Expr> code = (each, box) -> {
            Expr place = each.purpose("one of the group's two boxes").let("place",
                    group.times(2).plus(box.modulo(2)).times(BOX_BYTES));
            taking.before(each);
            each.unrolled("part", SIDE / 16, (b, part) -> {
                Expr own = part.times(8);
                Expr first = box.times(OF_BOX).plus(own);
                pack(b, words, strides.isEmpty() ? i -> tile.at(b, first.plus(i))
                        : i -> tile.parts().orElseThrow().code().at(b, first.plus(i), own.plus(i)));
                Expr chunk = part.times(2).plus(lane.dividedBy(16)).xor(line.modulo(8));
                b.purpose("the warp stores 16 rows by 16 columns").issue(new Stmatrix(MatrixCount.X4),
                        Input.of(this.boxes.at(place.plus(line.times(LINE)).plus(chunk.times(16)))), Input.of(words));
            });
            boolean one = pattern.blocks() == 1;
            Expr down = one ? group : group.times(pattern.blocks()).plus(box.dividedBy(across));
            taking.after(each, place, down.times(SIDE), (one ? box : box.modulo(across)).times(SIDE));
        };
        byOneCode = strides.isPresent();
        if (byOneCode) {
            body.purpose("the code of one box for all: instructions of many would not stay in their caches")
                    .loop("box", boxes, (each, box) -> {
                        code.accept(each, box);
                        strides.get().forEach((register, stride) -> each.purpose("what the next box is made of")
                                .unrolled("i", register.count() - stride, (b, i) ->
                                        b.assign(register.at(i), register.at(i.plus(stride)))));
                    });
        } else {
            body.unrolled("box", boxes, code::accept);
        }
    }

    /** What happens around a box that is written. */
    private interface Taking {
        /** It is free. */
        void before(Body body);

        /** It is taken away. @param down first row in the tile @param across first column */
        void after(Body body, Expr place, Expr down, Expr across);
    }

    private Taking byCopies(Body body, Indexes indexes, Region.Store store) {
        used = true;
        Parameter.TensorMap map = maps.of(store.tensor(), store.axes().stream().map(axis -> axis.single() ? 1 : SIDE)
                .toList(), Swizzle.B128);
        List<Expr> start = ProductLoop.coordinates(indexes, store.axes()).stream().<Expr>map(e -> body.let("start", e))
                .toList();
        int rows = store.axes().size() - 1 - indexOfRows(store.axes());
        // One box a tile is the same one each time.
        int pending = pattern.sums().get(1) / SIDE * pattern.blocks() == 1 ? 0 : 1;
        return new Taking() {
            @Override
            public void before(Body each) {
                free(each, pending);
            }

            @Override
            public void after(Body each, Expr place, Expr down, Expr across) {
                each.purpose("the copy engine sees what this thread wrote").proxyFence(FenceProxyAsync.Memory.SHARED);
                each.purpose("all threads of the group have written").namedBarrier(group().plus(1), Team.GROUP).sync();
                each.purpose("one thread starts the copy").when(isFirst(), one -> {
                    List<Expr> coordinates = new ArrayList<>(start);
                    coordinates.set(0, start.getFirst().plus(across));
                    coordinates.set(rows, start.get(rows).plus(down));
                    one.tensorStore(map, coordinates, boxes.at(place));
                    one.bulkCommit();
                });
            }
        };
    }

    private Taking byRows(Body body, Indexes indexes, Region.Store store) {
        byRows.add(store.tensor());
        RowStore rows = new RowStore(body, store, indexes);
        return new Taking() {
            @Override
            public void before(Body each) {
                if (alone) {
                    each.purpose("the warp has read what was there").syncWarp();
                } else {
                    free(each, 0);
                }
            }

            @Override
            public void after(Body each, Expr place, Expr down, Expr across) {
                rows.write(each, boxes, place, firstRow(), down, across);
            }
        };
    }

    private static void free(Body body, int pending) {
        body.purpose("the earlier copy from this box has read it").when(isFirst(), one -> one.bulkWaitRead(pending));
        body.purpose("from here on every thread may write").namedBarrier(group().plus(1), Team.GROUP).sync();
    }

    private static Expr group() {
        return Builtin.THREAD.dividedBy(Team.GROUP);
    }

    /** Of a box, the first row that the warp writes. */
    private static Expr firstRow() {
        return Builtin.THREAD.modulo(Team.GROUP).dividedBy(32).times(16);
    }

    private static int indexOfRows(List<Axis> axes) {
        int row = 0;
        while (axes.get(row).single()) {
            row++;
        }
        return row;
    }

    /** The block stays until the copies have read all boxes. */
    void finish(Body body) {
        if (used) {
            body.purpose("the last copies have read their boxes").bulkWaitRead(0);
        }
    }

    /** Whether it is the thread of its group that starts copies. */
    static Expr isFirst() {
        return Builtin.THREAD.modulo(Team.GROUP).isEqualTo(0);
    }

    /** Eight results, as four words. @param result one of them */
    private static void pack(Body body, Register words, IntFunction<Value> result) {
        for (int i = 0; i < words.count(); i++) {
            Value low = bits(result.apply(2 * i));
            Value high = bits(result.apply(2 * i + 1));
            body.purpose("two neighbours in one word").assign(words.at(i), low.or(high.shiftLeft(16)));
        }
    }

    private static Value bits(Value result) {
        return result.bitCast(ValueType.U16).to(ValueType.U32);
    }
}
