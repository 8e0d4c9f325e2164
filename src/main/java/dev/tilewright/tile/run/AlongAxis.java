package dev.tilewright.tile.run;

import dev.tilewright.program.value.BinaryOp;
import dev.tilewright.program.value.Comparison;
import dev.tilewright.program.value.LongBinaryPredicate;
import dev.tilewright.program.value.ValueMath;
import dev.tilewright.tile.Reduction;

/** What takes a tile's elements together along an axis: (outer, n, inner), those of inner following each other. */
final class AlongAxis {
    private final Elements of;
    private final int outer;
    private final int n;
    private final int inner;
    private final Elements sums;
    private final Elements room;

    /** @param of a tile of these extents, that of the axis at least 1 */
    AlongAxis(Elements of, int[] extents, int axis) {
        this.of = of;
        this.n = extents[axis];
        int before = 1;
        for (int i = 0; i < axis; i++) {
            before *= extents[i];
        }
        this.outer = before;
        this.inner = before == 0 ? 0 : of.count() / before / n;
        this.sums = new Elements(of.type, Math.min(n, Reduction.ACCUMULATORS) * inner);
        this.room = new Elements(of.type, sums.count());
    }

    /** In the order of {@link Reduction}. */
    void reduce(BinaryOp op, Elements out) {
        of.settle(of.count());
        int accumulators = Math.min(n, Reduction.ACCUMULATORS);
        for (int o = 0; o < outer; o++) {
            int base = o * n * inner;
            sums.copy(0, of, base, sums.count());
            for (int i = accumulators; i < n; i += accumulators) {
                ArrayMath.into(op, sums, of, base + i * inner, room, Math.min(accumulators, n - i) * inner);
            }
            for (int h = Reduction.ACCUMULATORS / 2; h >= 1; h /= 2) {
                int partners = Math.min(h, accumulators - h);
                if (partners > 0) {
                    ArrayMath.into(op, sums, sums, h * inner, room, partners * inner);
                    accumulators = h;
                }
            }
            accumulators = Math.min(n, Reduction.ACCUMULATORS);
            out.copy(o * inner, sums, 0, inner);
            out.settleComputed(o * inner, inner);
        }
    }

    /** In the order of {@link Reduction}. */
    void scan(BinaryOp op, Elements out) {
        of.settle(of.count());
        int most = Math.min(n, Reduction.ACCUMULATORS);
        Elements before = new Elements(of.type, most * inner);
        Elements after = new Elements(of.type, most * inner);
        Elements last = new Elements(of.type, most * inner);
        for (int o = 0; o < outer; o++) {
            for (int i = 0; i < n; i += most) {
                int base = (o * n + i) * inner;
                int run = Math.min(most, n - i);
                before.copy(0, of, base, run * inner);
                for (int h = 1; h < run; h *= 2) {
                    after.copy(0, before, 0, run * inner);
                    ArrayMath.settled(op, before, 0, before, h * inner, after, h * inner, (run - h) * inner);
                    before.copy(0, after, 0, run * inner);
                }
                for (int k = 0; k < run && i > 0; k++) {
                    last.copy(k * inner, out, base - inner, inner);
                }
                if (i > 0) {
                    ArrayMath.settled(op, last, 0, before, 0, before, 0, run * inner);
                }
                out.copy(base, before, 0, run * inner);
                out.settleComputed(base, run * inner);
            }
        }
    }

    /** Finds the first of the greatest or least, numbers before NaNs. */
    void extreme(boolean greatest, Elements out) {
        of.settle(of.count());
        LongBinaryPredicate better = ValueMath.compare(greatest ? Comparison.GT : Comparison.LT, of.type);
        LongBinaryPredicate differs = ValueMath.compare(Comparison.NE, of.type);
        for (int o = 0; o < outer; o++) {
            for (int k = 0; k < inner; k++) {
                int base = o * n * inner + k;
                long best = of.word(base);
                int at = 0;
                for (int i = 1; i < n; i++) {
                    long word = of.word(base + i * inner);
                    boolean first = differs.test(best, best) && !differs.test(word, word);
                    if (first || better.test(word, best)) {
                        best = word;
                        at = i;
                    }
                }
                out.longs[o * inner + k] = at;
            }
        }
    }
}
