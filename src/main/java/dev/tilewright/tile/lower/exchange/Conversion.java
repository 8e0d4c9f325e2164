package dev.tilewright.tile.lower.exchange;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.lower.layout.Banks;
import dev.tilewright.tile.lower.layout.Elementwise;
import dev.tilewright.tile.lower.layout.Held;
import dev.tilewright.tile.lower.layout.Layout;
import dev.tilewright.tile.lower.layout.Linear;
import dev.tilewright.tile.lower.layout.Registers;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A tile from one layout to another through shared memory, in accesses as wide as both layouts allow, none of which
 * waits for a bank. Its extents are powers of two.
 */
record Conversion(Elementwise from, Layout to, Banks banks) {

    /** Whether a tile can be moved so: held by places that are all its own. */
    static boolean suits(Elementwise from, Layout to, List<Integer> extents) {
        return from.extents().equals(extents) && from.layout().bits().equals(to.bits())
                && IntStream.range(0, extents.size()).allMatch(axis -> extents.get(axis) == 1 << to.bits().get(axis));
    }

    static Conversion of(Elementwise from, Layout to) {
        return new Conversion(from, to, Banks.of(from.layout(), to, inMemory(from.type()).bytes()));
    }

    private static ValueType inMemory(ValueType type) {
        return type == ValueType.PRED ? ValueType.U8 : type;
    }

    /** Of shared memory. */
    int bytes() {
        return banks.count() * inMemory(from.type()).bytes();
    }

    void write(Body body, SharedRegion.Buffer scratch) {
        Groups groups = groups(body, from.layout(), scratch);
        Expr first = Exchange.first(from.layout());
        from.use(body, (inner, elements) -> Registers.each(inner, groups.count(), (b, group) -> {
            if (first == null) {
                store(b, elements, groups, group);
            } else {
                b.when(first, in -> store(in, elements, groups, group));
            }
        }));
    }

    private void store(Body body, Elementwise elements, Groups groups, Expr group) {
        body.store(groups.address(group), IntStream.range(0, banks.width()).mapToObj(i -> {
            Value value = elements.at(body, groups.register(group, i));
            return from.type() == ValueType.PRED
                    ? value.choose(Value.of(ValueType.U8, 1), Value.of(ValueType.U8, 0)) : value;
        }).toList());
    }

    Held read(Body body, SharedRegion.Buffer scratch) {
        Held out = Registers.held(body, "moved", from.type(), to, from.extents());
        Groups groups = groups(body, to, scratch);
        Registers.each(body, groups.count(), (b, group) -> {
            Register access = b.registers("access", inMemory(from.type()), banks.width());
            b.load(access, 0, banks.width(), groups.address(group));
            for (int i = 0; i < banks.width(); i++) {
                Value value = from.type() == ValueType.PRED
                        ? access.at(i).isNotEqualTo(Value.of(ValueType.U8, 0)) : access.at(i);
                b.assign(out.register().at(groups.register(group, i)), value);
            }
        });
        return out;
    }

    private Groups groups(Body body, Layout layout, SharedRegion.Buffer scratch) {
        List<Integer> side = banks.side().stream().map(layout.registers()::indexOf).toList();
        List<Integer> rest = IntStream.range(0, layout.registers().size()).filter(i -> !side.contains(i)).boxed()
                .toList();
        List<Integer> threads = layout.threads().stream().map(banks::offset).toList();
        List<Integer> offsets = rest.stream().map(i -> banks.offset(layout.registers().get(i))).toList();
        Expr thread = body.let("place", Linear.of(Builtin.THREAD, threads));
        return new Groups(scratch, inMemory(from.type()), side, rest, thread, offsets,
                (threads.stream().reduce(0, (a, b) -> a | b) & offsets.stream().reduce(0, (a, b) -> a | b)) == 0);
    }

    /**
     * The accesses of a thread.
     *
     * @param side bits of a register's number that go along an access
     * @param rest its other bits
     * @param thread where the thread's first lies, in elements
     * @param offsets what each of the other bits adds
     * @param apart whether threads and registers add to different bits
     */
    private record Groups(SharedRegion.Buffer scratch, ValueType type, List<Integer> side, List<Integer> rest,
            Expr thread, List<Integer> offsets, boolean apart) {

        int count() {
            return 1 << rest.size();
        }

        Expr register(Expr group, int i) {
            int within = IntStream.range(0, side.size()).map(b -> (i >> b & 1) << side.get(b)).sum();
            return Linear.of(group, rest.stream().map(bit -> 1 << bit).toList()).plus(within);
        }

        Address.Shared address(Expr group) {
            Expr own = Linear.of(group, offsets);
            return Exchange.place(scratch, apart ? thread.plus(own) : thread.xor(own), type);
        }
    }
}
