package dev.tilewright.hazard;

import dev.tilewright.hazard.check.HazardCheck;
import dev.tilewright.layout.ElementType;
import dev.tilewright.layout.MatrixMajor;
import dev.tilewright.layout.MatrixTile;
import dev.tilewright.layout.Swizzle;
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
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.expression.Value;
import dev.tilewright.ptx.fence.FenceProxyAsync;
import dev.tilewright.ptx.mma.MmaTypes;
import dev.tilewright.ptx.mma.WgmmaCommitGroup;
import dev.tilewright.ptx.mma.WgmmaFence;
import dev.tilewright.ptx.mma.WgmmaFloat;
import dev.tilewright.ptx.mma.WgmmaWaitGroup;
import java.lang.foreign.Arena;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * The smallest kernel with products of a warpgroup, right or with mistakes: fill A and B, multiply twice, fill them
 * again, multiply once more, store the sums.
 */
final class WgmmaKernel {
    /** What can be wrong with it. */
    enum Mistake {
        NO_FENCE, NO_FENCE_AGAIN, NO_COMMIT, NO_WAIT, WAIT_TOO_SHALLOW, NO_PROXY_FENCE, NO_SYNC, NO_SYNC_AFTER_WAIT,
        SUMS_TOUCHED, NO_LAST_WAIT
    }

    private static final Parameter.Pointer SOURCE = new Parameter.Pointer("source", false);
    private static final Parameter.Pointer RESULT = new Parameter.Pointer("result", true);
    private static final MatrixTile A_TILE = new MatrixTile(64, 16, 2, MatrixMajor.K, Swizzle.NONE);
    private static final MatrixTile B_TILE = new MatrixTile(8, 16, 2, MatrixMajor.K, Swizzle.NONE);
    private static final SharedRegion.Buffer A = new SharedRegion.Buffer("a", A_TILE.bytes(), 128);
    private static final SharedRegion.Buffer B = new SharedRegion.Buffer("b", B_TILE.bytes(), 128);
    private static final Expr T = Builtin.THREAD;

    private final Set<Mistake> mistakes;

    private WgmmaKernel(Set<Mistake> mistakes) {
        this.mistakes = mistakes;
    }

    static TileProgram program(Set<Mistake> mistakes) {
        return new TileProgram("products", "two products", 128, List.of(SOURCE, RESULT),
                new SharedLayout(List.of(A, B)), Body.steps(new WgmmaKernel(mistakes)::write));
    }

    static Launch launch(Set<Mistake> mistakes) {
        return new Launch(program(mistakes), 1, List.of(new Argument.Buffer(0), new Argument.Buffer(1)));
    }

    static HazardReport check(Mistake... mistakes) {
        Set<Mistake> set = mistakes.length == 0 ? EnumSet.noneOf(Mistake.class) : EnumSet.copyOf(List.of(mistakes));
        Launch launch = launch(set);
        try (Arena arena = Arena.ofConfined()) {
            return HazardCheck.check(launch, List.of(arena.allocate(8192, 128), arena.allocate(8192, 128)));
        }
    }

    private boolean is(Mistake mistake) {
        return mistakes.contains(mistake);
    }

    private void fill(Body body, String what, int from) {
        Fragment a = body.purpose(what).load("a_words", ElementType.U32, 4,
                new Address.Global(SOURCE, T.times(16).plus(from)));
        body.purpose("fill A").store(A.at(T.times(16)), a);
        body.purpose("fill B").when(T.lessThan(16), few -> {
            Fragment b = few.purpose(what).load("b_words", ElementType.U32, 4,
                    new Address.Global(SOURCE, T.times(16).plus(from + 2048)));
            few.purpose("fill B").store(B.at(T.times(16)), b);
        });
    }

    private static void multiply(Body body, Register sums, int adds) {
        body.purpose("sums += A B").issue(new WgmmaFloat(MmaTypes.F32_BF16_BF16, 8), Input.of(sums),
                Input.of(A.at(0).descriptor(A_TILE)), Input.of(B.at(0).descriptor(B_TILE)),
                Input.of(adds));
    }

    private void write(Body body) {
        Register sums = body.purpose("64 x 8 sums").registers("sums", 4, Value.f32(0));
        fill(body, "the first matrices", 0);
        if (!is(Mistake.NO_PROXY_FENCE)) {
            body.purpose("the tensor cores see them").proxyFence(FenceProxyAsync.Memory.SHARED);
        }
        if (!is(Mistake.NO_SYNC)) {
            body.purpose("all have filled").syncThreads();
        }
        if (!is(Mistake.NO_FENCE)) {
            body.purpose("the sums are the tensor cores'").issue(new WgmmaFence());
        }
        multiply(body, sums, 1);
        multiply(body, sums, 1);
        if (!is(Mistake.NO_COMMIT)) {
            body.purpose("one group").issue(new WgmmaCommitGroup());
        }
        if (!is(Mistake.NO_WAIT)) {
            body.purpose("they are done").issue(new WgmmaWaitGroup(is(Mistake.WAIT_TOO_SHALLOW) ? 1 : 0));
        }
        if (!is(Mistake.NO_SYNC_AFTER_WAIT)) {
            body.purpose("all are done").syncThreads();
        }
        fill(body, "the next matrices", 4096);
        body.purpose("the tensor cores see them").proxyFence(FenceProxyAsync.Memory.SHARED);
        body.purpose("all have filled").syncThreads();
        body.purpose("twice the first").assign(sums.at(1), sums.at(1).times(2));
        if (!is(Mistake.NO_FENCE_AGAIN)) {
            body.purpose("the sums are the tensor cores' again").issue(new WgmmaFence());
        }
        multiply(body, sums, 1);
        if (is(Mistake.SUMS_TOUCHED)) {
            body.purpose("meddle").assign(sums.at(3), Value.f32(1));
        }
        body.purpose("one group").issue(new WgmmaCommitGroup());
        if (!is(Mistake.NO_LAST_WAIT)) {
            body.purpose("it is done").issue(new WgmmaWaitGroup(0));
        }
        body.purpose("show them").store(new Address.Global(RESULT, T.times(16)), sums.at(0), sums.at(1), sums.at(2),
                sums.at(3));
    }
}
