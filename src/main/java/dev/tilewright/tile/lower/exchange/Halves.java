package dev.tilewright.tile.lower.exchange;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Reduction;
import dev.tilewright.tile.lower.layout.Layout;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/**
 * Takes accumulators together in halves. A bit of their numbers is one of a register's number, of a lane's or of a
 * warp's: two registers, a shuffle, or an exchange through shared memory, one for all bits of warps that follow each
 * other.
 *
 * <p>Of two lanes, or warps, that have several values each takes half of them, as long as what tells the halves apart
 * is a bit of an accumulator's number whose turn comes later: that bit is one of the lane's number from then on.
 */
final class Halves {
    /** Values of a thread that go through memory at once: 32 KiB of four bytes each, of 1,024 threads. */
    private static final int TOGETHER = 8;
    private static final int LANE_BITS = 5;

    /** Takes values of two accumulators together, such as a number and its place, in either order. */
    interface Together {
        List<Value> of(List<Value> a, List<Value> b);
    }

    private final Body body;
    private final Exchange exchange;
    private final int count;
    private final Together together;
    /** What each bit of a register's number adds to the place along the axis; 0 once it is used up. */
    private final List<Integer> registers;
    /** What each bit of a thread's number adds to the place along the axis. */
    private final List<Integer> threads;
    /** What each bit of a block's number in its cluster adds to the place along the axis. */
    private final List<Integer> blocks;
    private final List<List<Value>> now;

    /** @param values lists of what is taken together, each a value a register, or one that all registers came to */
    Halves(Body body, Exchange exchange, Layout layout, int axis, List<List<Value>> values, Together together) {
        this.body = body;
        this.exchange = exchange;
        this.count = values.getFirst().size();
        this.together = together;
        this.registers = new ArrayList<>(count == 1 ? List.of() : layout.registers().stream().map(b -> b.get(axis))
                .toList());
        this.threads = new ArrayList<>(layout.threads().stream().map(b -> b.get(axis)).toList());
        this.blocks = new ArrayList<>(layout.blocks().stream().map(b -> b.get(axis)).toList());
        this.now = values.stream().map(v -> (List<Value>) new ArrayList<>(v)).toList();
    }

    /** @param anyOrder whether the result is the same in any @return null where a register is used up */
    List<List<Value>> taken(boolean anyOrder) {
        if (anyOrder) {
            for (int bit = 0; bit < registers.size(); bit++) {
                if (registers.get(bit) != 0) {
                    inRegisters(bit);
                }
            }
        }
        laps();
        for (int h = Reduction.ACCUMULATORS / 2; h >= 1; h /= 2) {
            int register = registers.indexOf(h);
            int thread = threads.indexOf(h);
            if (register >= 0) {
                inRegisters(register);
            } else if (thread >= LANE_BITS) {
                h = warps(h);
            } else if (thread >= 0) {
                int half = half();
                if (half >= 0) {
                    scattered(thread, half);
                } else {
                    partners(thread);
                }
            } else if (blocks.contains(h)) {
                h = blocks(h);
            }
        }
        return now;
    }

    /** Laps of one accumulator, ascending. */
    private void laps() {
        int mask = 0;
        for (int bit = 0; bit < registers.size(); bit++) {
            mask |= registers.get(bit) >= Reduction.ACCUMULATORS ? 1 << bit : 0;
        }
        int lapMask = mask;
        for (int first : left()) {
            if ((first & lapMask) == 0) {
                IntStream.range(first + 1, count).filter(other -> (other & ~lapMask) == first).boxed()
                        .sorted(Comparator.comparing(this::place)).forEach(lap -> join(first, lap));
            }
        }
        for (int bit = 0; bit < registers.size(); bit++) {
            if ((lapMask >> bit & 1) != 0) {
                registers.set(bit, 0);
            }
        }
    }

    private int place(int register) {
        return IntStream.range(0, registers.size()).filter(bit -> (register >> bit & 1) != 0).map(registers::get).sum();
    }

    private void inRegisters(int bit) {
        for (int r : left()) {
            if ((r >> bit & 1) == 0) {
                join(r, r | 1 << bit);
            }
        }
        registers.set(bit, 0);
    }

    private List<Integer> left() {
        return IntStream.range(0, count).filter(r -> now.getFirst().get(r) != null).boxed().toList();
    }

    private List<Value> at(int r) {
        return now.stream().map(v -> v.get(r)).toList();
    }

    private void put(int r, List<Value> values) {
        for (int i = 0; i < now.size(); i++) {
            now.get(i).set(r, values.isEmpty() ? null : body.let("y", values.get(i)));
        }
    }

    private void join(int r, int other) {
        put(r, together.of(at(r), at(other)));
        put(other, List.of());
    }

    /** A bit of a register's number that tells accumulators apart; -1 where there is none left. */
    private int half() {
        return IntStream.range(0, registers.size()).filter(bit -> registers.get(bit) != 0).findFirst().orElse(-1);
    }

    /** Two lanes, each of which takes half of both's values. */
    private void scattered(int thread, int half) {
        Value upper = body.let("upper", Value.of(Builtin.THREAD.bitAnd(1 << thread).isNotEqualTo(0)));
        for (int r : left()) {
            if ((r >> half & 1) == 0) {
                List<Value> low = at(r);
                List<Value> high = at(r | 1 << half);
                List<Value> mine = new ArrayList<>();
                List<Value> theirs = new ArrayList<>();
                for (int i = 0; i < low.size(); i++) {
                    mine.add(body.let("mine", upper.choose(high.get(i), low.get(i))));
                    theirs.add(body.let("z", body.warp().shuffleXor(body.let("other", upper.choose(low.get(i),
                            high.get(i))), 1 << thread)));
                }
                put(r, together.of(mine, theirs));
                put(r | 1 << half, List.of());
            }
        }
        threads.set(thread, registers.get(half));
        registers.set(half, 0);
    }

    /** Accumulators that warps share, in as many halves as follow each other. @return the last */
    private int warps(int first) {
        List<Integer> bits = new ArrayList<>();
        for (int h = first; h >= 1 && !registers.contains(h) && threads.indexOf(h) >= LANE_BITS; h /= 2) {
            bits.add(threads.indexOf(h));
        }
        List<Integer> halves = IntStream.range(0, registers.size()).filter(bit -> registers.get(bit) != 0)
                .limit(bits.size()).boxed().toList();
        List<Integer> parts = subsets(halves);
        List<Integer> masks = subsets(bits);
        List<Integer> shares = left().stream().filter(r -> (r & parts.getLast()) == 0).toList();
        int most = Math.max(1, TOGETHER / parts.size());
        for (int from = 0; from < shares.size(); from += most) {
            List<Integer> some = shares.subList(from, Math.min(shares.size(), from + most));
            List<List<List<Value>>> all = now.stream().map(list -> words(parts.stream().map(part -> some.stream()
                    .map(r -> list.get(r | part)).toList()).toList(), given -> exchange.ofWarps(body, given, bits,
                            masks))).toList();
            for (int i = 0; i < some.size(); i++) {
                for (int part : parts) {
                    put(some.get(i) | part, part == 0 ? joined(all, i, masks.size()) : List.of());
                }
            }
        }
        for (int i = 0; i < bits.size(); i++) {
            threads.set(bits.get(i), i < halves.size() ? registers.get(halves.get(i)) : 0);
        }
        halves.forEach(bit -> registers.set(bit, 0));
        return first >> bits.size() - 1;
    }

    /** All exclusive ors of some bits, the later ones slower: the bits' numbers are theirs. */
    private static List<Integer> subsets(List<Integer> bits) {
        List<Integer> all = new ArrayList<>(List.of(0));
        for (int bit : bits) {
            all.addAll(all.stream().map(mask -> mask | 1 << bit).toList());
        }
        return all;
    }

    /** Predicates go through memory as numbers. */
    private static List<List<Value>> words(List<List<Value>> values, UnaryOperator<List<List<Value>>> through) {
        if (values.getFirst().getFirst().type() != ValueType.PRED) {
            return through.apply(values);
        }
        return each(through.apply(each(values, v -> v.choose(Value.of(ValueType.U8, 1), Value.of(ValueType.U8, 0)))),
                v -> v.isNotEqualTo(Value.of(ValueType.U8, 0)));
    }

    private static List<List<Value>> each(List<List<Value>> values, UnaryOperator<Value> change) {
        return values.stream().map(list -> list.stream().map(change).toList()).toList();
    }

    /** Accumulators that blocks of a cluster share, in as many halves as follow each other. @return the last */
    private int blocks(int first) {
        List<Integer> bits = new ArrayList<>();
        for (int h = first; blocks.contains(h); h /= 2) {
            bits.add(blocks.indexOf(h));
        }
        List<Integer> masks = subsets(bits);
        List<Integer> left = left();
        for (int from = 0; from < left.size(); from += TOGETHER) {
            List<Integer> some = left.subList(from, Math.min(left.size(), from + TOGETHER));
            List<List<List<Value>>> all = now.stream().map(list -> words(List.of(some.stream().map(list::get).toList()),
                    given -> exchange.cluster().of(body, given.getFirst(), masks))).toList();
            for (int i = 0; i < some.size(); i++) {
                put(some.get(i), joined(all, i, masks.size()));
            }
        }
        bits.forEach(bit -> blocks.set(bit, 0));
        return first >> bits.size() - 1;
    }

    /** Values of one register in halves: those of two blocks, or warps, whose masks follow each other first. */
    private List<Value> joined(List<List<List<Value>>> all, int i, int count) {
        List<List<Value>> left = IntStream.range(0, count).mapToObj(mask -> all.stream().map(list -> list.get(mask)
                .get(i)).toList()).toList();
        while (left.size() > 1) {
            List<List<Value>> before = left;
            left = IntStream.range(0, left.size() / 2).mapToObj(pair -> together.of(before.get(2 * pair),
                    before.get(2 * pair + 1)).stream().map(v -> body.let("half", v)).toList()).toList();
        }
        return left.getFirst();
    }

    /** With what the lane holds whose number differs in a bit; both get the results. */
    private void partners(int bit) {
        List<Integer> left = left();
        List<List<Value>> theirs = new ArrayList<>();
        for (List<Value> list : now) {
            theirs.add(left.stream().map(list::get).map(v -> body.let("z", body.warp().shuffleXor(v, 1 << bit)))
                    .toList());
        }
        for (int i = 0; i < left.size(); i++) {
            int at = i;
            put(left.get(i), together.of(at(left.get(i)), theirs.stream().map(v -> v.get(at)).toList()));
        }
        threads.set(bit, 0);
    }
}
