package dev.tilewright.program;

import dev.tilewright.layout.ElementType;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Fragment;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedLayout;
import java.util.List;

/** A copy of words through two pointers, which also shows the two addresses' distance from each other. */
public final class OffsetKernels {
    public static final int WORDS = 32;
    public static final Parameter.Pointer FROM = new Parameter.Pointer("from", false);
    public static final Parameter.Pointer TO = new Parameter.Pointer("to", true);

    private OffsetKernels() {
    }

    /**
     * 32 threads copy a word each; thread 0 writes how many bytes {@code to} lies behind {@code from} behind them.
     *
     * @param first the word that thread 0 copies
     */
    public static TileProgram copy(int first) {
        return new TileProgram("words", "copies through two pointers", WORDS, List.of(FROM, TO),
                new SharedLayout(List.of()),
                Body.steps(body -> {
                    Expr at = body.purpose("each its word").let("at", Builtin.THREAD.plus(first).times(4).toS64());
                    Fragment word = body.purpose("read").load("word", ElementType.U32, 1, new Address.Global(FROM, at));
                    body.purpose("write").store(new Address.Global(TO, at), word);
                    body.purpose("who copies more").when(TO.deviceAddress().minus(FROM.deviceAddress())
                            .isEqualTo(Expr.of(4096L)), far -> far.purpose("4096 bytes apart")
                            .store(new Address.Global(TO,
                                    at.plus(Expr.of(4L * WORDS))), word));
                }));
    }
}
