package dev.tilewright.hazard;

import static dev.tilewright.hazard.OrderKernels.BLOCK;
import static dev.tilewright.hazard.OrderKernels.RESULT;
import static dev.tilewright.hazard.OrderKernels.SOURCE;
import static dev.tilewright.hazard.OrderKernels.T;
import static dev.tilewright.hazard.OrderKernels.THREADS;
import static dev.tilewright.hazard.OrderKernels.WORK;
import static dev.tilewright.hazard.OrderKernels.add;
import static dev.tilewright.hazard.OrderKernels.at;
import static dev.tilewright.hazard.OrderKernels.block;
import static dev.tilewright.hazard.OrderKernels.check;
import static dev.tilewright.hazard.OrderKernels.flag;
import static dev.tilewright.hazard.OrderKernels.inManyOrders;
import static dev.tilewright.hazard.OrderKernels.ldAcquire;
import static dev.tilewright.hazard.OrderKernels.ldRelaxed;
import static dev.tilewright.hazard.OrderKernels.mine;
import static dev.tilewright.hazard.OrderKernels.move;
import static dev.tilewright.hazard.OrderKernels.note;
import static dev.tilewright.hazard.OrderKernels.one;
import static dev.tilewright.hazard.OrderKernels.poll;
import static dev.tilewright.hazard.OrderKernels.read;
import static dev.tilewright.hazard.OrderKernels.red;
import static dev.tilewright.hazard.OrderKernels.set;
import static dev.tilewright.hazard.OrderKernels.stRelaxed;
import static dev.tilewright.hazard.OrderKernels.stRelease;
import static dev.tilewright.hazard.OrderKernels.sync;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.Thorough;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Fragment;
import dev.tilewright.program.expression.Input;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.memory.Atom;
import dev.tilewright.ptx.memory.Ld;
import dev.tilewright.ptx.memory.Red;
import dev.tilewright.ptx.memory.St;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** How blocks of a grid work together: kernels that are right, and each with one edit. */
class GridPatternsTest {
    private static final int BLOCKS = 4;

    /** An edit of a kernel; each kernel has some of them. */
    enum Edit {
        NONE, NO_SYNC_BEFORE, NO_SYNC_AFTER, RELAXED_STORE, RELAXED_LOAD, BLOCK_SCOPE, NO_FENCE_BEFORE, NO_FENCE_AFTER,
        NO_WAIT, WEAK_RESET
    }

    private static void isClean(BiConsumer<Body, Edit> kernel) {
        Twins.clean(inManyOrders(BLOCKS, 1, body -> kernel.accept(body, Edit.NONE)));
    }

    private static void isFound(BiConsumer<Body, Edit> kernel, Edit edit, HazardCode code, String step) {
        Twins.found(code, step, check(BLOCKS, 1, body -> kernel.accept(body, edit)));
    }

    // ---- split along k: blocks add to the same words one after the other

    private static void semaphore(Body body, Edit edit) {
        one(body, b -> {
            if (edit != Edit.NO_WAIT) {
                poll(b, "my turn", edit == Edit.RELAXED_LOAD ? ldRelaxed(Scope.GPU) : ldAcquire(Scope.GPU), flag(0),
                        v -> v.isEqualTo(BLOCK));
            }
        });
        if (edit != Edit.NO_SYNC_AFTER) {
            sync(body, "it is our turn");
        }
        move(body, "put back", at(WORK, T), at(WORK, T));
        if (edit != Edit.NO_SYNC_BEFORE) {
            sync(body, "all have put back");
        }
        one(body, b -> set(b, "next", edit == Edit.RELAXED_STORE ? stRelaxed(Scope.GPU)
                : stRelease(edit == Edit.BLOCK_SCOPE ? Scope.CTA : Scope.GPU), flag(0), BLOCK.plus(1)));
    }

    @Test
    void aSemaphore() {
        isClean(GridPatternsTest::semaphore);
        isFound(GridPatternsTest::semaphore, Edit.RELAXED_LOAD, HazardCode.FLAG_NOT_ACQUIRED, "my turn");
        isFound(GridPatternsTest::semaphore, Edit.RELAXED_STORE, HazardCode.FLAG_NOT_ACQUIRED, "next");
        isFound(GridPatternsTest::semaphore, Edit.BLOCK_SCOPE, HazardCode.SCOPE_TOO_SMALL, "next");
        isFound(GridPatternsTest::semaphore, Edit.NO_SYNC_BEFORE, HazardCode.GLOBAL_RACE, "next");
        isFound(GridPatternsTest::semaphore, Edit.NO_SYNC_AFTER, HazardCode.GLOBAL_RACE, "load for: put back");
        isFound(GridPatternsTest::semaphore, Edit.NO_WAIT, HazardCode.GLOBAL_RACE, "load for: put back");
    }

    // ---- the last block to count sums up, and puts the counter back for the next launch

    private static void lastBlock(Body body, Edit edit) {
        move(body, "write", mine(SOURCE), mine(WORK));
        if (edit != Edit.NO_SYNC_BEFORE) {
            sync(body, "all have written");
        }
        one(body, b -> {
            if (edit != Edit.NO_FENCE_BEFORE) {
                b.purpose("release").fence(edit == Edit.BLOCK_SCOPE ? Scope.CTA : Scope.GPU);
            }
            Expr before = b.purpose("count").issue("before", add(Atom.Order.RELAXED, Scope.GPU), Input.of(flag(0)),
                    Input.of(1));
            if (edit != Edit.NO_FENCE_AFTER) {
                b.purpose("acquire").fence(Scope.GPU);
            }
            b.purpose("tell").issue(St.relaxed(Scope.CTA, Space.SHARED_CTA, DataType.U32), Input.of(note(0)),
                    Input.of(before));
        });
        if (edit != Edit.NO_SYNC_AFTER) {
            sync(body, "it is known");
        }
        Expr known = body.purpose("which").issue("known", Ld.relaxed(Scope.CTA, Space.SHARED_CTA, DataType.U32),
                Input.of(note(0)));
        body.purpose("the last").when(known.isEqualTo(Builtin.GRID.minus(1)), last -> {
            last.purpose("all parts").loop("part", Builtin.GRID, (each, part) ->
                    read(each, "read", at(WORK, part.times(THREADS).plus(T)), at(RESULT, part.times(THREADS).plus(T))));
            one(last, b -> {
                if (edit == Edit.WEAK_RESET) {
                    move(b, "reset", at(SOURCE, Expr.of(0)), flag(0));
                } else {
                    set(b, "reset", stRelaxed(Scope.GPU), flag(0), Expr.of(0));
                }
            });
        });
    }

    @Test
    void theLastBlock() {
        isClean(GridPatternsTest::lastBlock);
        Twins.clean(inManyOrders(BLOCKS, 1, body -> lastBlock(body, Edit.WEAK_RESET)));
        isFound(GridPatternsTest::lastBlock, Edit.NO_SYNC_BEFORE, HazardCode.GLOBAL_RACE, "count");
        isFound(GridPatternsTest::lastBlock, Edit.NO_FENCE_BEFORE, HazardCode.FLAG_NOT_ACQUIRED, "count");
        isFound(GridPatternsTest::lastBlock, Edit.NO_FENCE_AFTER, HazardCode.FLAG_NOT_ACQUIRED, "count");
        isFound(GridPatternsTest::lastBlock, Edit.BLOCK_SCOPE, HazardCode.SCOPE_TOO_SMALL, "release");
        isFound(GridPatternsTest::lastBlock, Edit.NO_SYNC_AFTER, HazardCode.MISSING_BARRIER, "which");
    }

    // ---- a barrier of the whole grid

    private static void gridBarrier(Body body, Edit edit) {
        body.purpose("rounds").loop("round", 3, (each, round) -> {
            Expr all = Builtin.GRID.times(THREADS);
            move(each, "write", mine(SOURCE), at(WORK, round.times(all).plus(BLOCK.times(THREADS)).plus(T)));
            if (edit != Edit.NO_SYNC_BEFORE) {
                sync(each, "all have written");
            }
            one(each, b -> {
                Scope scope = edit == Edit.BLOCK_SCOPE ? Scope.CTA : Scope.GPU;
                if (edit != Edit.NO_FENCE_BEFORE) {
                    b.purpose("release").fence(scope);
                }
                b.purpose("here").issue(red(Red.Order.RELAXED, Scope.GPU), Input.of(flag(0)), Input.of(1));
                if (edit != Edit.NO_WAIT) {
                    poll(b, "all are", ldRelaxed(Scope.GPU), flag(0),
                            v -> v.atLeast(round.plus(1).times(Builtin.GRID)));
                }
                if (edit != Edit.NO_FENCE_AFTER) {
                    b.purpose("acquire").fence(Scope.GPU);
                }
            });
            if (edit != Edit.NO_SYNC_AFTER) {
                sync(each, "it is known");
            }
            read(each, "read", at(WORK, round.times(all).plus(BLOCK.plus(1).modulo(Builtin.GRID).times(THREADS))
                    .plus(T)), mine(RESULT));
        });
    }

    @Test
    void aBarrierOfTheGrid() {
        isClean(GridPatternsTest::gridBarrier);
        isFound(GridPatternsTest::gridBarrier, Edit.NO_SYNC_BEFORE, HazardCode.GLOBAL_RACE, "here");
        isFound(GridPatternsTest::gridBarrier, Edit.NO_SYNC_AFTER, HazardCode.GLOBAL_RACE, "read");
        isFound(GridPatternsTest::gridBarrier, Edit.NO_FENCE_BEFORE, HazardCode.FLAG_NOT_ACQUIRED, "here");
        isFound(GridPatternsTest::gridBarrier, Edit.NO_FENCE_AFTER, HazardCode.FLAG_NOT_ACQUIRED, "all are");
        isFound(GridPatternsTest::gridBarrier, Edit.BLOCK_SCOPE, HazardCode.SCOPE_TOO_SMALL, "release");
        isFound(GridPatternsTest::gridBarrier, Edit.NO_WAIT, HazardCode.GLOBAL_RACE, "write");
    }

    /** More blocks than a value tells of one by one; in a thorough run many more. */
    static IntStream largeGrids() {
        return IntStream.of(33, 70, 300).limit(Thorough.of(2, 3));
    }

    @ParameterizedTest
    @MethodSource("largeGrids")
    void aBarrierOfALargeGrid(int blocks) {
        BiConsumer<Body, Edit> kernel = GridPatternsTest::gridBarrier;
        Twins.clean(check(blocks, 1, body -> kernel.accept(body, Edit.NONE)));
        Map<Edit, HazardCode> codes = Map.of(Edit.NO_SYNC_BEFORE, HazardCode.GLOBAL_RACE, Edit.NO_SYNC_AFTER,
                HazardCode.GLOBAL_RACE, Edit.NO_FENCE_BEFORE, HazardCode.FLAG_NOT_ACQUIRED, Edit.NO_FENCE_AFTER,
                HazardCode.FLAG_NOT_ACQUIRED, Edit.BLOCK_SCOPE, HazardCode.SCOPE_TOO_SMALL, Edit.NO_WAIT,
                HazardCode.GLOBAL_RACE);
        codes.forEach((edit, code) -> {
            if (!Thorough.takes(edit.ordinal() + blocks, 4)) {
                return;
            }
            HazardReport report = check(blocks, 1, body -> kernel.accept(body, edit));
            assertTrue(report.codes().contains(code), () -> edit + ": " + report);
        });
    }

    // ---- a ticket lock

    private static void ticketLock(Body body, Edit edit) {
        one(body, b -> {
            Expr mine = b.purpose("take a ticket").issue("mine", add(Atom.Order.RELAXED,
                    edit == Edit.BLOCK_SCOPE ? Scope.CTA : Scope.GPU), Input.of(flag(0)), Input.of(1));
            if (edit != Edit.NO_WAIT) {
                poll(b, "served", edit == Edit.RELAXED_LOAD ? ldRelaxed(Scope.GPU) : ldAcquire(Scope.GPU), flag(1),
                        v -> v.isEqualTo(mine));
            }
            move(b, "put back", at(WORK, Expr.of(0)), at(WORK, Expr.of(0)));
            set(b, "next", edit == Edit.RELAXED_STORE ? stRelaxed(Scope.GPU) : stRelease(Scope.GPU), flag(1),
                    mine.plus(1));
        });
    }

    @Test
    void aTicketLock() {
        isClean(GridPatternsTest::ticketLock);
        isFound(GridPatternsTest::ticketLock, Edit.BLOCK_SCOPE, HazardCode.SCOPE_TOO_SMALL, "take a ticket");
        isFound(GridPatternsTest::ticketLock, Edit.NO_WAIT, HazardCode.GLOBAL_RACE, "load for: put back");
        isFound(GridPatternsTest::ticketLock, Edit.RELAXED_LOAD, HazardCode.FLAG_NOT_ACQUIRED, "served");
        isFound(GridPatternsTest::ticketLock, Edit.RELAXED_STORE, HazardCode.FLAG_NOT_ACQUIRED, "next");
    }

    // ---- a scan that looks back

    /** Flag 1: its own sum is there; flag 2: the sum of all up to it. */
    private static void lookBack(Body body, Edit edit) {
        one(body, b -> {
            St say = edit == Edit.RELAXED_STORE ? stRelaxed(Scope.GPU)
                    : stRelease(edit == Edit.BLOCK_SCOPE ? Scope.CTA : Scope.GPU);
            move(b, "own sum", at(SOURCE, BLOCK), at(WORK, BLOCK));
            b.purpose("own sum is there").issue(say, Input.of(OrderKernels.at(OrderKernels.FLAGS, BLOCK)), Input.of(1));
            b.purpose("not the first").when(BLOCK.atLeast(1), rest -> {
                Expr.Var state = poll(rest, "look back", edit == Edit.RELAXED_LOAD ? ldRelaxed(Scope.GPU)
                        : ldAcquire(Scope.GPU), OrderKernels.at(OrderKernels.FLAGS, BLOCK.minus(1)), v -> v.atLeast(1));
                rest.purpose("which").when(state.isEqualTo(2),
                        all -> take(all, "prefix", BLOCK.minus(1).plus(BLOCKS)),
                        own -> take(own, "sum", BLOCK.minus(1)));
            });
            move(b, "prefix", at(SOURCE, BLOCK), at(WORK, BLOCK.plus(BLOCKS)));
            b.purpose("prefix is there").issue(say, Input.of(OrderKernels.at(OrderKernels.FLAGS, BLOCK)), Input.of(2));
        });
    }

    private static void take(Body body, String what, Expr word) {
        Fragment f = body.purpose("read the " + what).load("f", ElementType.U32, 1, at(WORK, word));
        body.purpose("show the " + what).store(at(RESULT, BLOCK), f);
    }

    @Test
    void aLookBack() {
        isClean(GridPatternsTest::lookBack);
        isFound(GridPatternsTest::lookBack, Edit.RELAXED_LOAD, HazardCode.FLAG_NOT_ACQUIRED, "look back");
        isFound(GridPatternsTest::lookBack, Edit.RELAXED_STORE, HazardCode.FLAG_NOT_ACQUIRED, "prefix is there");
        isFound(GridPatternsTest::lookBack, Edit.BLOCK_SCOPE, HazardCode.SCOPE_TOO_SMALL, "prefix is there");
    }

    // ---- state and value in one word

    private static void packed(Body body, Edit edit) {
        one(body, b -> {
            b.purpose("own").issue(St.relaxed(Scope.GPU, Space.GLOBAL, DataType.U32),
                    Input.of(at(WORK, BLOCK)), Input.of(BLOCK.plus(100)));
            b.purpose("not the first").when(BLOCK.atLeast(1), rest -> {
                Expr v = edit == Edit.NO_WAIT
                        ? rest.purpose("look back").issue("v", ldRelaxed(Scope.GPU), Input.of(at(WORK, BLOCK.minus(1))))
                        : poll(rest, "look back", ldRelaxed(Scope.GPU), at(WORK, BLOCK.minus(1)), w -> w.atLeast(100));
                set(rest, "show", stRelaxed(Scope.GPU), at(RESULT, BLOCK), v);
            });
        });
    }

    @Test
    void aWordThatTellsByItself() {
        isClean(GridPatternsTest::packed);
        isFound(GridPatternsTest::packed, Edit.NO_WAIT, HazardCode.GLOBAL_RACE, "look back");
    }

    // ---- a block's sums in shared memory, added to global ones

    private static void histogram(Body body, Edit edit) {
        body.purpose("zero").issue(St.relaxed(Scope.CTA, Space.SHARED_CTA, DataType.U32),
                Input.of(OrderKernels.NOTES.at(T.times(4))), Input.of(0));
        if (edit != Edit.NO_SYNC_BEFORE) {
            sync(body, "all are zero");
        }
        body.purpose("add").issue(new Red(Red.Order.RELAXED, Scope.CTA, Space.SHARED_CTA,
                dev.tilewright.ptx.AtomicOp.ADD, DataType.U32), Input.of(OrderKernels.NOTES.at(T.modulo(8).times(4))),
                Input.of(1));
        if (edit != Edit.NO_SYNC_AFTER) {
            sync(body, "all have added");
        }
        Expr sum = body.purpose("sum").issue("sum", Ld.relaxed(Scope.CTA, Space.SHARED_CTA, DataType.U32),
                Input.of(OrderKernels.NOTES.at(T.times(4))));
        body.purpose("add to all").issue(red(Red.Order.RELAXED, edit == Edit.BLOCK_SCOPE ? Scope.CTA : Scope.GPU),
                Input.of(at(WORK, T)), Input.of(sum));
    }

    @Test
    void aHistogram() {
        isClean(GridPatternsTest::histogram);
        isFound(GridPatternsTest::histogram, Edit.NO_SYNC_BEFORE, HazardCode.MISSING_BARRIER, "add");
        isFound(GridPatternsTest::histogram, Edit.NO_SYNC_AFTER, HazardCode.MISSING_BARRIER, "add");
        isFound(GridPatternsTest::histogram, Edit.BLOCK_SCOPE, HazardCode.SCOPE_TOO_SMALL, "add to all");
    }

    // ---- partial tiles that another block takes over

    private static void fixUp(Body body, Edit edit) {
        block(body, 1, helper -> {
            move(helper, "write a part", mine(SOURCE), mine(WORK));
            if (edit != Edit.NO_FENCE_BEFORE) {
                helper.purpose("release").fence(edit == Edit.BLOCK_SCOPE ? Scope.CLUSTER : Scope.GPU);
            }
            if (edit != Edit.NO_SYNC_BEFORE) {
                sync(helper, "all have written");
            }
            one(helper, b -> b.purpose("it is there").issue("old", new Atom(Atom.Order.RELAXED, Scope.GPU, Space.GLOBAL,
                    dev.tilewright.ptx.AtomicOp.EXCH, DataType.B32), Input.of(flag(0)), Input.of(1)));
        });
        block(body, 2, owner -> {
            one(owner, b -> {
                poll(b, "there", ldRelaxed(Scope.GPU), flag(0), v -> v.isEqualTo(1));
                if (edit != Edit.NO_FENCE_AFTER) {
                    b.purpose("acquire").fence(Scope.GPU);
                }
            });
            sync(owner, "it is known");
            read(owner, "take over", at(WORK, T.plus(THREADS)), mine(RESULT));
        });
    }

    @Test
    void aPartThatAnotherBlockTakesOver() {
        isClean(GridPatternsTest::fixUp);
        isFound(GridPatternsTest::fixUp, Edit.NO_FENCE_BEFORE, HazardCode.FLAG_NOT_ACQUIRED, "it is there");
        isFound(GridPatternsTest::fixUp, Edit.BLOCK_SCOPE, HazardCode.SCOPE_TOO_SMALL, "release");
        isFound(GridPatternsTest::fixUp, Edit.NO_SYNC_BEFORE, HazardCode.GLOBAL_RACE, "it is there");
        isFound(GridPatternsTest::fixUp, Edit.NO_FENCE_AFTER, HazardCode.FLAG_NOT_ACQUIRED, "there");
    }
}
