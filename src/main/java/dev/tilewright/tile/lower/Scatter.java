package dev.tilewright.tile.lower;

import dev.tilewright.program.Body;
import dev.tilewright.program.Warp;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.memory.Red;
import dev.tilewright.tile.Axis;
import dev.tilewright.tile.Region;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Update;
import dev.tilewright.tile.lower.analysis.Indexes;
import dev.tilewright.tile.lower.exchange.Exchange;
import dev.tilewright.tile.lower.layout.Bounds;
import dev.tilewright.tile.lower.layout.Held;
import dev.tilewright.tile.lower.layout.Places;
import dev.tilewright.tile.lower.layout.Registers;
import dev.tilewright.tile.lower.layout.Team;
import java.util.List;
import java.util.Optional;

/**
 * Scatters rows in ascending order: a tile and its rows' numbers go through shared memory, and a thread takes whole
 * columns of the tile, from the first row to the last. What may be added in any order to few numbers, such as counts, a
 * block adds up in shared memory first: each lane in a copy of its own, as far as there is room, so that a warp's lanes
 * meet neither at one number nor in one bank.
 */
record Scatter(Body body, Exchange exchange, Indexes indexes, Team team) {
    private static final int ALIGNMENT = 16;
    /** Numbers that a block adds up for itself. */
    private static final int MOST_SUMS = 4096;
    /** Of numbers and copies, with which several blocks are on a multiprocessor. */
    private static final int MOST_COPIED = 8192;
    /** Words that a thread writes at once. */
    private static final int WORDS = 4;

    void store(Region.Store store, Held from, Held numbers) {
        int rows = from.extents().getFirst();
        int columns = from.extents().stream().skip(1).reduce(1, Math::multiplyExact);
        int behind = Math.ceilDiv(Math.multiplyExact(rows * columns, from.type().bytes()), ALIGNMENT) * ALIGNMENT;
        exchange.need(behind + rows * numbers.type().bytes());
        exchange.write(body, from);
        numbers(numbers, behind);
        team.sync(body);
        body.loop("column", Builtin.THREAD, columns, team.threads(), (each, column) ->
                each.loop("row", rows, (in, row) -> one(in, store, from, numbers, behind, row, column, columns)));
    }

    /** Whether it adds to so few numbers of 32 bits, in any order, that a block adds them up for itself. */
    static boolean isOfSums(Region.Store store, Team team) {
        Tensor tensor = store.tensor();
        return store.axes().getFirst() instanceof Axis.Rows && store.update() == Update.ADD
                && tensor.type().isInteger() && tensor.type().bits() == Integer.SIZE && tensor.dims().size() == 1
                && tensor.dims().getFirst().size().orElse(Long.MAX_VALUE) <= MOST_SUMS && team.whole()
                && team.blockBits() == 0;
    }

    /**
     * The store of a region which, with others of the same tensor, is all that the region stores, if it is {@link
     * #isOfSums of sums}: what a loop's turns add up goes to the tensor once.
     */
    static Optional<Region.Store> sums(Region region, Team team) {
        List<Region.Store> stores = region.stores().toList();
        return stores.stream().findFirst().filter(first -> stores.stream().allMatch(store -> isOfSums(store, team)
                && store.tensor() == first.tensor()));
    }

    /** Copies of each number. */
    private static int copies(Tensor tensor) {
        return Math.clamp(Integer.highestOneBit(MOST_COPIED / count(tensor)), 1, Warp.LANES);
    }

    private static int count(Tensor tensor) {
        return Math.toIntExact(tensor.dims().getFirst().size().orElseThrow());
    }

    /** Begins with zeros in shared memory. */
    void begin(Tensor tensor) {
        int words = Math.ceilDiv(count(tensor) * copies(tensor), WORDS);
        SharedRegion.Buffer sums = exchange.sums(words * WORDS * Integer.BYTES);
        Value zero = Value.ofBits(tensor.type(), 0);
        team.sync(body);
        body.loop("sum", Builtin.THREAD, words, team.threads(), (b, word) -> b.store(sums.at(word.times(WORDS
                * Integer.BYTES)), zero, zero, zero, zero));
        team.sync(body);
    }

    /** Adds a tile's elements in shared memory. */
    void add(Region.Store store, Held from, Held numbers) {
        Tensor tensor = store.tensor();
        Places places = new Places(body, from.layout());
        Expr first = Exchange.firstOfAll(from.layout());
        Expr copy = body.purpose("this lane's copy of all sums").let("copy", Builtin.THREAD.modulo(copies(tensor)));
        Registers.each(body, from.layout().registerCount(), (b, r) -> {
            Value number = numbers.register().at(r);
            Expr to = b.let("to", number.type().bits() > Integer.SIZE ? number.toIndex().toS64() : number.toIndex());
            Expr inside = Bounds.within(to, Expr.of(count(tensor)));
            Expr mine = places.inside(from.extents(), r);
            inside = mine == null ? inside : mine.and(inside);
            b.when(first == null ? inside : first.and(inside), in -> in.issue(Red.relaxed(Scope.CTA, Space.SHARED,
                    AtomicOp.ADD, DataType.U32), Input.of(sum(tensor, to.toS32(), copy)),
                    Input.of(word(from.register().at(r)))));
        });
    }

    /** Adds what came of all tiles to the tensor. */
    void end(Tensor tensor) {
        team.sync(body);
        body.loop("sum", Builtin.THREAD, count(tensor), team.threads(), (b, sum) -> {
            Register value = b.registers("x", tensor.type(), 1);
            b.assign(value.get(), Value.ofBits(tensor.type(), 0));
            b.purpose("each lane begins with a different copy, in a different bank").loop("turn", copies(tensor), (each,
                    turn) -> each.assign(value.get(), value.get().plus(each.load("y", tensor.type(), sum(tensor, sum,
                    turn.plus(sum).modulo(copies(tensor)))))));
            b.when(word(value.get()).isEqualTo(0).not(), in -> in.issue(Red.relaxed(Scope.GPU, Space.GLOBAL,
                    AtomicOp.ADD, DataType.U32), Input.of(new Address.Global(Lowered.pointer(tensor), sum.toS64()
                            .times(Integer.BYTES))), Input.of(word(value.get()))));
        });
    }

    private Address.Shared sum(Tensor tensor, Expr number, Expr copy) {
        return exchange.sums(0).at(number.times(copies(tensor)).plus(copy).times(Integer.BYTES));
    }

    private static Expr word(Value value) {
        return value.bitCast(ValueType.I32).toIndex();
    }

    private void numbers(Held numbers, int behind) {
        Places places = new Places(body, numbers.layout());
        Expr first = Exchange.first(numbers.layout());
        Registers.each(body, numbers.layout().registerCount(), (b, r) -> {
            Expr inside = places.inside(numbers.extents(), r);
            Expr mine = first == null ? inside : inside == null ? first : first.and(inside);
            b.when(mine == null ? Expr.of(0).isEqualTo(0) : mine, in -> in.store(
                    number(numbers.type(), behind, places.at(0, r)), numbers.register().at(r)));
        });
    }

    private Address.Shared number(ValueType type, int behind, Expr row) {
        return exchange.scratch().at(row.times(type.bytes()).plus(behind));
    }

    private void one(Body in, Region.Store store, Held from, Held numbers, int behind, Expr row, Expr column,
            int columns) {
        Tensor tensor = store.tensor();
        Expr at = in.let("to", in.load("number", numbers.type(), number(numbers.type(), behind, row)).toIndex()
                .toS64());
        Expr inside = Bounds.within(at, indexes.of(tensor.dims().getFirst().value()));
        Expr offset = tensor.dims().size() == 1 ? at : at.times(Lowered.stride(tensor, 0).value());
        List<Axis> axes = store.axes();
        Expr rest = column;
        int tileAxis = from.extents().size() - 1;
        for (int i = axes.size() - 1; i > 0; i--) {
            Span span = (Span) axes.get(i);
            Expr place = indexes.of(span.start());
            if (!span.single()) {
                int extent = from.extents().get(tileAxis--);
                place = place.plus((tileAxis == 0 ? rest : rest.modulo(extent)).toS64().times(span.step()));
                rest = rest.dividedBy(extent);
            }
            place = in.let("c", place);
            inside = Bounds.within(inside, place, indexes.of(tensor.dims().get(i).value()));
            offset = offset.plus(i == tensor.dims().size() - 1 ? place
                    : place.times(Lowered.stride(tensor, i).value()));
        }
        Address to = new Address.Global(Lowered.pointer(tensor), offset.times(tensor.type().bytes()));
        in.when(inside, b -> {
            Value value = b.load("x", from.type(), Exchange.place(exchange.scratch(), row.times(columns).plus(column),
                    from.type()));
            b.store(to, store.update().op().<Value>map(op -> new Value.Binary(op, b.load("there", from.type(), to),
                    value)).orElse(value));
        });
    }
}
