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
import dev.tilewright.ptx.cluster.BarrierClusterArrive;
import dev.tilewright.ptx.cluster.BarrierClusterWait;
import dev.tilewright.ptx.fence.Direction;
import dev.tilewright.ptx.fence.FenceSyncRestrict;
import dev.tilewright.ptx.mbarrier.WaitOrder;
import dev.tilewright.tile.lower.layout.Bounds;
import dev.tilewright.tile.lower.layout.Elementwise;
import dev.tilewright.tile.lower.layout.Held;
import dev.tilewright.tile.lower.layout.Layout;
import dev.tilewright.tile.lower.layout.Linear;
import dev.tilewright.tile.lower.layout.Places;
import dev.tilewright.tile.lower.layout.Registers;
import dev.tilewright.tile.lower.layout.Team;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.stream.IntStream;

/**
 * Gives threads elements that others hold: by other registers of their own where that is enough, else through memory.
 */
public final class Exchange {
    /** A release at cluster scope would wait for what threads have stored into tensors. */
    private static final BarrierClusterArrive ARRIVE = new BarrierClusterArrive()
            .withOrder(BarrierClusterArrive.Order.RELAXED).withAligned();
    /** Bytes in which values of warps take turns. */
    private static final int ROOM = 16384;

    private final SharedRegion.Buffer scratch;
    private final Team team;
    private final SharedRegion.Buffer shares;
    private final List<Round> rounds = new ArrayList<>();
    private final SharedRegion.Barriers arrived;
    private final Needs needs;
    /** Whether blocks exchange anything, as far as is known when steps are written. */
    private final boolean isShared;
    /** The bytes that threads may still read since they last waited for each other. */
    private int readFrom;
    private int readUntil = Integer.MAX_VALUE;
    /** Which of the tiles it is that a cluster takes one after the other. */
    private Expr turn = Expr.of(0);
    private Expr turns = Expr.of(1);

    /** An exchange between blocks. @param come bytes that others store into a block @param bytes all places */
    private record Round(int come, int bytes) { }

    /** What steps need, which is known when they have been written once. */
    public static final class Needs {
        /** More exchanges between blocks than a kernel has. */
        private static final int MANY = 64;

        private int bytes = 16;
        private int sums;
        private boolean any;
        private List<Round> rounds = Collections.nCopies(MANY, new Round(0, 0));

        public int bytes() {
            return bytes;
        }

        /** Whether elements go through memory at all. */
        public boolean any() {
            return any;
        }
    }

    /** @param needs grows */
    public Exchange(SharedRegion.Buffer scratch, Needs needs, Team team) {
        this.scratch = scratch;
        this.needs = needs;
        this.team = team;
        this.isShared = team.blockBits() > 0 && !needs.rounds.isEmpty();
        this.shares = new SharedRegion.Buffer("shares", Math.max(16, bytes(needs.rounds)), 16);
        this.arrived = new SharedRegion.Barriers("arrived", Math.max(1, needs.rounds.size()));
    }

    /** Memory that threads use. */
    public List<SharedRegion> regions() {
        List<SharedRegion> regions = new ArrayList<>(List.of(scratch));
        if (isShared) {
            regions.addAll(List.of(shares, arrived));
        }
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

    /**
     * What the threads of the same number have in each block of a cluster whose number differs in some bits: each
     * stores its own into the others' memory, where a barrier counts the bytes. Each exchange of a tile has memory and
     * a barrier of its own, so that nothing is overwritten, and no block needs another one after its last. Before the
     * first of the next tile all blocks say that they have read those of this one.
     *
     * @param values at most 8
     * @param masks exclusive ors of a block's number, the first 0
     * @return for each mask the values
     */
    public List<List<Value>> ofBlocks(Body body, List<Value> values, List<Integer> masks) {
        if (rounds.isEmpty()) {
            body.purpose("all blocks have set up their barriers, or read what came for the tile before")
                    .issue(new BarrierClusterWait().withAcquire().withAligned());
        }
        List<Value> words = values.stream().map(Exchange::word).toList();
        ValueType type = words.getFirst().type();
        int apart = team.threads() * type.bytes();
        int each = values.size() * apart;
        Address.Barrier come = arrived.at(rounds.size());
        Expr place = body.let("place", Builtin.THREAD.times(type.bytes()).plus(bytes(rounds)));
        Round round = new Round((masks.size() - 1) * each, team.blocks() * each);
        rounds.add(round);
        Expr own = body.let("own", place.plus(Builtin.CLUSTER_RANK.times(each)));
        for (int mask : masks.subList(1, masks.size())) {
            Expr rank = body.let("rank", Builtin.CLUSTER_RANK.xor(mask));
            for (int i = 0; i < words.size(); i++) {
                body.storeAsync(shares.at(own.plus(i * apart)), come, rank, words.get(i));
            }
        }
        body.purpose("the others' have come").waitParity(come, turn.modulo(2))
                .order(WaitOrder.ACQUIRE_CLUSTER);
        if (isOneOfMany()) {
            body.purpose("what they will store for the next tile").when(Builtin.THREAD.isEqualTo(0).and(isNext()),
                    one -> one.arriveExpectTx(come, round.come));
        }
        List<List<Value>> all = new ArrayList<>(List.of(values));
        for (int mask : masks.subList(1, masks.size())) {
            Expr theirs = body.let("theirs", place.plus(Builtin.CLUSTER_RANK.xor(mask).times(each)));
            List<Value> some = new ArrayList<>();
            for (int i = 0; i < words.size(); i++) {
                Register word = body.registers("word", type, 1);
                body.load(word, shares.at(theirs.plus(i * apart)));
                some.add(unword(word.get(), values.get(i).type()));
            }
            all.add(some);
        }
        if (isOneOfMany() && rounds.size() == needs.rounds.size()) {
            body.purpose("others may store for the next tile").when(isNext(), next -> {
                next.issue(new FenceSyncRestrict(Direction.RELEASE));
                next.issue(ARRIVE);
            });
        }
        return all;
    }

    /** All threads of a cluster wait for each other, and see what each has written to tensors. */
    public void syncBlocks(Body body) {
        boolean arrived = isShared && rounds.isEmpty();
        boolean arrivedForNext = !arrived && isOneOfMany() && rounds.size() == needs.rounds.size();
        // Where blocks have arrived at the cluster's barrier already, they wait for that first, and arrive again.
        if (arrived) {
            body.issue(new BarrierClusterWait().withAcquire().withAligned());
        } else if (arrivedForNext) {
            body.when(isNext(), next -> next.issue(new BarrierClusterWait().withAcquire().withAligned()));
        }
        body.purpose("what other blocks have stored").clusterSync();
        if (arrived) {
            body.issue(ARRIVE);
        } else if (arrivedForNext) {
            body.when(isNext(), next -> next.issue(ARRIVE));
        }
    }

    private boolean isOneOfMany() {
        return turns.constant().isEmpty();
    }

    private Expr isNext() {
        return turn.plus(1).lessThan(turns);
    }

    /** As many bits as are stored into another block's memory. */
    private static Value word(Value value) {
        return switch (value.type().bits()) {
            case Byte.SIZE -> value.bitCast(ValueType.U8).to(ValueType.U32);
            case Short.SIZE -> value.bitCast(ValueType.U16).to(ValueType.U32);
            default -> value;
        };
    }

    private static Value unword(Value word, ValueType type) {
        return switch (type.bits()) {
            case Byte.SIZE -> word.to(ValueType.U8).bitCast(type);
            case Short.SIZE -> word.to(ValueType.U16).bitCast(type);
            default -> word;
        };
    }

    private static int bytes(List<Round> rounds) {
        return rounds.stream().mapToInt(Round::bytes).sum();
    }

    /** The steps of a tile that a cluster takes follow. */
    public void turn(Expr number) {
        turn = number;
        unknown();
    }

    /** Blocks of a cluster set up the barriers by which they share. */
    private void setUp(Body body) {
        body.purpose("one thread sets up a barrier for each exchange of blocks").when(Builtin.THREAD.isEqualTo(0),
                one -> {
                    for (int i = 0; i < needs.rounds.size(); i++) {
                        one.barrierInit(arrived.at(i), 1);
                    }
                    one.purpose("the cluster sees them").barrierInitFence();
                    for (int i = 0; i < needs.rounds.size(); i++) {
                        one.purpose("what others will store").arriveExpectTx(arrived.at(i), needs.rounds.get(i).come);
                    }
                });
        body.purpose("no block stores before").issue(ARRIVE);
    }

    /** Nothing is shared afterwards. */
    public void end() {
        needs.rounds = List.copyOf(rounds);
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
        turns = tiles;
        if (isShared) {
            setUp(body);
        }
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
