package dev.tilewright.tile.lower.exchange;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Reduction;
import dev.tilewright.tile.lower.layout.Elementwise;
import dev.tilewright.tile.lower.layout.HalfPairs;
import dev.tilewright.tile.lower.layout.Held;
import dev.tilewright.tile.lower.layout.Layout;
import dev.tilewright.tile.lower.layout.Linear;
import dev.tilewright.tile.lower.layout.Places;
import dev.tilewright.tile.lower.layout.Registers;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BinaryOperator;

/**
 * Takes elements along an axis together in the order of {@link Reduction}: first what a thread holds of one
 * accumulator, then accumulators in {@link Halves}, bit by bit of their numbers from the highest on. What comes out the
 * same in any order is first taken together by each thread.
 */
public record Reducer(Body body, Exchange exchange) {
    /** Bits of an accumulator's number. */
    public static final int LAPS = Layout.bitsOf(Reduction.ACCUMULATORS);

    /** Greater than every place of a tile. */
    private static final Value NOWHERE = Value.i32(Integer.MAX_VALUE);

    /**
     * What is held is filled up with what changes nothing.
     *
     * @param from in a {@link #layout} for it
     * @param halves of which the elements are made by conversion, if they are
     */
    public Held reduce(Elementwise from, Optional<Held> halves, int axis, Reduction reduction) {
        Value.Const neutral = neutral(reduction, from.type());
        BinaryOperator<Value> op = (a, b) -> new Value.Binary(reduction.op(), a, b);
        boolean anyOrder = !from.type().isFloat() || reduction != Reduction.SUM && reduction != Reduction.PRODUCT;
        boolean alone = anyOrder && from.layout().registers().stream().allMatch(b -> b.get(axis) != 0
                && b.stream().filter(i -> i != 0).count() == 1);
        List<Value> values = halves.filter(_ -> alone).map(all -> List.of(body.let("x", HalfPairs.of(body, all,
                reduction.op()).stream().reduce(op).orElseThrow()))).orElseGet(() -> filled(from, axis, neutral));
        List<Value> last = new Halves(body, exchange, from.layout(), axis, List.of(values), (a, b) ->
                List.of(op.apply(a.getFirst(), b.getFirst()))).taken(anyOrder).getFirst();
        // A single element is taken together with nothing: a NaN becomes arithmetic's all the same.
        if (from.extents().get(axis) == 1 && from.type().isFloat()) {
            last = last.stream().map(v -> v == null ? null : op.apply(v, neutral)).toList();
        }
        return kept(from, axis, last, from.type());
    }

    /** Where the greatest or the least is: the first place of an element that equals it; 0 where all are NaNs. */
    public Held extreme(Elementwise from, int axis, boolean greatest) {
        Held best = reduce(from, Optional.empty(), axis, greatest ? Reduction.MAX : Reduction.MIN);
        List<Integer> images = best.images(from.layout(), from.extents()).orElseThrow();
        Places places = new Places(body, from.layout());
        boolean whole = from.extents().get(axis) == 1 << from.layout().bits().get(axis);
        List<Value> at = new ArrayList<>();
        for (int r = 0; r < from.layout().registerCount(); r++) {
            Expr register = Expr.of(r);
            Expr place = places.at(axis, register);
            Value is = from.at(body, register).isEqualTo(best.register().at(Linear.of(register, images)));
            at.add(body.let("place", (whole ? is : is.and(Value.of(place.lessThan(from.extents().get(axis)))))
                    .choose(place.toValue(), NOWHERE)));
        }
        List<Value> first = new Halves(body, exchange, from.layout(), axis, List.of(at), (x, y) -> List.of(x.getFirst()
                .min(y.getFirst()))).taken(true).getFirst();
        return kept(from, axis, first.stream().map(place -> place == null ? null : place.isEqualTo(NOWHERE)
                .choose(Value.i32(0), place).to(ValueType.I64)).toList(), ValueType.I64);
    }

    /** A layout that has all elements of an accumulator in registers of one thread; nothing where this one does. */
    public static Optional<Layout> layout(Layout layout, int axis) {
        int high = layout.threads().stream().mapToInt(b -> b.get(axis)).reduce(0, (a, b) -> a | b);
        if (high < Reduction.ACCUMULATORS && simple(layout, axis)) {
            return Optional.empty();
        }
        List<Integer> bits = layout.bits();
        List<List<Integer>> places = new ArrayList<>();
        for (int i = 0; i < Math.min(LAPS, bits.get(axis)); i++) {
            places.add(Layout.place(bits.size(), axis, 1 << i));
        }
        for (int other = bits.size() - 1; other >= 0; other--) {
            for (int i = 0; i < bits.get(other) && other != axis; i++) {
                places.add(Layout.place(bits.size(), other, 1 << i));
            }
        }
        int threads = layout.threads().size();
        List<List<Integer>> byThread = new ArrayList<>(places.subList(0, Math.min(threads, places.size())));
        List<List<Integer>> byRegister = new ArrayList<>(places.subList(byThread.size(), places.size()));
        for (int i = LAPS; i < bits.get(axis); i++) {
            byRegister.add(Layout.place(bits.size(), axis, 1 << i));
        }
        while (byThread.size() < threads) {
            byThread.add(Layout.place(bits.size(), 0, 0));
        }
        return Optional.of(new Layout(bits, byRegister, byThread));
    }

    /**
     * Whether each bit of a register's or a thread's number that moves along the axis moves by one bit, along it alone.
     */
    private static boolean simple(Layout layout, int axis) {
        return java.util.stream.Stream.concat(layout.registers().stream(), layout.threads().stream())
                .filter(b -> b.get(axis) != 0)
                .allMatch(b -> Integer.bitCount(b.get(axis)) == 1 && b.stream().filter(i -> i != 0).count() == 1);
    }

    private List<Value> filled(Elementwise from, int axis, Value.Const neutral) {
        Places places = new Places(body, from.layout());
        int extent = from.extents().get(axis);
        boolean whole = extent == 1 << from.layout().bits().get(axis);
        List<Value> values = new ArrayList<>();
        for (int r = 0; r < from.layout().registerCount(); r++) {
            Value value = from.at(body, Expr.of(r));
            values.add(body.let("x", whole ? value
                    : Value.of(places.at(axis, Expr.of(r)).lessThan(extent)).choose(value, neutral)));
        }
        return values;
    }

    /** What is left, as a tile of extent 1 along the axis. */
    private Held kept(Elementwise from, int axis, List<Value> values, ValueType type) {
        Layout layout = from.layout().without(axis);
        List<Integer> extents = new ArrayList<>(from.extents());
        extents.set(axis, 1);
        Register register = Registers.held(body, "reduced", type, layout, extents).register();
        for (int r = 0; r < layout.registerCount(); r++) {
            int[] place = layout.place(r, 0);
            for (int old = 0; old < values.size(); old++) {
                int[] was = from.layout().place(old, 0);
                was[axis] = 0;
                if (values.get(old) != null && java.util.Arrays.equals(was, place)) {
                    body.assign(register.at(r), values.get(old));
                    break;
                }
            }
        }
        return new Held(register, layout, extents);
    }

    /** What changes no other value. */
    private static Value.Const neutral(Reduction reduction, ValueType type) {
        boolean real = type.isFloat();
        Value value = switch (reduction) {
            case SUM -> real ? Value.of(type, -0.0) : Value.ofBits(type, 0);
            case PRODUCT -> Value.of(type, 1);
            case MIN -> real ? Value.of(type, Double.NaN) : Value.ofBits(type, greatest(type));
            case MAX -> real ? Value.of(type, Double.NaN) : Value.ofBits(type, least(type));
            case MIN_NAN -> Value.of(type, Double.POSITIVE_INFINITY);
            case MAX_NAN -> Value.of(type, Double.NEGATIVE_INFINITY);
            case ALL -> Value.ofBits(type, -1);
            case ANY -> Value.ofBits(type, 0);
        };
        return (Value.Const) value;
    }

    private static long greatest(ValueType type) {
        return type.isSigned() ? -1L >>> Long.SIZE - type.bits() + 1 : -1;
    }

    private static long least(ValueType type) {
        return type.isSigned() ? 1L << type.bits() - 1 : 0;
    }
}
