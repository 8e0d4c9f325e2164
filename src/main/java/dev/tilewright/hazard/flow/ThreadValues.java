package dev.tilewright.hazard.flow;

import dev.tilewright.program.expression.Arithmetic;
import dev.tilewright.program.expression.Expr;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;

/**
 * What expressions are worth in one thread, as far as that can be told without running it. Of blocks and grids of more
 * than one dimension the places are not known.
 *
 * @param block its block in the grid
 * @param rank of its block in the cluster
 * @param clusterBlocks blocks of a cluster
 * @param thread its number in the block
 * @param lineOfThreads whether blocks have one dimension
 * @param lineOfBlocks whether clusters and grids have
 */
public record ThreadValues(int block, int rank, int clusterBlocks, int thread, boolean lineOfThreads,
        boolean lineOfBlocks) {

    /** What variables stand for, and what those are worth that have been met: a chain of them is gone through once. */
    private record Variables(Map<Expr.Var, Expr> lets, Map<Expr.Var, OptionalLong> values) { }

    /** @param lets what variables stand for */
    OptionalLong of(Expr e, Map<Expr.Var, Expr> lets) {
        return of(e, new Variables(lets, new HashMap<>()));
    }

    private OptionalLong of(Expr.Var v, Variables lets) {
        OptionalLong known = lets.values.get(v);
        if (known == null) {
            known = lets.lets.containsKey(v) ? of(lets.lets.get(v), lets) : OptionalLong.empty();
            lets.values.put(v, known);
        }
        return known;
    }

    private OptionalLong of(Expr e, Variables lets) {
        return switch (e) {
            case Expr.Const c -> OptionalLong.of(c.value());
            case Expr.Named n -> OptionalLong.of(n.value().value());
            case Expr.Builtin b -> of(b);
            case Expr.Var v -> of(v, lets);
            case Expr.ParamValue _, Expr.DeviceAddress _, Expr.SharedAddress _ -> OptionalLong.empty();
            case Expr.Convert c -> of(c.value(), lets);
            case Expr.Binary b -> of(b, lets);
            case Expr.Compare c -> of(c, lets);
            case Expr.And a -> and(of(a.left(), lets), of(a.right(), lets));
            case Expr.Or o -> not(and(not(of(o.left(), lets)), not(of(o.right(), lets))));
            case Expr.Not n -> not(of(n.condition(), lets));
            case Expr.OfValue _ -> OptionalLong.empty();
            case Expr.Select s -> {
                OptionalLong condition = of(s.condition(), lets);
                yield condition.isEmpty() ? condition : of(condition.getAsLong() != 0 ? s.yes() : s.no(), lets);
            }
        };
    }

    private OptionalLong of(Expr.Builtin b) {
        if (b == Expr.Builtin.THREAD_NUMBER) {
            return OptionalLong.of(thread);
        }
        if (b == Expr.Builtin.THREAD) {
            return lineOfThreads ? OptionalLong.of(thread) : OptionalLong.empty();
        }
        if (b == Expr.Builtin.BLOCK) {
            return lineOfBlocks ? OptionalLong.of(block) : OptionalLong.empty();
        }
        if (b == Expr.Builtin.CLUSTER_RANK) {
            return OptionalLong.of(rank);
        }
        return b == Expr.Builtin.CLUSTER_SIZE ? OptionalLong.of(clusterBlocks) : OptionalLong.empty();
    }

    /** One side that does not hold is enough. */
    private static OptionalLong and(OptionalLong left, OptionalLong right) {
        if (left.isPresent() && left.getAsLong() == 0) {
            return left;
        }
        return right.isPresent() && right.getAsLong() == 0 || left.isPresent() ? right : left;
    }

    private static OptionalLong not(OptionalLong condition) {
        return condition.isEmpty() ? condition : OptionalLong.of(condition.getAsLong() == 0 ? 1 : 0);
    }

    private OptionalLong of(Expr.Binary e, Variables lets) {
        OptionalLong left = of(e.left(), lets);
        OptionalLong right = of(e.right(), lets);
        if (left.isEmpty() || right.isEmpty()) {
            return OptionalLong.empty();
        }
        long a = left.getAsLong();
        long b = right.getAsLong();
        boolean divides = e.op() == Expr.Op.DIV || e.op() == Expr.Op.REM;
        return divides && b == 0 ? OptionalLong.empty() : OptionalLong.of(Arithmetic.wrapped(e.op(), a, b));
    }

    private OptionalLong of(Expr.Compare e, Variables lets) {
        OptionalLong left = of(e.left(), lets);
        OptionalLong right = of(e.right(), lets);
        if (left.isEmpty() || right.isEmpty()) {
            return OptionalLong.empty();
        }
        boolean holds = Arithmetic.test(e.relation(), left.getAsLong(), right.getAsLong());
        return OptionalLong.of(holds ? 1 : 0);
    }
}
