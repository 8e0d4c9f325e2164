package dev.tilewright.builder.pipeline;

import dev.tilewright.program.expression.Expr;
import java.util.OptionalLong;

/** The values of expressions over constants, named ones among them, which keep their names in arithmetic. */
final class Constants {

    private Constants() { }

    static OptionalLong of(Expr e) {
        if (!(e instanceof Expr.Binary b)) {
            return e.constant();
        }
        OptionalLong left = of(b.left());
        OptionalLong right = of(b.right());
        if (left.isEmpty() || right.isEmpty()) {
            return OptionalLong.empty();
        }
        long x = left.getAsLong();
        long y = right.getAsLong();
        return switch (b.op()) {
            case ADD -> OptionalLong.of(Math.addExact(x, y));
            case SUB -> OptionalLong.of(Math.subtractExact(x, y));
            case MUL -> OptionalLong.of(Math.multiplyExact(x, y));
            case MIN -> OptionalLong.of(Math.min(x, y));
            case MAX -> OptionalLong.of(Math.max(x, y));
            case AND -> OptionalLong.of(x & y);
            default -> OptionalLong.empty();
        };
    }
}
