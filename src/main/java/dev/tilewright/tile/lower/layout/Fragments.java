package dev.tilewright.tile.lower.layout;

import dev.tilewright.program.value.ValueType;
import java.util.ArrayList;
import java.util.List;

/**
 * How {@code mma.sync} wants matrices held, tiled over a block's warps: first along the rows of the result, then along
 * its columns. Sources: PTX ISA, "Matrix fragments for mma"; {@link dev.tilewright.layout.MmaFragment}.
 *
 * @param rows of one instruction: 16, or 8 for f64
 * @param packed elements of an operand in a register of 32 bits
 * @param sums the layout of C and D, along rows and columns
 * @param a of A, along rows and k
 * @param b of B, along k and columns
 */
public record Fragments(int rows, int packed, Layout sums, Layout a, Layout b) {
    private static final int COLUMNS = 8;

    /** How many elements along k one instruction takes. */
    public int depth() {
        return rows == COLUMNS ? 4 : 8 * packed;
    }

    /**
     * @param m bits of the rows' number, @param n of the columns', @param k of k's; at least those of an instruction
     */
    public static Fragments of(ValueType operand, int m, int n, int k, int threadBits) {
        boolean wide = operand == ValueType.F64;
        int packed = wide ? 1 : 32 / operand.bits();
        int rowBits = wide ? 3 : 4;
        m = Math.max(m, rowBits);
        n = Math.max(n, 3);
        k = Math.max(k, wide ? 2 : Layout.bitsOf(8L * packed));
        int warps = threadBits - 5;
        int down = down(warps, m, rowBits, n);
        int across = Math.min(warps - down, n - 3);
        int none = warps - down - across;

        Bases sums = new Bases(m, n);
        sums.register(1, 1);
        sums.lanes(1, 2, 4).lanes(0, 1, 2, 4);
        Bases a = new Bases(m, k);
        Bases b = new Bases(k, n);
        for (int e = 1; e < packed; e *= 2) {
            a.register(1, e);
            b.register(0, e);
        }
        if (!wide) {
            sums.register(0, 8);
            a.register(0, 8);
            a.register(1, 4 * packed);
            b.register(0, 4 * packed);
        }
        a.lanes(1, packed, 2 * packed).lanes(0, 1, 2, 4);
        b.lanes(0, packed, 2 * packed).lanes(1, 1, 2, 4);
        for (int i = 0; i < down; i++) {
            sums.lanes(0, 1 << rowBits + i);
            a.lanes(0, 1 << rowBits + i);
            b.lanes(0, 0);
        }
        for (int i = 0; i < across; i++) {
            sums.lanes(1, COLUMNS << i);
            a.lanes(0, 0);
            b.lanes(1, COLUMNS << i);
        }
        for (int i = 0; i < none; i++) {
            sums.lanes(0, 0);
            a.lanes(0, 0);
            b.lanes(0, 0);
        }
        return new Fragments(1 << rowBits, packed, sums.layout(), a.layout(), b.layout());
    }

    /** Bits of a warp's number that go along the rows: such that a warp needs the fewest rows of A and columns of B. */
    private static int down(int warps, int m, int rowBits, int n) {
        int best = Math.min(warps, m - rowBits);
        for (int down = best; down >= 0; down--) {
            best = needed(warps, m, n, down) < needed(warps, m, n, best) ? down : best;
        }
        return best;
    }

    private static int needed(int warps, int m, int n, int down) {
        return (1 << m - down) + (1 << n - Math.min(warps - down, n - 3));
    }

    /** Collects bases; what no bit reaches goes to registers, the last axis first. */
    private static final class Bases {
        private final List<Integer> bits;
        private final List<List<Integer>> registers = new ArrayList<>();
        private final List<List<Integer>> threads = new ArrayList<>();

        Bases(int first, int second) {
            bits = List.of(first, second);
        }

        void register(int axis, int at) {
            registers.add(Layout.place(2, axis, at));
        }

        Bases lanes(int axis, int... at) {
            for (int place : at) {
                threads.add(Layout.place(2, axis, place));
            }
            return this;
        }

        Layout layout() {
            for (int axis = 1; axis >= 0; axis--) {
                for (int bit = 0; bit < bits.get(axis); bit++) {
                    List<Integer> basis = Layout.place(2, axis, 1 << bit);
                    if (!registers.contains(basis) && !threads.contains(basis)) {
                        registers.add(basis);
                    }
                }
            }
            return new Layout(bits, registers, threads);
        }
    }
}
