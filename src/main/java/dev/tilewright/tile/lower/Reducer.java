package dev.tilewright.tile.lower;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Reduction;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BinaryOperator;

/**
 * Takes elements along an axis together in the order of {@link Reduction}: first what a thread holds of one
 * accumulator, then accumulators in halves, bit by bit of their numbers from the highest on. A bit is one of a
 * register's number, of a lane's or of a warp's: two registers, a shuffle, or an exchange through shared memory.
 */
final class Reducer {
    /** Values of a thread that go through memory at once: 32 KiB of four bytes each, of 1,024 threads. */
    private static final int TOGETHER = 8;
    private static final int LAPS = Layout.bitsOf(Reduction.ACCUMULATORS);

    private final Body body;
    private final Exchange exchange;

    Reducer(Body body, Exchange exchange) {
        this.body = body;
        this.exchange = exchange;
    }

    /** What is held is filled up with what changes nothing. */
    Held reduce(Held from, int axis, Reduction reduction) {
        Held whole = lapsInRegisters(from, axis);
        Value.Const neutral = neutral(reduction, from.type());
        List<Value> start = filled(whole, axis, neutral);
        BinaryOperator<Value> op = (a, b) -> new Value.Binary(reduction.op(), a, b);
        List<List<Value>> result = halves(whole.layout(), axis, List.of(start), (a, b) -> List.of(op.apply(a.getFirst(),
                b.getFirst())));
        List<Value> last = result.getFirst();
        // A single element is taken together with nothing: a NaN becomes arithmetic's all the same.
        if (from.extents().get(axis) == 1 && from.type().isFloat()) {
            last = last.stream().map(v -> v == null ? null : op.apply(v, neutral)).toList();
        }
        return kept(whole, axis, last, from.type());
    }

    /** Where the greatest or the least is. */
    Held extreme(Held from, int axis, boolean greatest) {
        Held whole = lapsInRegisters(from, axis);
        Places places = new Places(body, whole.layout());
        List<Value> values = new ArrayList<>();
        List<Value> at = new ArrayList<>();
        int extent = from.extents().get(axis);
        for (int r = 0; r < whole.layout().registerCount(); r++) {
            Expr place = places.at(axis, Expr.of(r));
            values.add(body.let("value", whole.register().at(r)));
            // A place beyond the tile loses against every other.
            Value number = place.toS64().toValue();
            at.add(body.let("place", extent < 1 << whole.layout().bits().get(axis)
                    ? Value.of(place.lessThan(extent)).choose(number, Value.i64(Long.MAX_VALUE)) : number));
        }
        List<List<Value>> result = halves(whole.layout(), axis, List.of(values, at), (a, b) -> better(a, b, greatest));
        return kept(whole, axis, result.getLast(), ValueType.I64);
    }

    private List<Value> better(List<Value> a, List<Value> b, boolean greatest) {
        Value x = a.getFirst();
        Value y = b.getFirst();
        Value none = Value.i64(Long.MAX_VALUE);
        Value more = greatest ? y.greaterThan(x) : y.lessThan(x);
        Value earlier = b.getLast().lessThan(a.getLast());
        Value same = x.isEqualTo(y);
        if (x.type().isFloat()) {
            more = more.or(x.isNan().and(y.isNan().not()));
            same = same.or(x.isNan().and(y.isNan()));
        }
        Value take = body.let("take", b.getLast().isNotEqualTo(none).and(a.getLast().isEqualTo(none)
                .or(more).or(same.and(earlier))));
        return List.of(body.let("value", take.choose(y, x)), body.let("place", take.choose(b.getLast(), a.getLast())));
    }

    /** All elements of an accumulator in registers of one thread. */
    private Held lapsInRegisters(Held from, int axis) {
        Layout layout = from.layout();
        int high = layout.threads().stream().mapToInt(b -> b.get(axis)).reduce(0, (a, b) -> a | b);
        boolean mixed = !simple(layout, axis);
        if (high < Reduction.ACCUMULATORS && !mixed) {
            return from;
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
        return exchange.as(body, from, new Layout(bits, byRegister, byThread));
    }

    /**
     * Whether each bit of a register's or a thread's number that moves along the axis moves by one bit, along it alone.
     */
    private static boolean simple(Layout layout, int axis) {
        return java.util.stream.Stream.concat(layout.registers().stream(), layout.threads().stream())
                .filter(b -> b.get(axis) != 0)
                .allMatch(b -> Integer.bitCount(b.get(axis)) == 1 && b.stream().filter(i -> i != 0).count() == 1);
    }

    private List<Value> filled(Held from, int axis, Value.Const neutral) {
        Places places = new Places(body, from.layout());
        int extent = from.extents().get(axis);
        boolean whole = extent == 1 << from.layout().bits().get(axis);
        List<Value> values = new ArrayList<>();
        for (int r = 0; r < from.layout().registerCount(); r++) {
            Value value = from.register().at(r);
            values.add(body.let("x", whole ? value
                    : Value.of(places.at(axis, Expr.of(r)).lessThan(extent)).choose(value, neutral)));
        }
        return values;
    }

    private interface Together {
        List<Value> of(List<Value> a, List<Value> b);
    }

    /** @param values lists of what is taken together, each a value a register; null where a register is used up */
    private List<List<Value>> halves(Layout layout, int axis, List<List<Value>> values, Together together) {
        List<List<Value>> now = values.stream().map(v -> (List<Value>) new ArrayList<>(v)).toList();
        List<List<Integer>> registers = layout.registers();
        // Laps of one accumulator, ascending.
        int lapMask = 0;
        for (int bit = 0; bit < registers.size(); bit++) {
            lapMask |= registers.get(bit).get(axis) >= Reduction.ACCUMULATORS ? 1 << bit : 0;
        }
        for (int r = 0; r < layout.registerCount(); r++) {
            if ((r & lapMask) == 0) {
                int first = r;
                int mask = lapMask;
                int[] laps = java.util.stream.IntStream.range(0, layout.registerCount())
                        .filter(other -> (other & ~mask) == first && other != first).boxed()
                        .sorted(java.util.Comparator.comparing(other -> layout.registerPart(axis, other)))
                        .mapToInt(i -> i).toArray();
                for (int lap : laps) {
                    join(now, r, lap, together);
                }
            }
        }
        for (int h = Reduction.ACCUMULATORS / 2; h >= 1; h /= 2) {
            int register = registers.indexOf(Layout.place(layout.bits().size(), axis, h));
            int thread = layout.threads().indexOf(Layout.place(layout.bits().size(), axis, h));
            if (register >= 0) {
                for (int r = 0; r < layout.registerCount(); r++) {
                    if ((r >> register & 1) == 0 && now.getFirst().get(r) != null) {
                        join(now, r, r | 1 << register, together);
                    }
                }
            } else if (thread >= 0) {
                List<Integer> left = java.util.stream.IntStream.range(0, layout.registerCount())
                        .filter(r -> now.getFirst().get(r) != null).boxed().toList();
                partners(now, left, thread, together);
            }
        }
        return now;
    }

    private void join(List<List<Value>> now, int r, int other, Together together) {
        int place = r;
        List<Value> joined = together.of(now.stream().map(v -> v.get(place)).toList(),
                now.stream().map(v -> v.get(other)).toList());
        for (int i = 0; i < now.size(); i++) {
            now.get(i).set(r, body.let("y", joined.get(i)));
            now.get(i).set(other, null);
        }
    }

    /** With what the thread holds whose number differs in a bit; both get the results. */
    private void partners(List<List<Value>> now, List<Integer> registers, int bit, Together together) {
        List<List<Value>> theirs = new ArrayList<>();
        for (List<Value> list : now) {
            List<Value> mine = registers.stream().map(list::get).toList();
            theirs.add(bit < 5 ? mine.stream().map(v -> body.let("z", body.warp().shuffleXor(v, 1 << bit))).toList()
                    : throughMemory(mine, bit));
        }
        for (int i = 0; i < registers.size(); i++) {
            int at = i;
            int r = registers.get(i);
            List<Value> joined = together.of(now.stream().map(v -> v.get(r)).toList(),
                    theirs.stream().map(v -> v.get(at)).toList());
            for (int j = 0; j < now.size(); j++) {
                now.get(j).set(r, body.let("y", joined.get(j)));
            }
        }
    }

    /** Some values of a thread for those of another, {@value #TOGETHER} at a time. */
    private List<Value> throughMemory(List<Value> values, int bit) {
        List<Value> others = new ArrayList<>();
        for (int from = 0; from < values.size(); from += TOGETHER) {
            exchange(values.subList(from, Math.min(values.size(), from + TOGETHER)), bit, others);
        }
        return others;
    }

    private void exchange(List<Value> values, int bit, List<Value> others) {
        int threads = exchange.team().threads();
        boolean predicate = values.getFirst().type() == ValueType.PRED;
        List<Value> stored = values.stream().map(v -> predicate ? v.choose(Value.of(ValueType.U8, 1),
                Value.of(ValueType.U8, 0)) : v).toList();
        ValueType type = stored.getFirst().type();
        exchange.need(stored.size() * threads * type.bytes());
        exchange.team().sync(body);
        for (int i = 0; i < stored.size(); i++) {
            body.store(Lowering.place(exchange.scratch(), Builtin.THREAD.plus(i * threads), type), stored.get(i));
        }
        exchange.team().sync(body);
        for (int i = 0; i < stored.size(); i++) {
            Register other = body.registers("other", type, 1);
            body.load(other, Lowering.place(exchange.scratch(), Builtin.THREAD.xor(Expr.of(1 << bit))
                    .plus(i * threads), type));
            others.add(predicate ? other.get().isNotEqualTo(Value.of(ValueType.U8, 0)) : other.get());
        }
    }

    /** What is left, as a tile of extent 1 along the axis. */
    private Held kept(Held from, int axis, List<Value> values, ValueType type) {
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
