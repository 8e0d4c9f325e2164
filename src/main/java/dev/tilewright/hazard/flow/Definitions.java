package dev.tilewright.hazard.flow;

import dev.tilewright.program.Operation;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.ExprSearch;
import dev.tilewright.program.expression.Input;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** What a program's variables stand for: expressions that they name, or results of instructions. */
public final class Definitions {
    /** The most parts that an expression may have to be written out where its variable stands. */
    private static final int MOST_PARTS = 200;

    private final Map<Expr.Var, Expr> lets = new HashMap<>();
    /** Variables with what they stand for in their places. */
    private final Map<Expr.Var, Expr> resolved = new HashMap<>();
    private final Map<Expr.Var, Operation.Issue> issued = new HashMap<>();

    void add(Operation.Let let) {
        lets.put(let.variable(), let.value());
    }

    void add(Operation.Issue issue) {
        issue.results().forEach(result -> issued.put(result, issue));
    }

    /** What an expression is for a thread; empty where that cannot be told before it runs. */
    OptionalLong value(ThreadValues thread, Expr of) {
        return thread.of(of, lets);
    }

    /** An expression with its variables replaced by their definitions, except definitions that are too large. */
    public Expr resolved(Expr e) {
        try {
            return written(e);
        } catch (IllegalArgumentException tooLarge) {
            return e;
        }
    }

    private Expr written(Expr e) {
        return switch (e) {
            case Expr.Var v -> {
                Expr known = resolved.get(v);
                if (known == null) {
                    Expr whole = lets.containsKey(v) ? resolved(lets.get(v)) : v;
                    known = whole.size().parts() > MOST_PARTS ? v : whole;
                    resolved.put(v, known);
                }
                yield known;
            }
            case Expr.Const _, Expr.Named _, Expr.Builtin _, Expr.ParamValue _, Expr.DeviceAddress _,
                    Expr.SharedAddress _, Expr.OfValue _ -> e;
            case Expr.Binary b -> new Expr.Binary(b.op(), written(b.left()), written(b.right()));
            case Expr.Compare c -> new Expr.Compare(c.relation(), written(c.left()), written(c.right()));
            case Expr.And a -> new Expr.And(written(a.left()), written(a.right()));
            case Expr.Or o -> new Expr.Or(written(o.left()), written(o.right()));
            case Expr.Not n -> new Expr.Not(written(n.condition()));
            case Expr.Select s -> new Expr.Select(written(s.condition()), written(s.yes()), written(s.no()));
            case Expr.Convert c -> new Expr.Convert(written(c.value()), c.type());
        };
    }

    /** Whether an expression, or what stands for it, is a part of any of these. */
    boolean isWithin(List<Expr> wholes, Expr part) {
        Expr wanted = resolved(part);
        Set<Expr.Var> seen = new HashSet<>();
        return wholes.stream().anyMatch(whole -> mentions(whole, wanted, seen));
    }

    /** @param seen variables that have been looked into */
    private boolean mentions(Expr in, Expr wanted, Set<Expr.Var> seen) {
        return ExprSearch.any(in, part -> resolved(part).equals(wanted)
                || part instanceof Expr.Var v && lets.containsKey(v) && seen.add(v)
                && mentions(lets.get(v), wanted, seen));
    }

    /** The region of shared memory, or the pointer, that an address is in; empty where that cannot be told. */
    public Optional<Object> base(Input input) {
        return switch (input) {
            case Input.Place(Address address) -> address.memory();
            case Input.Number(Expr value) -> base(value, new HashSet<>());
            default -> Optional.empty();
        };
    }

    /** @param seen variables that have been looked into */
    private Optional<Object> base(Expr value, Set<Expr.Var> seen) {
        List<Object> found = new ArrayList<>();
        ExprSearch.any(value, e -> {
            if (e instanceof Expr.DeviceAddress(var pointer)) {
                found.add(pointer);
            } else if (e instanceof Expr.SharedAddress(var buffer)) {
                found.add(buffer);
            } else if (e instanceof Expr.Var v && lets.containsKey(v) && seen.add(v)) {
                base(lets.get(v), seen).ifPresent(found::add);
            } else if (e instanceof Expr.Var v && issued.containsKey(v) && seen.add(v)) {
                issued.get(v).inputs().stream().map(this::base).flatMap(Optional::stream).findFirst()
                        .ifPresent(found::add);
            }
            return !found.isEmpty();
        });
        return found.stream().findFirst();
    }
}
