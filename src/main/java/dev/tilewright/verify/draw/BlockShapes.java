package dev.tilewright.verify.draw;

import dev.tilewright.program.Dim3;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import java.util.List;
import java.util.stream.IntStream;

/** Blocks of one, two and three dimensions. */
final class BlockShapes {
    private static final int MOST_Z = 64;

    private BlockShapes() { }

    /** Any shape of a number of threads; in one dimension every other time. */
    static Dim3 draw(DrawnChoices choices, int threads) {
        if (!choices.flag()) {
            return Dim3.of(threads);
        }
        int x = divisor(choices, threads);
        int y = divisor(choices, threads / x);
        int z = threads / x / y;
        return z <= MOST_Z ? new Dim3(x, y, z) : new Dim3(x, y * z, 1);
    }

    private static int divisor(DrawnChoices choices, int of) {
        List<Integer> all = IntStream.rangeClosed(1, of).filter(d -> of % d == 0).boxed().toList().reversed();
        return choices.one(all);
    }

    /** A thread's number by its coordinates, which no helper of the library counts. */
    static Expr number(Dim3 block) {
        return block.isLine() ? Builtin.THREAD : block.number(Builtin.THREAD, Builtin.THREAD_Y, Builtin.THREAD_Z);
    }
}
