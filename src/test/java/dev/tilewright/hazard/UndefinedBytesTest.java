package dev.tilewright.hazard;

import dev.tilewright.hazard.check.HazardCheck;
import static dev.tilewright.hazard.SmallKernels.BUFFER;
import static dev.tilewright.hazard.SmallKernels.MAP;
import static dev.tilewright.hazard.SmallKernels.READY;
import static dev.tilewright.hazard.SmallKernels.RESULT;
import static dev.tilewright.hazard.SmallKernels.T;
import static dev.tilewright.hazard.SmallKernels.THREADS;
import static dev.tilewright.hazard.SmallKernels.from;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Fragment;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.cluster.Mapa;
import dev.tilewright.ptx.fence.FenceProxyAsync;
import dev.tilewright.ptx.memory.Atom;
import dev.tilewright.ptx.memory.Ld;
import dev.tilewright.ptx.memory.Red;
import dev.tilewright.ptx.memory.St;
import dev.tilewright.ptx.warp.Ldmatrix;
import dev.tilewright.ptx.warp.MatrixCount;
import dev.tilewright.ptx.warp.ReduxSync;
import dev.tilewright.ptx.warp.Stmatrix;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * Values that come from bytes of shared memory which nothing has written: they may be moved and computed on, and are
 * found where they reach global memory, an address or a branch. A ragged tile's tail is what this is about; of each
 * kernel the twin without the guard is wrong.
 */
class UndefinedBytesTest {
    /** How many of the words the kernels fill. */
    private static final int FILLED = 20;
    private static final Ld LOAD = Ld.relaxed(Scope.CTA, Space.SHARED, DataType.U32);

    private static void clean(Consumer<Body> code) {
        clean(1, code);
    }

    private static void clean(int cluster, Consumer<Body> code) {
        HazardReport report = SmallKernels.check(cluster, cluster, code);
        assertTrue(report.isClean() && report.complete(), report::toString);
    }

    /** The only finding: the bytes are read in one step and the value reaches another one. */
    private static void found(String read, String reaches, String how, Consumer<Body> code) {
        found(1, read, reaches, how, code);
    }

    private static void found(int cluster, String read, String reaches, String how, Consumer<Body> code) {
        HazardReport report = SmallKernels.check(cluster, cluster, code);
        assertEquals(Set.of(HazardCode.READ_UNWRITTEN), report.codes(), report::toString);
        Finding f = report.findings().getFirst();
        assertEquals(read + " -> " + reaches, f.purpose() + " -> " + f.before().orElseThrow().location().purpose(),
                report::toString);
        assertTrue(f.message().contains(how), report::toString);
    }

    private static void both(String read, String reaches, String how, BiConsumer<Body, Boolean> code) {
        clean(body -> code.accept(body, false));
        found(read, reaches, how, body -> code.accept(body, true));
    }

    /** The first words are filled. */
    private static void fill(Body body) {
        body.purpose("as many as there are").when(T.lessThan(FILLED), b -> SmallKernels.fill(b));
        body.purpose("all are there").syncThreads();
    }

    private static Address.Global out(Expr at) {
        return new Address.Global(RESULT, at.toS64());
    }

    private static Expr.Var word(Body body) {
        return body.purpose("read").issue("word", LOAD, Input.of(BUFFER.at(T.times(4))));
    }

    private static void put(Body body, Expr value) {
        body.purpose("put").issue(St.relaxed(Scope.GPU, Space.GLOBAL, DataType.U32), Input.of(out(T.times(4))),
                Input.of(value));
    }

    private static void guarded(Body body, boolean wrong, Consumer<Body> code) {
        if (wrong) {
            code.accept(body);
        } else {
            body.purpose("inside").when(T.lessThan(FILLED), code);
        }
    }

    // ---- global memory

    @Test
    void aTailIsComputedOnAndNotStored() {
        both("read", "write", "leaves the value in global memory", (body, wrong) -> {
            fill(body);
            Fragment all = body.purpose("read").load("all", ElementType.U32, 1, BUFFER.at(T.times(4)));
            guarded(body, wrong, b -> b.purpose("write").store(out(T.times(4)), all));
        });
        both("read", "put", "leaves the value in global memory", (body, wrong) -> {
            fill(body);
            Expr.Var word = word(body);
            Expr sum = body.let("sum", word.bitAnd(0xFFFF).plus(T));
            guarded(body, wrong, b -> put(b, sum));
        });
    }

    @Test
    void aTailIsDroppedByASelect() {
        both("read", "put", "leaves the value in global memory", (body, wrong) -> {
            fill(body);
            Expr.Var word = word(body);
            put(body, wrong ? word : T.lessThan(FILLED).choose(word, 0));
        });
        // What chooses is undefined itself.
        found("read", "put", "leaves the value in global memory", body -> {
            fill(body);
            put(body, word(body).lessThan(7).choose(1, 2));
        });
    }

    @Test
    void aTailIsMaskedOff() {
        both("read", "put", "leaves the value in global memory", (body, wrong) -> {
            Fragment half = body.purpose("a half").load("half", ElementType.U16, 1, from(T.times(2)));
            body.purpose("fill halves").store(BUFFER.at(T.times(4)), half);
            body.purpose("all are there").syncThreads();
            Expr.Var word = word(body);
            put(body, wrong ? word.bitAnd(0x1FFFF) : word.bitAnd(0xFFFF));
        });
        both("read", "put", "leaves the value in global memory", (body, wrong) -> {
            Fragment half = body.purpose("a half").load("half", ElementType.U16, 1, from(T.times(2)));
            body.purpose("fill halves").store(BUFFER.at(T.times(4).plus(2)), half);
            body.purpose("all are there").syncThreads();
            Expr.Var word = word(body);
            put(body, word.shiftRight(wrong ? 15 : 16));
        });
    }

    /** What nothing has written may be any number, also one with which sums do not fit. */
    @Test
    void aSumThatDoesNotFitIsDropped() {
        both("read", "put", "leaves the value in global memory", (body, wrong) -> {
            fill(body);
            Expr.Var word = word(body);
            Expr sum = body.let("sum", word.times(9));
            guarded(body, wrong, b -> put(b, sum));
        });
    }

    /** Through a procedure and a loop it is the same value. */
    @Test
    void aValueIsFollowedThroughVariables() {
        found("read", "put", "leaves the value in global memory", body -> {
            fill(body);
            Expr.Var word = word(body);
            body.loop("turn", 0, 2, 1, (each, turn) -> {
                Expr next = each.let("next", word.bitAnd(0xFF).plus(turn));
                each.when(turn.isEqualTo(1), b -> put(b, b.let("last", next.minus(1))));
            });
        });
    }

    // ---- addresses and branches

    @Test
    void anUndefinedValueIsNoAddress() {
        both("read", "look", "takes the value for an address", (body, wrong) -> {
            fill(body);
            Expr.Var word = word(body);
            guarded(body, wrong, b -> {
                Expr at = b.let("at", word.bitAnd(0x3C));
                b.purpose("put it out").store(out(T.times(4)), b.purpose("look")
                        .load("found", ElementType.U32, 1, from(at)));
            });
        });
    }

    @Test
    void anUndefinedValueDecidesNoBranch() {
        both("read", "is it?", "lets the value decide how it goes on", (body, wrong) -> {
            fill(body);
            Expr.Var word = word(body);
            guarded(body, wrong, b -> b.purpose("is it?").when(word.isEqualTo(0), inner -> put(inner, Expr.of(1))));
        });
        // The right side is not looked at.
        clean(body -> {
            fill(body);
            Expr.Var word = word(body);
            body.when(T.lessThan(FILLED).and(word.isEqualTo(0)), inner -> put(inner, Expr.of(1)));
        });
        // Defined bits differ already.
        clean(body -> {
            Fragment half = body.purpose("a half").load("half", ElementType.U16, 1, from(T.times(2)));
            body.purpose("fill halves").store(BUFFER.at(T.times(4)), half);
            body.purpose("all are there").syncThreads();
            Expr.Var word = word(body);
            body.when(word.isEqualTo(0x12345678), inner -> put(inner, Expr.of(1)));
        });
        found("read", "turns", "lets the value decide how it goes on", body -> {
            fill(body);
            Expr.Var word = word(body);
            body.purpose("turns").loop("turn", 0, word.bitAnd(1), 1, (each, turn) -> put(each, turn));
        });
    }

    @Test
    void aFlagThatNothingHasWrittenIsNotWaitedFor() {
        both("until", "until", "waits for the value", (body, wrong) -> {
            if (!wrong) {
                SmallKernels.fill(body);
                body.purpose("all are there").syncThreads();
            }
            body.purpose("until").waitUntil("flag", ValueType.U32, BUFFER.at(T.times(4)),
                    v -> v.atLeast(Integer.MIN_VALUE)).order(Ld.Order.RELAXED).scope(Scope.CTA);
        });
    }

    // ---- through shared memory

    private static Address.Shared second(Expr at) {
        return BUFFER.at(at.plus(1024));
    }

    @Test
    void aTailIsMovedWithinSharedMemory() {
        both("read", "write", "leaves the value in global memory", (body, wrong) -> {
            fill(body);
            Fragment all = body.purpose("read").load("all", ElementType.U32, 1, BUFFER.at(T.times(4)));
            body.purpose("move").store(second(T.times(4)), all);
            body.purpose("all have moved").syncThreads();
            Fragment moved = body.purpose("read again").load("moved", ElementType.U32, 1,
                    second(Expr.of(4 * THREADS - 4).minus(T.times(4))));
            body.purpose("inside").when(T.atLeast(THREADS - FILLED - (wrong ? 1 : 0)),
                    b -> b.purpose("write").store(out(T.times(4)), moved));
        });
    }

    /** An element that is computed from undefined bytes is undefined, its neighbours are not. */
    @Test
    void elementsOfAFragmentAreTakenByThemselves() {
        for (boolean wrong : new boolean[] {false, true}) {
            HazardReport report = elements(wrong ? 2 : 0);
            assertEquals(wrong ? Set.of(HazardCode.READ_UNWRITTEN) : Set.of(), report.codes(), report::toString);
        }
        // One byte of the first element is undefined, and what is computed from it is.
        assertEquals(Set.of(HazardCode.READ_UNWRITTEN), elements(1).codes());
    }

    /**
     * Of each pair of halves the first is filled, from its first byte on or its second; both are scaled, and one is
     * shown.
     */
    private static HazardReport elements(int shown) {
        Parameter.Scalar two = new Parameter.Scalar("two", ElementType.U16);
        TileProgram program = new TileProgram("elements", "scales", 32, List.of(SmallKernels.SOURCE, RESULT, two),
                new SharedLayout(List.of(BUFFER)), Body.steps(body -> {
                    Fragment bytes = body.load("bytes", shown == 1 ? ElementType.U8 : ElementType.U16, 1,
                            from(T.times(2)));
                    body.store(BUFFER.at(T.times(4)), bytes);
                    body.syncThreads();
                    Register pair = body.registers("pair", ValueType.U16, 2);
                    body.load(pair, BUFFER.at(T.times(4)));
                    body.store(second(T.times(4)), pair.at(0).times(two.value()), pair.at(1).times(two.value()));
                    body.syncThreads();
                    body.store(out(T),
                            body.load("one", ElementType.U8, 1, second(T.times(4).plus(shown == 1 ? 0 : shown))));
                }));
        Launch launch =
                Launch.of(program, 1, Map.of(SmallKernels.SOURCE, new Argument.Buffer(0), RESULT,
                new Argument.Buffer(1), two, new Argument.Scalar(2)));
        return HazardCheck.check(launch, List.of(MemorySegment.ofArray(new long[64]),
                MemorySegment.ofArray(new long[64])));
    }

    @Test
    void anUpdateOfWhatNothingHasWrittenStaysUndefined() {
        both("read", "put", "leaves the value in global memory", (body, wrong) -> {
            if (!wrong) {
                SmallKernels.fill(body);
            }
            body.purpose("add").issue(Red.relaxed(Scope.CTA, Space.SHARED, AtomicOp.ADD, DataType.U32),
                    Input.of(BUFFER.at(T.times(4))), Input.of(1));
            put(body, word(body));
        });
        // An exchange leaves nothing of it, and hands out the old value.
        both("swap", "put", "leaves the value in global memory", (body, wrong) -> {
            Expr.Var old = body.purpose("swap").issue("old",
                    Atom.relaxed(Scope.CTA, Space.SHARED, AtomicOp.EXCH, DataType.B32), Input.of(BUFFER.at(T.times(4))),
                    Input.of(1));
            put(body, wrong ? old : word(body));
        });
    }

    /**
     * Five of a matrix' eight rows are filled, so lanes up to 19 get something; turned round, those of columns 0 to 4
     * do.
     */
    @Test
    void matricesAreFollowedElementByElement() {
        for (boolean transposed : new boolean[] {false, true}) {
            both("matrix", "put", "leaves the value in global memory", (body, wrong) -> {
                fill(body);
                body.purpose("a warp").when(T.lessThan(32), warp -> {
                    Ldmatrix load = new Ldmatrix(Ldmatrix.Shape.M8N8_B16, MatrixCount.X1);
                    Stmatrix store = new Stmatrix(MatrixCount.X1);
                    Register pair = warp.purpose("registers").registers("pair", ValueType.U32, 1);
                    warp.purpose("matrix").issue(transposed ? load.withTransposed() : load, Input.of(pair),
                            Input.of(BUFFER.at(T.modulo(8).times(16))));
                    warp.purpose("out again").issue(transposed ? store.withTransposed() : store,
                            Input.of(second(T.modulo(8).times(16))), Input.of(pair));
                });
                body.purpose("it is there").syncThreads();
                body.purpose("inside").when(T.lessThan(wrong ? FILLED + 1 : FILLED), b -> {
                    Expr.Var word = b.purpose("word").issue("again", LOAD, Input.of(second(T.times(4))));
                    put(b, word);
                });
            });
        }
    }

    @Test
    void anotherBlocksMemoryIsFollowedToo() {
        for (boolean wrong : new boolean[] {false, true}) {
            Consumer<Body> code = body -> {
                fill(body);
                body.purpose("all have begun").clusterSync();
                Expr.Var word = word(body);
                Expr.Var there = body.issue("there", Mapa.ofShared(), Input.of(second(T.times(4))),
                        Input.of(Expr.of(1).minus(Builtin.CLUSTER_RANK)));
                body.purpose("over there").issue(St.relaxed(Scope.CLUSTER, Space.SHARED_CLUSTER, DataType.U32),
                        Input.of(there), Input.of(word));
                body.purpose("all have written").clusterSync();
                guarded(body, wrong, b -> {
                    Expr.Var mine = b.purpose("mine").issue("mine", LOAD, Input.of(second(T.times(4))));
                    b.purpose("put").issue(St.relaxed(Scope.GPU, Space.GLOBAL, DataType.U32),
                            Input.of(out(T.times(4).plus(Builtin.BLOCK.times(4 * THREADS)))), Input.of(mine));
                });
            };
            if (wrong) {
                found(2, "read", "put", "leaves the value in global memory", code);
            } else {
                clean(2, code);
            }
        }
    }

    // ---- by the copy engine

    @Test
    void aBulkStoreLeavesAllThatItReads() {
        both("store", "store", "leaves them in global memory", (body, wrong) -> {
            fill(body);
            body.purpose("the copy engine sees it").proxyFence(FenceProxyAsync.Memory.SHARED);
            body.purpose("all have filled").syncThreads();
            body.when(T.isEqualTo(0), one -> {
                one.purpose("store").bulkStore(out(Expr.of(0)), BUFFER.at(0), 4 * FILLED + (wrong ? 16 : 0));
                one.bulkCommit();
                one.bulkWait(0);
            });
        });
    }

    /** A box of four rows, of which two are filled; the tensor ends two rows behind where it is stored. */
    @Test
    void aTensorStoreLeavesWhatIsInside() {
        both("store", "store", "leaves them in global memory", (body, wrong) -> {
            body.purpose("two rows").when(T.lessThan(THREADS / 4), b -> {
                Fragment words = b.load("words", ElementType.U32, 4, from(T.times(16)));
                b.purpose("fill").store(BUFFER.at(T.times(16)), words);
            });
            body.purpose("the copy engine sees it").proxyFence(FenceProxyAsync.Memory.SHARED);
            body.purpose("all have filled").syncThreads();
            body.when(T.isEqualTo(0), one -> {
                one.purpose("store").tensorStore(MAP, Expr.list(0, wrong ? 61 : 62), BUFFER.at(0));
                one.bulkCommit();
                one.bulkWait(0);
            });
        });
    }

    /**
     * Computed on in shared memory and stored by a box that hangs over the edge, as a tile kernel does with its last
     * tile.
     */
    @Test
    void aRaggedTileIsComputedOnInPlace() {
        both("compute", "store", "leaves the value in global memory", (body, wrong) -> {
            body.purpose("two rows").when(T.lessThan(THREADS / 4), b -> {
                Fragment words = b.load("words", ElementType.U32, 4, from(T.times(16)));
                b.purpose("fill").store(BUFFER.at(T.times(16)), words);
            });
            body.purpose("all are there").syncThreads();
            body.loop("at", T.times(16), 512, 16 * THREADS, (each, at) -> {
                Fragment words = each.purpose("compute").load("chunk", ElementType.U32, 4, BUFFER.at(at));
                each.purpose("in place").store(BUFFER.at(at), words);
            });
            body.purpose("the copy engine sees it").proxyFence(FenceProxyAsync.Memory.SHARED);
            body.purpose("all have filled").syncThreads();
            body.when(T.isEqualTo(0), one -> {
                one.purpose("store").tensorStore(MAP, Expr.list(0, wrong ? 61 : 62), BUFFER.at(0));
                one.bulkCommit();
                one.bulkWait(0);
            });
        });
    }

    @Test
    void whatACopyBringsIsDefined() {
        clean(body -> {
            SmallKernels.setUp(body, 1);
            SmallKernels.load(body, 0, 256, 256);
            body.purpose("landed").waitParity(READY, 0);
            put(body, word(body));
        });
    }

    // ---- between lanes

    @Test
    void aShuffleMovesItToTheLaneThatTakesIt() {
        both("read", "put", "leaves the value in global memory", (body, wrong) -> {
            fill(body);
            Expr taken = body.warp().shuffleIndex(word(body).toValue(), wrong ? FILLED : FILLED - 1).toIndex();
            body.purpose("one lane").when(T.isEqualTo(3), b -> put(b, taken));
        });
        both("read", "put", "leaves the value in global memory", (body, wrong) -> {
            fill(body);
            Expr taken = body.warp().shuffleDown(word(body).toValue(), 1).toIndex();
            body.purpose("one lane").when(T.isEqualTo(wrong ? FILLED - 1 : FILLED - 2), b -> put(b, taken));
        });
    }

    @Test
    void aVoteOrASumOnItIsUndefinedInEveryLane() {
        both("read", "put", "leaves the value in global memory", (body, wrong) -> {
            fill(body);
            Expr word = word(body);
            Expr own = body.let("own", wrong ? word : T.lessThan(FILLED).choose(word, 0));
            Expr sum = body.warp().reduce(ReduxSync.Op.ADD, own.toValue()).toIndex();
            body.purpose("one lane").when(T.isEqualTo(0), b -> put(b, sum));
        });
        both("read", "put", "leaves the value in global memory", (body, wrong) -> {
            fill(body);
            Expr word = word(body);
            Expr own = body.let("own", wrong ? word : T.lessThan(FILLED).choose(word, 0));
            Expr votes = body.warp().ballot(own.greaterThan(7).toValue()).bitCast(ValueType.I32).toIndex();
            body.purpose("one lane").when(T.isEqualTo(0), b -> put(b, votes));
        });
    }
}
