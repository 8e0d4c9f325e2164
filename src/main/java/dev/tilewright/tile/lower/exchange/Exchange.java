package dev.tilewright.tile.lower.exchange;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.OutOfRegistersException;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.lower.layout.Bounds;
import dev.tilewright.tile.lower.layout.Elementwise;
import dev.tilewright.tile.lower.layout.Held;
import dev.tilewright.tile.lower.layout.Layout;
import dev.tilewright.tile.lower.layout.Linear;
import dev.tilewright.tile.lower.layout.Places;
import dev.tilewright.tile.lower.layout.Registers;
import dev.tilewright.tile.lower.layout.Team;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.stream.IntStream;

/**
 * Gives threads elements that others hold: by other registers of their own where that is enough, else through memory.
 */
public final class Exchange {
    /** Bytes in which values of warps take turns. */
    private static final int ROOM = 16384;

    private final SharedRegion.Buffer scratch;
    private final Team team;
    private final ExchangeNeeds needs;
    private final ClusterExchange cluster;
    /** The bytes that threads may still read since they last waited for each other. */
    private int readFrom;
    private int readUntil = Integer.MAX_VALUE;

    /** @param needs grows */
    public Exchange(SharedRegion.Buffer scratch, ExchangeNeeds needs, Team team) {
        this.scratch = scratch;
        this.needs = needs;
        this.team = team;
        this.cluster = new ClusterExchange(needs, team);
    }

    /** Memory that threads use. */
    public List<SharedRegion> regions() {
        List<SharedRegion> regions = new ArrayList<>(List.of(scratch));
        regions.addAll(cluster.regions());
        if (needs.sums > 0) {
            regions.add(sums(0));
        }
        return regions;
    }

    /** Memory in which a block adds something up, and which no exchange uses. @param bytes of which this many */
    public SharedRegion.Buffer sums(int bytes) {
        needs.sums = Math.max(needs.sums, bytes);
        return new SharedRegion.Buffer("scratch_sums", Math.max(16, needs.sums), 16);
    }

    public Team team() {
        return team;
    }

    /** Between the blocks of a cluster. */
    public ClusterExchange cluster() {
        return cluster;
    }

    /** The tile, held another way. */
    public Held as(Body body, Held from, Layout layout) {
        return broadcast(body, from, layout, from.extents());
    }

    /** The tile repeated along axes of extent 1 and along axes put in front. */
    public Held broadcast(Body body, Held from, Layout layout, List<Integer> extents) {
        if (from.layout().equals(layout) && from.extents().equals(extents)) {
            return from;
        }
        Elementwise elements = Elementwise.of(from);
        return ownRegisters(body, from, layout, extents).orElseGet(() -> Conversion.suits(elements, layout, extents)
                ? converted(body, Conversion.of(elements, layout)) : rowMajor(body, from, layout, extents));
    }

    /** A tile whose elements are computed where they are used, held another way; nothing where that takes them all. */
    public Optional<Held> computed(Body body, Elementwise from, Layout layout) {
        return from.later() && Conversion.suits(from, layout, from.extents())
                ? Optional.of(converted(body, Conversion.of(from, layout))) : Optional.empty();
    }

    /** Whether a tile moves from one layout to another in wide accesses that wait for no bank. */
    public static boolean isByBanks(Elementwise from, Layout to, List<Integer> extents) {
        return Conversion.suits(from, to, extents);
    }

    private Held converted(Body body, Conversion conversion) {
        requireWhole(conversion.from().layout());
        requireWhole(conversion.to());
        need(conversion.bytes());
        team.sync(body);
        unknown();
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
        return from.images(layout, extents).map(images -> {
            Register register = Registers.held(body, "same", from.type(), layout, extents).register();
            Registers.each(body, layout.registerCount(), (b, r) -> b.assign(register.at(r),
                    from.register().at(Linear.of(r, images))));
            return new Held(register, layout, extents);
        });
    }

    /** The tile, held another way, with zeros where the layout has more places than the tile. */
    public Held zeroBeyond(Body body, Held from, Layout layout) {
        return read(body, from, layout, from.extents(), (places, r) -> new Place(places.element(from.extents(), r),
                places.inside(from.extents(), r)), zero(from.type()));
    }

    /** The elements in row-major order in another shape. */
    public Held reshaped(Body body, Held from, Layout layout, List<Integer> extents) {
        if (from.layout().registerCount() == 1 && from.layout().bits().stream().allMatch(i -> i == 0)) {
            return new Held(from.register(), layout, extents);
        }
        return read(body, from, layout, extents, (places, r) -> new Place(places.element(extents, r),
                places.inside(extents, r)), zero(from.type()));
    }

    /** Part of an axis, or more than it. */
    public Held slice(Body body, Held from, Layout layout, List<Integer> extents, int axis, long first,
            Value.Const outside) {
        // Beyond both ends there is nothing, however far; numbers of places have 32 bits.
        int moved = Math.clamp(first, -extents.get(axis), from.extents().get(axis));
        return read(body, from, layout, extents, (places, r) -> {
            Expr element = Expr.of(0);
            Expr inside = places.inside(extents, r);
            for (int i = 0; i < extents.size(); i++) {
                Expr at = i == axis ? places.at(i, r).plus(moved) : places.at(i, r);
                element = element.times(from.extents().get(i)).plus(at);
                if (i == axis) {
                    inside = Bounds.within(inside, at, Expr.of(from.extents().get(i)));
                }
            }
            return new Place(element, inside);
        }, outside);
    }

    /** An element in memory. @param inside where there is one; nothing where there always is */
    public record Place(Expr element, Expr inside) { }

    /** Writes a tile into memory, and reads elements of it. */
    public Held read(Body body, Held from, Layout layout, List<Integer> extents, BiFunction<Places, Expr, Place> place,
            Value.Const outside) {
        write(body, from);
        Held out = Registers.held(body, "moved", from.type(), layout, extents);
        readInto(body, out, place, outside);
        return out;
    }

    public void readInto(Body body, Held out, BiFunction<Places, Expr, Place> place, Value.Const outside) {
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
            body.load(out.register(), r, 1, place(scratch, element, out.type()));
        } else {
            body.load(word, place(scratch, element, ValueType.U8));
            body.assign(out.register().at(r), word.get().isNotEqualTo(Value.of(ValueType.U8, 0)));
        }
    }

    /** Puts a tile into memory, row-major; every thread sees it afterwards. */
    public void write(Body body, Held from) {
        write(body, from, 0);
    }

    /** Puts a tile into memory behind this many elements of its type. */
    public void write(Body body, Held from, int before) {
        requireWhole(from.layout());
        int count = Math.addExact(before, from.extents().stream().reduce(1, Math::multiplyExact));
        need(Math.multiplyExact(count, from.type() == ValueType.PRED ? 1 : from.type().bytes()));
        team.sync(body);
        unknown();
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
        body.store(place(scratch, places.element(from.extents(), r).plus(before), stored.type()), stored);
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
    public static Expr first(Layout layout) {
        return layout.repeats() == 0 ? null : Builtin.THREAD.bitAnd(layout.repeats()).isEqualTo(0);
    }

    /** Whether a thread is the first of all that hold the same, those of other blocks among them. */
    public static Expr firstOfAll(Layout layout) {
        Expr own = first(layout);
        if (layout.blocks().isEmpty() || layout.isShared()) {
            return own;
        }
        Expr block = Builtin.CLUSTER_RANK.isEqualTo(0);
        return own == null ? block : own.and(block);
    }

    /** The steps of a tile that a cluster takes follow. */
    public void turn(Expr number) {
        cluster.turn(number);
        unknown();
    }

    /**
     * What the threads have whose number differs in some bits. Of what a thread has it needs one part, and of others
     * the same.
     *
     * @param parts values of each part, a power of two of them, and as many parts
     * @param bits of a thread's number; the first of them say which part is its own
     * @param masks exclusive ors of a thread's number, the first 0
     * @return for each mask the values
     */
    public List<List<Value>> ofWarps(Body body, List<List<Value>> parts, List<Integer> bits, List<Integer> masks) {
        ValueType type = parts.getFirst().getFirst().type();
        int count = parts.getFirst().size();
        int apart = type.bytes() * team.threads();
        int each = apart * count;
        int at = room(body, each * parts.size());
        for (int part = 0; part < parts.size(); part++) {
            for (int i = 0; i < count; i++) {
                body.store(scratch.at(Builtin.THREAD.times(type.bytes()).plus(at + part * each + i * apart)),
                        parts.get(part).get(i));
            }
        }
        team.sync(body);
        List<Integer> own = IntStream.range(0, team.bits()).map(bit -> bits.indexOf(bit)).map(i -> i >= 0
                && 1 << i < parts.size() ? each << i : 0).boxed().toList();
        Expr mine = body.let("mine", Linear.of(Builtin.THREAD, own).plus(at));
        List<List<Value>> all = new ArrayList<>();
        for (int mask : masks) {
            List<Value> values = new ArrayList<>();
            for (int i = 0; i < count && (mask != 0 || parts.size() > 1); i++) {
                Register other = body.registers("other", type, 1);
                body.load(other, scratch.at(Builtin.THREAD.xor(mask).times(type.bytes()).plus(mine).plus(i * apart)));
                values.add(other.get());
            }
            all.add(values.isEmpty() ? parts.getFirst() : values);
        }
        return all;
    }

    /**
     * Where threads write next: beside what others may still read, else at the start when all have read.
     *
     * @param count of bytes
     */
    private int room(Body body, int count) {
        int at = readFrom >= count ? 0 : readUntil <= ROOM - count ? readUntil : -1;
        if (at < 0) {
            team.sync(body);
            at = 0;
        }
        readFrom = at;
        readUntil = at + count;
        need(readUntil);
        return at;
    }

    /** Threads have nothing to wait for. @param tiles that a cluster takes, one after the other */
    public void start(Body body, Expr tiles) {
        cluster.start(body, tiles);
        readFrom = 0;
        readUntil = 0;
    }

    /** From here on it is not known what threads may still read: where steps run again, or are left out. */
    public void unknown() {
        readFrom = 0;
        readUntil = Integer.MAX_VALUE;
    }

    public void need(int count) {
        needs.any = true;
        needs.bytes = Math.max(needs.bytes, count);
    }

    /** For steps that wait before they write, and before they read. */
    public SharedRegion.Buffer scratch() {
        unknown();
        return scratch;
    }

    public static Value.Const zero(ValueType type) {
        return (Value.Const) Value.ofBits(type, 0);
    }

    /** Where an element is in shared memory. */
    public static Address.Shared place(SharedRegion.Buffer scratch, Expr element, ValueType type) {
        return scratch.at(element.times(type == ValueType.PRED ? 1 : type.bytes()));
    }
}
