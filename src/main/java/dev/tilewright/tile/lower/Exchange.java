package dev.tilewright.tile.lower;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.OutOfRegistersException;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.lower.layout.Held;
import dev.tilewright.tile.lower.layout.Layout;
import dev.tilewright.tile.lower.layout.Linear;
import dev.tilewright.tile.lower.layout.Places;
import dev.tilewright.tile.lower.layout.Registers;
import dev.tilewright.tile.lower.layout.Team;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.stream.IntStream;

/**
 * Gives threads elements that others hold: by other registers of their own where that is enough, else through memory.
 */
final class Exchange {
    /** Bytes that a thread shares with other blocks at a time: 8 values of 8 bytes. */
    private static final int SHARE = 64;

    private final SharedRegion.Buffer scratch;
    private final AtomicInteger bytes;
    private final Team team;
    private final SharedRegion.Buffer shares;
    private int rounds;

    /** @param bytes how much of the memory is needed; grows */
    Exchange(SharedRegion.Buffer scratch, AtomicInteger bytes, Team team) {
        this.scratch = scratch;
        this.bytes = bytes;
        this.team = team;
        this.shares = new SharedRegion.Buffer("shares", 2 * SHARE * team.threads(), 16);
    }

    /** Memory that threads use. */
    List<SharedRegion> regions() {
        return team.blockBits() == 0 ? List.of(scratch) : List.of(scratch, shares);
    }

    Team team() {
        return team;
    }

    /** The tile, held another way. */
    Held as(Body body, Held from, Layout layout) {
        return broadcast(body, from, layout, from.extents());
    }

    /** The tile repeated along axes of extent 1 and along axes put in front. */
    Held broadcast(Body body, Held from, Layout layout, List<Integer> extents) {
        if (from.layout().equals(layout) && from.extents().equals(extents)) {
            return from;
        }
        return ownRegisters(body, from, layout, extents).orElseGet(() -> Conversion.suits(from, layout, extents)
                ? converted(body, Conversion.of(from, layout)) : rowMajor(body, from, layout, extents));
    }

    private Held converted(Body body, Conversion conversion) {
        requireWhole(conversion.from().layout());
        requireWhole(conversion.to());
        need(conversion.bytes());
        team.sync(body);
        conversion.write(body, scratch);
        team.sync(body);
        return conversion.read(body, scratch);
    }

    private Held rowMajor(Body body, Held from, Layout layout, List<Integer> extents) {
        int before = extents.size() - from.extents().size();
        return read(body, from, layout, extents, (places, r) -> {
            Expr element = Expr.of(0);
            for (int axis = 0; axis < from.extents().size(); axis++) {
                int extent = from.extents().get(axis);
                element = element.times(extent).plus(extent == 1 ? Expr.of(0) : places.at(before + axis, r));
            }
            return new Place(element, places.inside(extents, r));
        }, zero(from.type()));
    }

    /** The elements that a thread holds already, under other numbers; nothing where it lacks one. */
    private Optional<Held> ownRegisters(Body body, Held from, Layout layout, List<Integer> extents) {
        // Beyond a tile's extents products take zeros for granted, which only an exchange gives.
        return images(from, layout, extents).map(images -> {
            Register register = Registers.held(body, "same", from.type(), layout, extents).register();
            Registers.each(body, layout.registerCount(), (b, r) -> b.assign(register.at(r),
                    from.register().at(Linear.of(r, images))));
            return new Held(register, layout, extents);
        });
    }

    /**
     * Which of its registers of a tile, repeated along axes where that takes it, a thread finds those of another layout
     * in: a number for each bit of a register's number there. Nothing where it lacks one.
     */
    static Optional<List<Integer>> images(Held from, Layout layout, List<Integer> extents) {
        int before = extents.size() - from.extents().size();
        List<Integer> images = new ArrayList<>();
        if (!projected(layout.threads(), from, before).equals(from.layout().threads())
                || !projected(layout.blocks(), from, before).equals(from.layout().blocks())) {
            return Optional.empty();
        }
        List<List<Integer>> own = from.layout().registers();
        for (List<Integer> wanted : projected(layout.registers(), from, before)) {
            if (wanted.stream().allMatch(i -> i == 0)) {
                images.add(0);
            } else if (own.contains(wanted)) {
                images.add(1 << own.indexOf(wanted));
            } else {
                return Optional.empty();
            }
        }
        return Optional.of(images);
    }

    private static List<List<Integer>> projected(List<List<Integer>> bases, Held from, int before) {
        List<List<Integer>> projected = new ArrayList<>();
        for (List<Integer> basis : bases) {
            List<Integer> place = new ArrayList<>();
            for (int axis = 0; axis < from.extents().size(); axis++) {
                place.add(from.extents().get(axis) == 1 ? 0 : basis.get(before + axis));
            }
            projected.add(place);
        }
        return projected;
    }

    /** The tile, held another way, with zeros where the layout has more places than the tile. */
    Held zeroBeyond(Body body, Held from, Layout layout) {
        return read(body, from, layout, from.extents(), (places, r) -> new Place(places.element(from.extents(), r),
                places.inside(from.extents(), r)), zero(from.type()));
    }

    /** The elements in row-major order in another shape. */
    Held reshaped(Body body, Held from, Layout layout, List<Integer> extents) {
        if (from.layout().registerCount() == 1 && from.layout().bits().stream().allMatch(i -> i == 0)) {
            return new Held(from.register(), layout, extents);
        }
        return read(body, from, layout, extents, (places, r) -> new Place(places.element(extents, r),
                places.inside(extents, r)), zero(from.type()));
    }

    /** Part of an axis, or more than it. */
    Held slice(Body body, Held from, Layout layout, List<Integer> extents, int axis, long first,
            Value.Const outside) {
        return read(body, from, layout, extents, (places, r) -> {
            Expr element = Expr.of(0);
            Expr inside = places.inside(extents, r);
            for (int i = 0; i < extents.size(); i++) {
                Expr at = i == axis ? places.at(i, r).plus(Math.toIntExact(first)) : places.at(i, r);
                element = element.times(from.extents().get(i)).plus(at);
                if (i == axis) {
                    Expr within = at.atLeast(0).and(at.lessThan(from.extents().get(i)));
                    inside = inside == null ? within : inside.and(within);
                }
            }
            return new Place(element, inside);
        }, outside);
    }

    /** An element in memory. @param inside where there is one; nothing where there always is */
    record Place(Expr element, Expr inside) { }

    /** Writes a tile into memory, and reads elements of it. */
    Held read(Body body, Held from, Layout layout, List<Integer> extents, BiFunction<Places, Expr, Place> place,
            Value.Const outside) {
        write(body, from);
        Held out = Registers.held(body, "moved", from.type(), layout, extents);
        readInto(body, out, place, outside);
        return out;
    }

    void readInto(Body body, Held out, BiFunction<Places, Expr, Place> place, Value.Const outside) {
        requireWhole(out.layout());
        Places places = new Places(body, out.layout());
        ValueType type = out.type();
        Register word = type == ValueType.PRED ? body.registers("word", ValueType.U8, 1) : null;
        Registers.each(body, out.layout().registerCount(), (b, r) -> {
            Place from = place.apply(places, r);
            if (from.inside() != null) {
                b.assign(out.register().at(r), outside);
                b.when(from.inside(), in -> load(in, out, r, from.element(), word));
            } else {
                load(b, out, r, from.element(), word);
            }
        });
    }

    private void load(Body body, Held out, Expr r, Expr element, Register word) {
        if (word == null) {
            body.load(out.register(), r, 1, Lowering.place(scratch, element, out.type()));
        } else {
            body.load(word, Lowering.place(scratch, element, ValueType.U8));
            body.assign(out.register().at(r), word.get().isNotEqualTo(Value.of(ValueType.U8, 0)));
        }
    }

    /** Puts a tile into memory, row-major; every thread sees it afterwards. */
    void write(Body body, Held from) {
        write(body, from, 0);
    }

    /** Puts a tile into memory behind so many elements of its type. */
    void write(Body body, Held from, int before) {
        requireWhole(from.layout());
        int count = Math.addExact(before, from.extents().stream().reduce(1, Math::multiplyExact));
        need(Math.multiplyExact(count, from.type() == ValueType.PRED ? 1 : from.type().bytes()));
        team.sync(body);
        Places places = new Places(body, from.layout());
        Expr first = first(from.layout());
        Registers.each(body, from.layout().registerCount(), (b, r) -> {
            Expr inside = places.inside(from.extents(), r);
            Expr mine = first == null ? inside : inside == null ? first : first.and(inside);
            if (mine == null) {
                store(b, from, r, places, before);
            } else {
                b.when(mine, in -> store(in, from, r, places, before));
            }
        });
        team.sync(body);
    }

    private void store(Body body, Held from, Expr r, Places places, int before) {
        Value value = from.register().at(r);
        Value stored = from.type() == ValueType.PRED
                ? value.choose(Value.of(ValueType.U8, 1), Value.of(ValueType.U8, 0)) : value;
        body.store(Lowering.place(scratch, places.element(from.extents(), r).plus(before), stored.type()), stored);
    }

    private static void requireWhole(Layout layout) {
        if (layout.isShared()) {
            throw new OutOfRegistersException("a tile that the blocks of a cluster share is taken together along its "
                    + "rows, but not exchanged: use smaller tiles");
        }
    }

    /**
     * Whether a thread is the first of those of its block that hold the same; nothing where all hold something of
     * their own.
     */
    static Expr first(Layout layout) {
        return layout.repeats() == 0 ? null : Builtin.THREAD.bitAnd(layout.repeats()).isEqualTo(0);
    }

    /** Whether a thread is the first of all that hold the same, those of other blocks among them. */
    static Expr firstOfAll(Layout layout) {
        Expr own = first(layout);
        if (layout.blocks().isEmpty() || layout.isShared()) {
            return own;
        }
        Expr block = Builtin.CLUSTER_RANK.isEqualTo(0);
        return own == null ? block : own.and(block);
    }

    /**
     * What the threads of the same number have in each block of a cluster whose number differs in some bits. Rounds
     * take turns with two places: who writes one has waited for all that read it the time before.
     *
     * @param values at most 8
     * @param masks exclusive ors of a block's number
     * @return for each mask the values
     */
    List<List<Value>> ofBlocks(Body body, List<Value> values, List<Integer> masks) {
        int half = rounds++ % 2 * SHARE * team.threads();
        int apart = team.threads() * values.getFirst().type().bytes();
        ValueType type = values.getFirst().type();
        Expr place = body.let("share", Builtin.THREAD.times(type.bytes()).plus(half));
        for (int i = 0; i < values.size(); i++) {
            body.store(shares.at(place.plus(i * apart)), values.get(i));
        }
        body.clusterSync();
        List<List<Value>> all = new ArrayList<>();
        for (int mask : masks) {
            Register theirs = body.registers("theirs", type, values.size());
            Expr rank = body.let("rank", Builtin.CLUSTER_RANK.xor(mask));
            for (int i = 0; i < values.size(); i++) {
                body.load(theirs, Expr.of(i), 1, new Address.Remote(shares, place.plus(i * apart), rank));
            }
            all.add(IntStream.range(0, values.size()).mapToObj(theirs::at).toList());
        }
        return all;
    }

    void need(int count) {
        bytes.accumulateAndGet(Math.max(16, count), Math::max);
    }

    SharedRegion.Buffer scratch() {
        return scratch;
    }

    static Value.Const zero(ValueType type) {
        return (Value.Const) Value.ofBits(type, 0);
    }
}
