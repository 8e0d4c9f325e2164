package dev.tilewright.tile.lower.layout;

import dev.tilewright.program.expression.Expr;
import java.util.List;

/** Linear maps of a number's bits, as index expressions. */
public final class Linear {
    private Linear() {
    }

    /** The exclusive or of what each bit of a number adds. */
    public static Expr of(Expr number, List<Integer> bases) {
        if (number.constant().isPresent()) {
            long constant = number.constant().getAsLong();
            int sum = 0;
            for (int bit = 0; bit < bases.size(); bit++) {
                sum ^= (constant >> bit & 1) != 0 ? bases.get(bit) : 0;
            }
            return Expr.of(sum);
        }
        boolean overlap = bases.stream().mapToInt(Integer::bitCount).sum()
                != Integer.bitCount(bases.stream().reduce(0, (a, b) -> a | b));
        Expr sum = null;
        for (int bit = 0; bit < bases.size();) {
            int first = bases.get(bit);
            int run = 1;
            while (first != 0 && Integer.bitCount(first) == 1 && bit + run < bases.size()
                    && bases.get(bit + run) == first << run) {
                run++;
            }
            if (first != 0) {
                Expr piece = number.shiftRight(bit).bitAnd((1 << run) - 1).times(first);
                sum = sum == null ? piece : overlap ? sum.xor(piece) : sum.plus(piece);
            }
            bit += run;
        }
        return sum == null ? Expr.of(0) : sum;
    }
}
