package dev.tilewright.emit;

import dev.tilewright.program.expression.Expr.Binary;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr.Op;
import dev.tilewright.program.expression.Expr.Relation;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Parameter;
import java.util.List;
import java.util.SplittableRandom;

/** Draws index expressions of every kind, most of them small, and made so that most have a value. */
final class RandomExprs {
    static final Parameter.Int N = new Parameter.Int("n", IntType.S32);
    static final Parameter.Int SIZE = new Parameter.Int("size", IntType.S64);
    static final Expr.Var X = new Expr.Var("x", IntType.S32);
    static final Expr.Var Y = new Expr.Var("y", IntType.S64);

    private static final List<Expr> NARROW = List.of(Builtin.THREAD, Builtin.BLOCK, Builtin.GRID, X, N.value());
    private static final List<Expr> WIDE = List.of(Y, SIZE.value());
    private static final List<Expr> NARROW_EDGES = Expr.list(Integer.MIN_VALUE, Integer.MAX_VALUE, 1 << 16);
    private static final List<Expr> WIDE_EDGES = Expr.list(Long.MIN_VALUE, Long.MAX_VALUE, 1L << 31, 1L << 32);

    private final SplittableRandom random;

    RandomExprs(SplittableRandom random) {
        this.random = random;
    }

    /** A number or a condition. */
    Expr any() {
        int depth = 1 + random.nextInt(4);
        return random.nextInt(3) == 0 ? condition(depth) : number(depth);
    }

    Expr number(int depth) {
        return number(random.nextBoolean() ? IntType.S32 : IntType.S64, depth);
    }

    private Expr number(IntType type, int depth) {
        if (depth == 0) {
            return leaf(type);
        }
        return switch (random.nextInt(10)) {
            case 0, 1 -> leaf(type);
            case 2 -> new Expr.Select(condition(depth - 1), number(type, depth - 1), number(type, depth - 1));
            case 3 -> new Expr.Convert(number(type == IntType.S32 ? IntType.S64 : IntType.S32, depth - 1), type);
            default -> new Binary(one(List.of(Op.values())), number(type, depth - 1), number(type, depth - 1));
        };
    }

    private Expr leaf(IntType type) {
        boolean narrow = type == IntType.S32;
        return switch (random.nextInt(8)) {
            case 0 -> one(narrow ? NARROW_EDGES : WIDE_EDGES);
            case 1, 2, 3 -> new Expr.Const(random.nextInt(-5, 20), type);
            default -> one(narrow ? NARROW : WIDE);
        };
    }

    private Expr condition(int depth) {
        if (depth > 0 && random.nextInt(3) == 0) {
            return new Expr.And(condition(depth - 1), condition(depth - 1));
        }
        IntType type = random.nextBoolean() ? IntType.S32 : IntType.S64;
        int side = Math.max(0, depth - 1);
        return new Expr.Compare(one(List.of(Relation.values())), number(type, side), number(type, side));
    }

    private <T> T one(List<T> choices) {
        return choices.get(random.nextInt(choices.size()));
    }
}
