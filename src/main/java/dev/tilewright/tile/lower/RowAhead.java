package dev.tilewright.tile.lower;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.tile.Axis;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.TileNode;
import dev.tilewright.tile.lower.analysis.Indexes;
import dev.tilewright.tile.lower.exchange.Reducer;
import dev.tilewright.tile.lower.layout.Held;
import dev.tilewright.tile.lower.layout.Layout;
import dev.tilewright.tile.lower.layout.Linear;
import dev.tilewright.tile.lower.layout.OutOfStagesException;
import dev.tilewright.tile.lower.layout.Registers;
import dev.tilewright.tile.lower.layout.Team;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/**
 * Brings a row that the blocks of a cluster share while they compute the row before: the copy engine puts a block's
 * part of it into shared memory, a piece for each {@link Reducer#LAPS lap} of accumulators.
 */
final class RowAhead {
    private static final int ALIGNMENT = 128;

    private final Tile tile;
    private final TileNode.Load load;
    private final int threads;
    private final int laps;
    /** Neighbouring elements that a block has of each lap. */
    private final int own;
    private final int each;
    private final SharedRegion.Buffer room;
    private final SharedRegion.Barriers landed = new SharedRegion.Barriers("landed", 1);

    private RowAhead(Tile tile, TileNode.Load load, Team team, int columns, int bytes) {
        this.tile = tile;
        this.load = load;
        this.threads = team.threads();
        this.laps = columns >> Reducer.LAPS;
        this.own = (1 << Reducer.LAPS) >> team.blockBits();
        this.each = tile.type().bytes();
        this.room = new SharedRegion.Buffer("ahead", bytes, ALIGNMENT);
    }

    /** The first load of a whole row of the grid's, of whole laps, which begins at a multiple of 16 bytes. */
    static Optional<RowAhead> of(TileKernel kernel, Map<String, Long> known, Team team, Predicate<Tensor> aligned) {
        Indexes indexes = new Indexes(Map.of(), known);
        int own = (1 << Reducer.LAPS) >> team.blockBits();
        for (Tile tile : kernel.grid().body().tiles().toList()) {
            if (team.blockBits() > 0 && own >= team.threads() && tile.node() instanceof TileNode.Load load
                    && load.tensor().role() == Tensor.Role.IN && aligned.test(load.tensor())
                    && isRow(kernel, load)) {
                int columns = TileSteps.extents(tile, indexes).getFirst();
                if (columns % (1 << Reducer.LAPS) == 0) {
                    long bytes = (long) (columns >> Reducer.LAPS) * own * tile.type().bytes();
                    if (bytes > SharedLayout.LARGEST) {
                        throw new OutOfStagesException("rows of " + columns + " elements that are brought ahead take "
                                + bytes + " bytes of each block's shared memory, and the largest block has "
                                + SharedLayout.LARGEST + ": go along them in a loop");
                    }
                    return Optional.of(new RowAhead(tile, load, team, columns, (int) bytes));
                }
            }
        }
        return Optional.empty();
    }

    private static boolean isRow(TileKernel kernel, TileNode.Load load) {
        List<Axis> axes = load.axes();
        return axes.size() > 1 && IntStream.range(0, axes.size()).allMatch(i -> axes.get(i).single()
                == i < axes.size() - 1 && TensorAccess.isInside(axes.get(i), load.tensor().dims().get(i),
                        GridSteps.numbers(kernel.grid())));
    }

    Tile tile() {
        return tile;
    }

    int bytes() {
        return room.bytes();
    }

    List<SharedRegion> regions() {
        return List.of(room, landed);
    }

    /** Starts the first row's copies. */
    void start(Body body, Indexes indexes) {
        body.purpose("one thread sets up the barrier of the rows that are copied").when(Builtin.THREAD.isEqualTo(0),
                one -> {
                    one.barrierInit(landed.at(0), 1);
                    one.barrierInitFence();
                    one.arriveExpectTx(landed.at(0), room.bytes());
                });
        body.syncThreads();
        copy(body, indexes);
    }

    /** Waits for the row of a turn; laps beyond it, up to a power of two, are outside. */
    void take(Body body, Held out, Expr turn) {
        body.purpose("the row has landed").waitParity(landed.at(0), turn.modulo(2));
        Layout layout = out.layout();
        int width = Math.min(1 << layout.side(), Lowering.ALIGNMENT / each);
        List<Integer> places = layout.registers().stream().map(b -> b.getFirst() < own ? b.getFirst()
                : (b.getFirst() >> Reducer.LAPS) * own).toList();
        Expr first = body.let("mine", Linear.of(Builtin.THREAD, layout.threads().stream().map(List::getFirst).toList())
                .times(each));
        boolean all = layout.registerCount() * threads == laps * own;
        Registers.each(body, layout.registerCount() / width, (b, group) -> {
            Expr place = Linear.of(group.times(width), places);
            Consumer<Body> there = inside -> inside.load(out.register(), group.times(width), width,
                    room.at(first.plus(place.times(each))));
            if (all) {
                there.accept(b);
            } else {
                b.when(place.lessThan(laps * own), there, outside -> {
                    for (int i = 0; i < width; i++) {
                        outside.assign(out.register().at(group.times(width).plus(i)), load.outside());
                    }
                });
            }
        });
    }

    /** Starts the next row's copies: all threads have taken this one's elements. */
    void next(Body body, Indexes indexes) {
        body.purpose("announce the row that is copied next").when(Builtin.THREAD.isEqualTo(0),
                one -> one.arriveExpectTx(landed.at(0),
                room.bytes()));
        body.syncThreads();
        copy(body, indexes);
    }

    private void copy(Body body, Indexes indexes) {
        Expr row = Expr.of(0L);
        for (int i = 0; i < load.axes().size() - 1; i++) {
            row = row.plus(indexes.of(((Span) load.axes().get(i)).start()).times(Lowered.stride(load.tensor(), i)
                    .value()));
        }
        Expr from = body.let("from", row.plus(Builtin.CLUSTER_RANK.times(own).toS64()).times(each));
        body.purpose("this block's part of it").loop("lap", Builtin.THREAD, laps, threads, (b, lap) -> b.bulkLoad(
                room.at(lap.times(own * each)), new Address.Global(Lowered.pointer(load.tensor()), from.plus(lap.toS64()
                        .times((1 << Reducer.LAPS) * each))), own * each, landed.at(0)));
    }
}
