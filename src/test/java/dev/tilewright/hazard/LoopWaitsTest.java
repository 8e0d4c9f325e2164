package dev.tilewright.hazard;

import static dev.tilewright.hazard.OrderKernels.FLAGS;
import static dev.tilewright.hazard.OrderKernels.RESULT;
import static dev.tilewright.hazard.OrderKernels.SOURCE;
import static dev.tilewright.hazard.OrderKernels.THREADS;
import static dev.tilewright.hazard.OrderKernels.WORK;
import static dev.tilewright.hazard.OrderKernels.at;
import static dev.tilewright.hazard.OrderKernels.inManyOrders;
import static dev.tilewright.hazard.OrderKernels.move;
import static dev.tilewright.hazard.OrderKernels.note;
import static dev.tilewright.hazard.OrderKernels.read;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.Thorough;
import dev.tilewright.program.Body;
import dev.tilewright.program.Procedure;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.memory.Ld;
import dev.tilewright.ptx.memory.St;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Threads of one block hand on data by a flag, for which a loop of loads waits; drawn, with mistakes among them. */
class LoopWaitsTest {
    private static final int CASES = Integer.getInteger("tilewright.loopWaits", Thorough.of(25, 60));
    /** More turns than the writer can take. */
    private static final int ENOUGH = 4096;

    /** What ends the loop. */
    private enum Loop { ASSIGNED, SET_IN_BRANCH, SET_IN_ELSE, BREAK, CONTINUE, BREAK_OF_COUNT, LOADED_BEFORE,
        IN_PROCEDURE,
        /** A mistake: the value decides something else. */
        NOT_ENDED, ENDED_BY_ANOTHER }

    /** How the reader comes to know what came before the flag. */
    private enum Acquire { LOAD, FENCE, LATER_LOAD, NONE }

    private record Case(Loop loop, Acquire acquire, Scope scope, Space space, DataType type, int writer, int reader) {
        static Case draw(Random random) {
            int writer = random.nextInt(THREADS);
            // As often in the same warp as in another one.
            int reader = random.nextBoolean() ? writer ^ 1 << random.nextInt(5)
                    : (writer ^ 32) & 32 | random.nextInt(32);
            return new Case(pick(random, Loop.values()), pick(random, Acquire.values()),
                    pick(random, Scope.CTA, Scope.CLUSTER, Scope.GPU, Scope.SYS),
                    pick(random, Space.GLOBAL, Space.SHARED),
                    pick(random, DataType.U32, DataType.U64, DataType.S32), writer, reader);
        }

        @SafeVarargs
        private static <T> T pick(Random random, T... of) {
            return of[random.nextInt(of.length)];
        }

        HazardReport check() {
            return inManyOrders(1, 1, body -> {
                OrderKernels.one(body, b -> b.store(note(8), Value.u32(0), Value.u32(0)));
                OrderKernels.sync(body, "the flag is down");
                OrderKernels.thread(body, writer, b -> {
                    move(b, "write", at(SOURCE, Expr.of(0)), at(WORK, Expr.of(0)));
                    b.purpose("release").issue(St.release(scope, space, type), flag(), Input.of(number(1)));
                });
                OrderKernels.thread(body, reader, b -> {
                    waits(b);
                    switch (acquire) {
                        case FENCE -> b.fence(scope);
                        case LATER_LOAD -> b.issue("unused", Ld.acquire(scope, space, type), flag());
                        case LOAD, NONE -> { }
                    }
                    read(b, "read", at(WORK, Expr.of(0)), at(RESULT, Expr.of(0)));
                });
            });
        }

        private void waits(Body body) {
            switch (loop) {
                case ASSIGNED -> {
                    Register seen = body.variable("seen", Value.i32(0));
                    body.repeatWhile(seen.get().toIndex().isEqualTo(0), turn ->
                            turn.assign(seen, load(turn).isEqualTo(number(1)).choose(1, 0)));
                }
                case SET_IN_BRANCH -> {
                    Register seen = body.variable("seen", Value.i32(0));
                    body.repeatWhile(seen.get().toIndex().isEqualTo(0), turn ->
                            turn.when(isSet(turn), then -> then.assign(seen, Value.i32(1))));
                }
                case SET_IN_ELSE -> {
                    Register again = body.variable("again", Value.i32(1));
                    body.repeatWhile(again.get().toIndex().isEqualTo(1), turn -> {
                        turn.assign(again, Value.i32(0));
                        turn.when(isSet(turn), _ -> { }, otherwise -> otherwise.assign(again, Value.i32(1)));
                    });
                }
                case BREAK -> body.repeatWhile(Expr.of(1).isEqualTo(1), turn ->
                        turn.when(isSet(turn), Body::breakLoop));
                case CONTINUE -> body.repeatWhile(Expr.of(1).isEqualTo(1), turn -> {
                    turn.when(isSet(turn).not(), Body::continueLoop);
                    turn.breakLoop();
                });
                case BREAK_OF_COUNT -> body.loop("turn", ENOUGH, (turn, n) -> turn.when(isSet(turn), then ->
                        then.when(n.isNotEqualTo(-1), Body::breakLoop)));
                case LOADED_BEFORE -> {
                    Register seen = body.variable("seen", Value.i32(0));
                    body.assign(seen, isSet(body).choose(1, 0));
                    body.repeatWhile(seen.get().toIndex().isEqualTo(0), turn ->
                            turn.assign(seen, isSet(turn).choose(1, 0)));
                }
                case IN_PROCEDURE -> {
                    Procedure looks = Procedure.of("looks", "looks at the flag", List.of(), p ->
                            p.store(note(0), Value.of(isSet(p).choose(1, 0))));
                    Register seen = body.variable("seen", Value.i32(0));
                    body.repeatWhile(seen.get().toIndex().isEqualTo(0), turn -> {
                        turn.call(looks);
                        turn.assign(seen, turn.load("told", ValueType.I32, note(0)));
                    });
                }
                case NOT_ENDED -> body.loop("turn", 8, (turn, _) ->
                        turn.when(isSet(turn), then -> then.assign(then.variable("n", Value.i32(0)), Value.i32(1))));
                case ENDED_BY_ANOTHER -> {
                    Register turns = body.variable("turns", 0);
                    body.repeatWhile(turns.get().toIndex().isNotEqualTo(8), turn -> {
                        turn.assign(turns, turns.get().toIndex().plus(1));
                        turn.when(isSet(turn), then ->
                                move(then, "seen", at(SOURCE, Expr.of(0)), at(RESULT, Expr.of(1))));
                    });
                }
            }
        }

        private Expr isSet(Body body) {
            return load(body).isEqualTo(number(1));
        }

        private Expr load(Body body) {
            Ld form = acquire == Acquire.LOAD ? Ld.acquire(scope, space, type)
                    : Ld.relaxed(scope, space, type);
            return body.purpose("look").issue("value", form, flag());
        }

        private Input flag() {
            return Input.of(space == Space.SHARED ? note(8) : at(FLAGS, Expr.of(0)));
        }

        private Expr number(int n) {
            return type == DataType.U64 ? Expr.of((long) n) : Expr.of(n);
        }
    }

    @Test
    void aLoopThatALoadedValueEndsWaitsForIt() {
        Random random = new Random(20261123);
        for (int i = 0; i < CASES; i++) {
            Case drawn = Case.draw(random);
            HazardReport report = drawn.check();
            Supplier<String> told = () -> drawn + ": " + report;
            assertTrue(report.complete(), told);
            Set<String> found = report.findings().stream().map(f -> f.code() + " at " + f.location().purpose())
                    .collect(Collectors.toSet());
            if (drawn.loop == Loop.NOT_ENDED || drawn.loop == Loop.ENDED_BY_ANOTHER) {
                assertTrue(found.contains(HazardCode.MISSING_BARRIER + " at look"), told);
            } else {
                assertEquals(drawn.acquire == Acquire.NONE ? Set.of(HazardCode.FLAG_NOT_ACQUIRED + " at look")
                        : Set.of(), found, told);
            }
        }
    }

    /** A poll waits, and a loop of loads: a store that does not release is wrong for the data, not for the flag. */
    @Test
    void aRelaxedStoreRacesWithNoWait() {
        for (boolean acquires : new boolean[] {true, false}) {
            for (boolean reads : new boolean[] {true, false}) {
                HazardReport report = relaxedStore(acquires, reads);
                assertEquals(reads ? List.of(HazardCode.FLAG_NOT_ACQUIRED) : List.of(),
                        report.findings().stream().map(Finding::code).toList(), report::toString);
            }
        }
    }

    private static HazardReport relaxedStore(boolean acquires, boolean reads) {
        return inManyOrders(1, 1, body -> {
            OrderKernels.thread(body, 1, b -> {
                move(b, "write", at(SOURCE, Expr.of(0)), at(WORK, Expr.of(0)));
                b.purpose("raise").issue(St.relaxed(Scope.GPU, Space.GLOBAL, DataType.U32),
                        Input.of(at(FLAGS, Expr.of(0))), Input.of(1));
            });
            OrderKernels.thread(body, 40, b -> {
                Register seen = b.variable("seen", 0);
                b.repeatWhile(seen.get().toIndex().isEqualTo(0), turn -> turn.assign(seen, turn.purpose("look").issue(
                        "now", acquires ? Ld.acquire(Scope.GPU, Space.GLOBAL, DataType.U32)
                        : Ld.relaxed(Scope.GPU, Space.GLOBAL, DataType.U32), Input.of(at(FLAGS, Expr.of(0))))));
                if (reads) {
                    read(b, "read", at(WORK, Expr.of(0)), at(RESULT, Expr.of(0)));
                }
            });
        });
    }
}
