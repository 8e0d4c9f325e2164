package dev.tilewright.program;

import dev.tilewright.program.expression.Arithmetic;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.ExprSearch;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.Value;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongBinaryOperator;

/**
 * Whether the lanes of one warp agree on an index expression, as far as the program's text tells: what is computed from
 * constants and thread numbers is known for every lane; parameters, block numbers and the counters of loops with such
 * bounds are one number for all lanes, which is not known; of loaded and moved values nothing is said.
 */
final class LaneDependence {
    /** What is known of an expression in a warp. */
    private sealed interface Known {
        /** A number for each lane. */
        record Numbers(long[] of) implements Known {
            boolean agree() {
                for (long n : of) {
                    if (n != of[0]) {
                        return false;
                    }
                }
                return true;
            }

            @Override
            public boolean equals(Object o) {
                return o instanceof Numbers n && Arrays.equals(of, n.of);
            }

            @Override
            public int hashCode() {
                return Arrays.hashCode(of);
            }
        }

        /** One value for all lanes, whatever it is. */
        record Same() implements Known { }

        /** Computed from one that is the same for all lanes and one that is not. */
        record Mixed() implements Known { }

        /** Nothing. */
        record Nothing() implements Known { }
    }

    private static final Known SAME = new Known.Same();
    private static final Known MIXED = new Known.Mixed();
    private static final Known NOTHING = new Known.Nothing();

    private final Dim3 block;
    /** The first thread. */
    private final int first;
    /** How many there are: fewer in a block's last warp. */
    private final int lanes;
    private final Set<Object> asked;
    private Map<Object, Known> variables = new HashMap<>();

    /**
     * @param size threads that belong together: those of a warp, or of a warpgroup
     * @param number of such in the block
     * @param asked what {@link #asked(List)} says
     */
    LaneDependence(Dim3 block, int size, int number, Set<Object> asked) {
        this.asked = asked;
        this.block = block;
        this.first = number * size;
        this.lanes = (int) Math.min(size, block.count() - first);
    }

    /**
     * The names that conditions, bounds of loops and arguments of calls depend on. Most names in a program are of
     * addresses and values, which nothing asks for.
     */
    static Set<Object> asked(List<Step> body) {
        Set<Object> asked = new HashSet<>();
        for (Step step : new StepNumbers(body).all().reversed()) {
            switch (step.operation()) {
                case Operation.Loop loop ->
                        List.of(loop.from(), loop.until(), loop.by()).forEach(e -> addNames(asked, e));
                case Operation.While loop -> addNames(asked, loop.condition());
                case Operation.Guard guard -> addNames(asked, guard.condition());
                case Operation.Call call -> call.arguments().forEach(e -> addNames(asked, e));
                case Operation.Let(Expr.Var variable, Expr value) when asked.contains(variable) ->
                        addNames(asked, value);
                case Operation.Declare declare when asked.contains(declare.register()) ->
                        declare.initial().ifPresent(value -> addNames(asked, new Expr.OfValue(value)));
                default -> { }
            }
        }
        return asked;
    }

    private static void addNames(Set<Object> names, Expr e) {
        ExprSearch.any(e, part -> {
            switch (part) {
                case Expr.Var variable -> names.add(variable);
                case Expr.OfValue(Value.Index(Expr index)) -> addNames(names, index);
                case Expr.OfValue(Value.Element(Register register, Expr _)) -> names.add(register);
                default -> { }
            }
            return false;
        });
    }

    /** Whether lanes of the warp may differ in it: they do, or do for some values of parameters. */
    boolean differs(Expr e) {
        return differs(of(e));
    }

    private static boolean differs(Known known) {
        return known == MIXED || known instanceof Known.Numbers n && !n.agree();
    }

    /** Whether a condition holds for no lane, or for all. */
    boolean isNever(Expr condition, boolean holds) {
        return of(condition) instanceof Known.Numbers n && n.agree() && (n.of[0] != 0) != holds;
    }

    /** Whether lanes may turn a different number of times in a loop. */
    boolean turnsDiffer(Operation.Loop loop) {
        Known from = of(loop.from());
        Known until = of(loop.until());
        Known by = of(loop.by());
        if (from instanceof Known.Numbers f && until instanceof Known.Numbers u && by instanceof Known.Numbers b) {
            long[] turns = new long[lanes];
            for (int i = 0; i < lanes; i++) {
                turns[i] = b.of[i] <= 0 ? 0 : Math.max(0, Math.ceilDiv(u.of[i] - f.of[i], b.of[i]));
            }
            return !new Known.Numbers(turns).agree();
        }
        return from != NOTHING && until != NOTHING && by != NOTHING && (differs(from) || differs(until) || differs(by));
    }

    /** Takes up what a step names a value, or what a loop counts. */
    void define(Operation operation) {
        switch (operation) {
            case Operation.Let(Expr.Var variable, Expr value) when asked.contains(variable) ->
                    variables.put(variable, of(value));
            case Operation.Declare declare when declare.constant() && asked.contains(declare.register()) ->
                    variables.put(declare.register(), of(declare.initial().orElseThrow()));
            case Operation.Loop loop -> {
                boolean same = !differs(loop.from()) && !differs(loop.by()) && of(loop.from()) != NOTHING
                        && of(loop.by()) != NOTHING;
                variables.put(loop.variable(), same ? SAME : NOTHING);
            }
            default -> { }
        }
    }

    /** What is known of a call's arguments: the procedure does the same where this is the same. */
    Object known(Operation.Call call) {
        return call.arguments().stream().map(this::of).toList();
    }

    /** Runs the given code where only the parameters of the procedure that is called are known. */
    void within(Operation.Call call, Runnable code) {
        Map<Object, Known> outer = variables;
        Map<Object, Known> inner = new HashMap<>();
        for (int i = 0; i < call.arguments().size(); i++) {
            inner.put(call.procedure().parameters().get(i), of(call.arguments().get(i)));
        }
        variables = inner;
        code.run();
        variables = outer;
    }

    private Known of(Value value) {
        return switch (value) {
            case Value.Index(Expr e) -> of(e);
            case Value.Const c when !c.type().isFloat() -> numbers(c.word());
            case Value.Scalar _, Value.Const _ -> SAME;
            case Value.Element(Register register, Expr _) -> variables.getOrDefault(register, NOTHING);
            default -> NOTHING;
        };
    }

    private Known of(Expr e) {
        return switch (e) {
            case Expr.Const c -> numbers(c.value());
            case Expr.Named n -> numbers(n.value().value());
            case Expr.Builtin b -> of(b);
            case Expr.Var v -> variables.getOrDefault(v, NOTHING);
            case Expr.ParamValue _, Expr.DeviceAddress _, Expr.SharedAddress _ -> SAME;
            case Expr.Convert c -> of(c.value());
            case Expr.OfValue v -> of(v.value());
            case Expr.Not n -> both(of(n.condition()), numbers(0), (a, _) -> a == 0 ? 1 : 0);
            case Expr.And a -> logical(of(a.left()), of(a.right()), 0, (x, y) -> x & y);
            case Expr.Or o -> logical(of(o.left()), of(o.right()), 1, (x, y) -> x | y);
            case Expr.Compare c -> both(of(c.left()), of(c.right()),
                    (a, b) -> Arithmetic.test(c.relation(), a, b) ? 1 : 0);
            case Expr.Binary b -> binary(b);
            case Expr.Select s -> {
                Known condition = of(s.condition());
                Known yes = of(s.yes());
                Known no = of(s.no());
                if (condition instanceof Known.Numbers c && yes instanceof Known.Numbers y
                        && no instanceof Known.Numbers n) {
                    long[] result = new long[lanes];
                    Arrays.setAll(result, i -> c.of[i] != 0 ? y.of[i] : n.of[i]);
                    yield new Known.Numbers(result);
                }
                yield both(condition, both(yes, no, null), null);
            }
        };
    }

    private Known numbers(long value) {
        long[] all = new long[lanes];
        Arrays.fill(all, value);
        return new Known.Numbers(all);
    }

    private Known of(Expr.Builtin b) {
        long[] of = new long[lanes];
        for (int i = 0; i < lanes; i++) {
            int thread = first + i;
            switch (b) {
                case THREAD -> of[i] = thread % block.x();
                case THREAD_Y -> of[i] = thread / block.x() % block.y();
                case THREAD_Z -> of[i] = thread / block.x() / block.y();
                case THREAD_NUMBER -> of[i] = thread;
                default -> {
                    return SAME;
                }
            }
        }
        return new Known.Numbers(of);
    }

    private Known binary(Expr.Binary b) {
        Known left = of(b.left());
        Known right = of(b.right());
        boolean divides = b.op() == Expr.Op.DIV || b.op() == Expr.Op.REM;
        if (divides && right instanceof Known.Numbers n && Arrays.stream(n.of).anyMatch(d -> d == 0)) {
            return NOTHING;
        }
        return both(left, right, (x, y) -> Arithmetic.wrapped(b.op(), x, y));
    }

    /** @param decides what one side has to be, in all lanes, so that the other does not matter */
    private Known logical(Known left, Known right, long decides, LongBinaryOperator how) {
        for (Known side : List.of(left, right)) {
            if (side instanceof Known.Numbers n && n.agree() && n.of[0] == decides) {
                return side;
            }
        }
        return both(left, right, how);
    }

    /** @param how of two that are numbers; null where these have no number together */
    private Known both(Known left, Known right, LongBinaryOperator how) {
        if (left == NOTHING || right == NOTHING) {
            return NOTHING;
        }
        if (how != null && left instanceof Known.Numbers a && right instanceof Known.Numbers b) {
            long[] result = new long[lanes];
            Arrays.setAll(result, i -> how.applyAsLong(a.of[i], b.of[i]));
            return new Known.Numbers(result);
        }
        return differs(left) || differs(right) ? MIXED : SAME;
    }
}
