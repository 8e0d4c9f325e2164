package dev.tilewright.hazard;

import dev.tilewright.hazard.check.HazardCheck;
import static dev.tilewright.hazard.OrderKernels.EMPTY;
import static dev.tilewright.hazard.OrderKernels.FULL;
import static dev.tilewright.hazard.OrderKernels.SOURCE;
import static dev.tilewright.hazard.OrderKernels.T;
import static dev.tilewright.hazard.OrderKernels.TILE;
import static dev.tilewright.hazard.OrderKernels.arrive;
import static dev.tilewright.hazard.OrderKernels.at;
import static dev.tilewright.hazard.OrderKernels.check;
import static dev.tilewright.hazard.OrderKernels.inManyOrders;
import static dev.tilewright.hazard.OrderKernels.mine;
import static dev.tilewright.hazard.OrderKernels.read;
import static dev.tilewright.hazard.OrderKernels.setUp;
import static dev.tilewright.hazard.OrderKernels.thread;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.layout.ElementType;
import dev.tilewright.layout.MatrixMajor;
import dev.tilewright.layout.MatrixTile;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.Warp;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Fragment;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.expression.Value;
import dev.tilewright.ptx.fence.FenceProxyAsync;
import dev.tilewright.ptx.mma.MmaTypes;
import dev.tilewright.ptx.mma.WgmmaCommitGroup;
import dev.tilewright.ptx.mma.WgmmaFence;
import dev.tilewright.ptx.mma.WgmmaFloat;
import dev.tilewright.ptx.mma.WgmmaWaitGroup;
import dev.tilewright.ptx.warp.BarrierCtaArrive;
import dev.tilewright.ptx.warp.ElectSync;
import dev.tilewright.ptx.warp.Ldmatrix;
import dev.tilewright.ptx.warp.MatrixCount;
import dev.tilewright.ptx.warp.Setmaxnreg;
import java.lang.foreign.Arena;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * All lanes of a warp have come to an instruction that they perform together when one of them goes on: it may hand a
 * stage back for which all have waited. What they have read is not ordered by it: that takes {@code __syncwarp()}.
 */
class AlignedMeetingsTest {
    private static final int TURNS = 3;

    /** Instructions that the lanes of a warp perform together. */
    private static Map<String, Consumer<Body>> together() {
        Map<String, Consumer<Body>> all = new LinkedHashMap<>();
        all.put("bar.warp.sync", Body::syncWarp);
        all.put("elect.sync", b -> b.issue(new ElectSync(), Input.of(-1)));
        all.put("shfl.sync", b -> b.warp().shuffleDown(T.toValue(), 1, 32));
        all.put("ldmatrix", b -> b.issue(new Ldmatrix(Ldmatrix.Shape.M8N8_B16, MatrixCount.X1),
                Input.of(b.registers("matrix", 1, Value.u32(0))),
                Input.of(TILE.at(Warp.lane().modulo(8).times(16).plus(2048)))));
        all.put("setmaxnreg", b -> b.issue(new Setmaxnreg(true, 64)));
        all.put("barrier.arrive.aligned", b -> b.issue(new BarrierCtaArrive().withAligned(), Input.of(1),
                Input.of(64)));
        return all;
    }

    /** One warp waits for stages, and its first lane hands them back; a thread of the other warp fills them. */
    private static void ring(Body body, Consumer<Body> before, boolean reads) {
        setUp(body, 1, 1, false);
        body.purpose("a matrix").store(TILE.at(T.times(4).plus(2048)), Value.u32(0));
        body.purpose("they are there").syncThreads();
        body.purpose("the first warp").when(T.lessThan(32), b -> b.purpose("turns")
                .loop("turn", TURNS, (each, turn) -> {
            each.purpose("it is full").waitParity(FULL.at(0), turn.modulo(2));
            if (reads) {
                read(each, "read", TILE.at(T.times(4)), mine(OrderKernels.RESULT));
            }
            before.accept(each);
            each.purpose("one lane").when(T.isEqualTo(0), one -> arrive(one, "it is empty", EMPTY.at(0)));
        }));
        thread(body, 32, b -> b.purpose("turns").loop("turn", TURNS, (each, turn) -> {
            each.purpose("it is empty").waitParity(EMPTY.at(0), turn.plus(1).modulo(2));
            each.purpose("announce").arriveExpectTx(FULL.at(0), 128);
            each.purpose("fill").bulkLoad(TILE.at(0), at(SOURCE, Expr.of(0)), 128, FULL.at(0));
        }));
    }

    @Test
    void oneLaneMayHandBackWhatAllLanesHaveWaitedFor() {
        together().forEach((name, instruction) -> {
            HazardReport report = check(1, 1, body -> ring(body, instruction, false));
            assertEquals(Set.of(), report.codes(), () -> name + ": " + report);
        });
    }

    @Test
    void withoutAMeetingAnotherLaneMayMissItsPhase() {
        Twins.found(HazardCode.WRONG_PARITY, "it is full", check(1, 1, body -> ring(body, _ -> { }, false)));
    }

    @Test
    void whatTheLanesHaveReadIsOrderedByBarWarpSyncAlone() {
        together().forEach((name, instruction) -> {
            HazardReport report = check(1, 1, body -> ring(body, instruction, true));
            assertEquals(name.equals("bar.warp.sync") ? Set.of() : Set.of(HazardCode.OVERWRITE_UNREAD), report.codes(),
                    () -> name + ": " + report);
        });
        Twins.clean(inManyOrders(1, 1, body -> ring(body, Body::syncWarp, true)));
    }

    // ---- a ring of matrices for a warpgroup

    private static final MatrixTile A = new MatrixTile(64, 16, 2, MatrixMajor.K, Swizzle.NONE);
    private static final MatrixTile B = new MatrixTile(8, 16, 2, MatrixMajor.K, Swizzle.NONE);
    private static final SharedRegion.Buffer STAGE = new SharedRegion.Buffer("stage", A.bytes(), 128);
    private static final SharedRegion.Buffer KEPT = new SharedRegion.Buffer("kept", B.bytes(), 128);
    private static final Parameter.Pointer RESULT = new Parameter.Pointer("result", true);
    private static final int PRODUCER = 128;

    /** What is wrong with the ring of matrices. */
    enum Mistake { NONE, BEFORE_THE_WAIT, ONE_WARP_ONLY, FENCE_BEFORE_THE_LOOP }

    /** Each warp's first lane hands the matrix back right behind the wait for the product, as production kernels do. */
    private static void products(Body body, Mistake mistake) {
        body.purpose("set up").when(T.isEqualTo(0), one -> {
            one.purpose("full").barrierInit(FULL.at(0), 1);
            one.purpose("empty").barrierInit(EMPTY.at(0), mistake == Mistake.ONE_WARP_ONLY ? 1 : 4);
            one.purpose("known to the copy engine").barrierInitFence();
        });
        body.purpose("a few").when(T.lessThan(16), few -> {
            Fragment words = few.purpose("B").load("words", ElementType.U32, 4,
                    new Address.Global(SOURCE, T.times(16)));
            few.purpose("B stays").store(KEPT.at(T.times(16)), words);
        });
        body.purpose("the tensor cores see it").proxyFence(FenceProxyAsync.Memory.SHARED);
        body.purpose("set up").syncThreads();
        body.purpose("roles").when(T.lessThan(PRODUCER), group -> consume(group, mistake), other -> other.purpose("one")
                .when(T.isEqualTo(PRODUCER), one -> one.purpose("turns").loop("turn", TURNS, (each, turn) -> {
                    each.purpose("it is empty").waitParity(EMPTY.at(0), turn.plus(1).modulo(2));
                    each.purpose("announce").arriveExpectTx(FULL.at(0), A.bytes());
                    each.purpose("fill").bulkLoad(STAGE.at(0), at(SOURCE, Expr.of(0)), A.bytes(), FULL.at(0));
                })));
    }

    private static void consume(Body group, Mistake mistake) {
        Register sums = group.purpose("64 x 8 sums").registers("sums", 4, Value.f32(0));
        group.purpose("turns").loop("turn", TURNS, (each, turn) -> {
            if (mistake == Mistake.FENCE_BEFORE_THE_LOOP) {
                each.purpose("the sums are the tensor cores'").issue(new WgmmaFence());
            }
            each.purpose("it is full").waitParity(FULL.at(0), turn.modulo(2));
            if (mistake != Mistake.FENCE_BEFORE_THE_LOOP) {
                each.purpose("the sums are the tensor cores'").issue(new WgmmaFence());
            }
            each.purpose("sums += A B").issue(new WgmmaFloat(MmaTypes.F32_BF16_BF16, 8), Input.of(sums),
                    Input.of(STAGE.at(0).descriptor(A)), Input.of(KEPT.at(0).descriptor(B)),
                    Input.of(1));
            each.purpose("one group").issue(new WgmmaCommitGroup());
            Expr first = mistake == Mistake.ONE_WARP_ONLY ? T : Warp.lane();
            Consumer<Body> handBack = b -> b.purpose("one lane").when(first.isEqualTo(0),
                    one -> arrive(one, "it is empty", EMPTY.at(0)));
            if (mistake == Mistake.BEFORE_THE_WAIT) {
                handBack.accept(each);
            }
            each.purpose("it is done").issue(new WgmmaWaitGroup(0));
            if (mistake != Mistake.BEFORE_THE_WAIT) {
                handBack.accept(each);
            }
        });
        group.purpose("show them").store(new Address.Global(RESULT, T.times(16)), sums.at(0), sums.at(1), sums.at(2),
                sums.at(3));
    }

    static HazardReport products(Mistake mistake) {
        TileProgram program = new TileProgram("ring", "a ring of matrices", PRODUCER + 32, List.of(SOURCE, RESULT),
                new SharedLayout(List.of(STAGE, KEPT, FULL, EMPTY)), Body.steps(body -> products(body, mistake)));
        try (Arena arena = Arena.ofConfined()) {
            return HazardCheck.check(new Launch(program, 1, List.of(new Argument.Buffer(0), new Argument.Buffer(1))),
                    List.of(arena.allocate(4096, 128), arena.allocate(4096, 128)));
        }
    }

    @Test
    void oneLaneHandsAMatrixBackRightBehindTheWaitForItsProduct() {
        Twins.clean(products(Mistake.NONE));
        assertEquals(Set.of(HazardCode.OVERWRITE_IN_STORE), products(Mistake.BEFORE_THE_WAIT).codes());
        Twins.found(HazardCode.WGMMA_FENCE_TOO_EARLY, "the sums are the tensor cores'",
                products(Mistake.FENCE_BEFORE_THE_LOOP));
        HazardReport one = products(Mistake.ONE_WARP_ONLY);
        org.junit.jupiter.api.Assertions.assertFalse(one.isClean(), one::toString);
    }
}
