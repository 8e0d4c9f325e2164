package dev.tilewright.program;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.OrdinaryTries;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Parameter;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** What is known of conditions is the same whether all names are followed or only those that are asked for. */
class LaneDependenceTest {
    private static final Expr COUNT = new Parameter.Int("count", IntType.S32).value();

    @Property(tries = 500)
    @OrdinaryTries(150)
    void namesThatNothingAsksForAreLeftOut(@ForAll long seed) {
        Drawn drawn = new Drawn(new Random(seed));
        List<Step> body = Body.steps(b -> drawn.fill(b, 0, new ArrayList<>()));
        Set<Object> asked = LaneDependence.asked(body);
        for (int size : new int[] {32, 128}) {
            same(body, new LaneDependence(Dim3.of(96, 2), size, 1, asked), new LaneDependence(Dim3.of(96, 2), size, 1,
                    new All()));
        }
    }

    private static void same(List<Step> body, LaneDependence some, LaneDependence all) {
        for (Step step : body) {
            some.define(step.operation());
            all.define(step.operation());
            switch (step.operation()) {
                case Operation.Guard guard -> {
                    same(guard.condition(), some, all);
                    same(guard.body(), some, all);
                    same(guard.otherwise(), some, all);
                }
                case Operation.While loop -> {
                    same(loop.condition(), some, all);
                    same(loop.body(), some, all);
                }
                case Operation.Loop loop -> {
                    assertEquals(all.turnsDiffer(loop), some.turnsDiffer(loop));
                    same(loop.body(), some, all);
                }
                case Operation.Call call -> {
                    assertEquals(all.known(call), some.known(call));
                    some.within(call, () -> all.within(call, () -> same(call.procedure().body(), some, all)));
                }
                default -> { }
            }
        }
    }

    private static void same(Expr condition, LaneDependence some, LaneDependence all) {
        assertEquals(all.differs(condition), some.differs(condition), condition::toString);
        for (boolean holds : new boolean[] {false, true}) {
            assertEquals(all.isNever(condition, holds), some.isNever(condition, holds), condition::toString);
        }
    }

    /** Has everything. */
    private static final class All extends HashSet<Object> {
        private static final long serialVersionUID = 1L;

        @Override
        public boolean contains(Object name) {
            return true;
        }
    }

    /** Steps that name numbers and registers, and part by them. */
    private record Drawn(Random random, int[] count) {
        Drawn(Random random) {
            this(random, new int[1]);
        }

        String name() {
            return "name" + count[0]++;
        }

        /** @param names that may be used, of which more are added */
        void fill(Body body, int depth, List<Expr> names) {
            int steps = 2 + random.nextInt(5);
            for (int i = 0; i < steps; i++) {
                switch (random.nextInt(depth < 3 ? 9 : 5)) {
                    case 0, 1, 2 -> names.add(body.let(name(), number(names, 2)));
                    case 3, 4 -> names.add(body.let(name(), number(names, 1).toValue()).toIndex());
                    case 5 -> body.when(condition(names), b -> fill(b, depth + 1, new ArrayList<>(names)),
                            b -> fill(b, depth + 1, new ArrayList<>(names)));
                    case 6 -> body.loop(name(), number(names, 1), number(names, 1), 1 + random.nextInt(3),
                            (b, turn) -> {
                                List<Expr> inside = new ArrayList<>(names);
                                inside.add(turn);
                                fill(b, depth + 1, inside);
                            });
                    case 7 -> body.repeatWhile(condition(names), b -> fill(b, depth + 1, new ArrayList<>(names)));
                    default -> {
                        List<Expr.Var> parameters = IntStream.range(0, 1 + random.nextInt(2))
                                .mapToObj(_ -> new Expr.Var(name(), IntType.S32)).toList();
                        Procedure called = Procedure.of(name(), "a part", parameters,
                                b -> fill(b, depth + 1, new ArrayList<>(parameters)));
                        for (int calls = 1 + random.nextInt(2); calls > 0; calls--) {
                            body.call(called, parameters.stream().map(_ -> number(names, 1)).toArray());
                        }
                    }
                }
            }
        }

        Expr condition(List<Expr> names) {
            Expr test = number(names, 1).lessThan(number(names, 1));
            return switch (random.nextInt(4)) {
                case 0 -> test.and(number(names, 1).isEqualTo(number(names, 0)));
                case 1 -> test.or(number(names, 0).isEqualTo(0));
                default -> test;
            };
        }

        Expr number(List<Expr> names, int depth) {
            if (depth == 0 || random.nextInt(3) == 0) {
                return switch (random.nextInt(names.isEmpty() ? 4 : 8)) {
                    case 0 -> Builtin.THREAD;
                    case 1 -> Builtin.BLOCK;
                    case 2 -> COUNT;
                    case 3 -> Expr.of(random.nextInt(200));
                    default -> names.get(random.nextInt(names.size()));
                };
            }
            Expr a = number(names, depth - 1);
            Expr b = number(names, depth - 1);
            return switch (random.nextInt(5)) {
                case 0 -> a.plus(b);
                case 1 -> a.times(b);
                case 2 -> a.dividedBy(1 + random.nextInt(64));
                case 3 -> a.modulo(1 + random.nextInt(64));
                default -> new Expr.Select(a.lessThan(b), a, b);
            };
        }
    }
}
