package dev.tilewright.hazard.blame;

import static dev.tilewright.hazard.blame.Blame.FLAGS;
import static dev.tilewright.hazard.blame.Blame.T;
import static dev.tilewright.hazard.blame.Blame.from;
import static dev.tilewright.hazard.blame.Blame.to;

import dev.tilewright.hazard.HazardCode;
import dev.tilewright.hazard.HazardReport;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Fragment;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.fence.FenceProxyAsync.Memory;
import dev.tilewright.ptx.memory.Ld;
import dev.tilewright.ptx.memory.St;
import java.util.List;

/**
 * The first block leaves words in global memory and raises a flag; the second waits for the flag and lets a bulk copy
 * read them, or reads one with a scope.
 */
final class HandOverBlames {
    private static final int THREADS = 32;
    private static final int TILE = 4 * THREADS;
    private static final SharedRegion.Buffer WORDS = new SharedRegion.Buffer("words", TILE, 128);
    private static final SharedRegion.Barriers FULL = new SharedRegion.Barriers("full", 1);

    private enum Edit {
        FENCE_OF_SHARED_MEMORY, NO_FENCE, STORED_RELAXED
    }

    private static final Blame.Runner COPIED = edit -> check(edit, true);
    private static final Blame.Runner READ = edit -> check(edit, false);

    private HandOverBlames() {
    }

    static List<Blame> all() {
        return List.of(
                new Blame("handed to a copy", Edit.FENCE_OF_SHARED_MEMORY, HazardCode.MISSING_PROXY_FENCE, "fence",
                        COPIED, List.of("is for shared memory alone", "fence.proxy.async.global")),
                new Blame("handed to a copy", Edit.NO_FENCE, HazardCode.MISSING_PROXY_FENCE, "load", COPIED,
                        List.of("in the writing thread, put fence.proxy.async")),
                new Blame("handed to a load", Edit.STORED_RELAXED, HazardCode.FLAG_NOT_ACQUIRED, "raise", READ,
                        List.of("without release semantics")));
    }

    private static HazardReport check(Enum<?> edit, boolean copied) {
        return Blame.check(THREADS, 2, 1, List.of(WORDS, FULL), body -> body.purpose("blocks")
                .when(Builtin.BLOCK.isEqualTo(0), first -> leave(first, edit), second -> take(second, edit, copied)));
    }

    private static Address.Global flag() {
        return new Address.Global(FLAGS, 0);
    }

    private static void leave(Body body, Enum<?> edit) {
        Expr.Var word = body.purpose("word").issue("word", Ld.relaxed(Scope.GPU, Space.GLOBAL, DataType.U32),
                Input.of(from(T.times(4))));
        body.purpose("leave").issue(St.relaxed(Scope.GPU, Space.GLOBAL, DataType.U32), Input.of(to(T.times(4))),
                Input.of(word));
        body.purpose("left").syncThreads();
        body.purpose("one").when(T.isEqualTo(0), one -> one.purpose("raise").issue(edit == Edit.STORED_RELAXED
                ? St.relaxed(Scope.GPU, Space.GLOBAL, DataType.U32) : St.release(Scope.GPU, Space.GLOBAL, DataType.U32),
                Input.of(flag()), Input.of(1)));
    }

    private static void take(Body body, Enum<?> edit, boolean copied) {
        body.purpose("one").when(T.isEqualTo(0), one -> {
            one.purpose("init").barrierInit(FULL.at(0), 1);
            one.purpose("init fence").barrierInitFence();
            one.purpose("raised").waitUntil("flag", ValueType.U32, flag(), v -> v.isEqualTo(1));
            if (!copied) {
                Expr.Var taken = one.purpose("take").issue("taken", Ld.relaxed(Scope.GPU, Space.GLOBAL, DataType.U32),
                        Input.of(to(Expr.of(0))));
                one.purpose("show").issue(St.relaxed(Scope.GPU, Space.GLOBAL, DataType.U32),
                        Input.of(to(Expr.of(2 * TILE))), Input.of(taken));
                return;
            }
            if (edit != Edit.NO_FENCE) {
                one.purpose("fence").proxyFence(edit == Edit.FENCE_OF_SHARED_MEMORY ? Memory.SHARED : Memory.GLOBAL);
            }
            one.purpose("arm").arriveExpectTx(FULL.at(0), TILE);
            one.purpose("load").bulkLoad(WORDS.at(0), to(Expr.of(0)), TILE, FULL.at(0));
        });
        if (copied) {
            body.purpose("ready").syncThreads();
            body.purpose("wait").waitParity(FULL.at(0), 0);
            Fragment f = body.purpose("read").load("words", ElementType.U32, 1, WORDS.at(T.times(4)));
            body.purpose("show").store(to(T.times(4).plus(2 * TILE)), f);
        }
    }
}
