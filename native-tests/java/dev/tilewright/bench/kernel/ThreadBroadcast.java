package dev.tilewright.bench.kernel;

import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.value.ValueType;
import java.util.List;
import java.util.Map;

/**
 * Copies an array to several, which lie one behind the other, through registers: what a thread has loaded it stores to
 * each.
 *
 * @param copies how many arrays
 * @param each chunks of 16 bytes of a thread
 */
public record ThreadBroadcast(int copies, int each) {
    private static final int THREADS = 256;
    private static final int CHUNK = 16;
    private static final int WORDS = CHUNK / Integer.BYTES;

    private static final Parameter.Pointer SOURCE = new Parameter.Pointer("source", false);
    private static final Parameter.Pointer RESULT = new Parameter.Pointer("result", true);
    private static final Parameter.Int BYTES = new Parameter.Int("bytes", IntType.S64);

    public ThreadBroadcast {
        if (copies < 1 || each < 1 || each > 16) {
            throw new IllegalArgumentException("an array is copied to 1 or more, 1 to 16 chunks of each thread, got "
                    + copies
                    + " and " + each);
        }
    }

    /** The kernel. Needs sm_80. */
    public TileProgram program() {
        return new TileProgram("thread_broadcast", "an array to " + copies + ", by registers", THREADS,
                List.of(SOURCE, RESULT, BYTES), new SharedLayout(List.of()), Body.steps(this::write));
    }

    /** A launch on buffers 0 (source) and 1 (all results). @param bytes of the source, a multiple of 16 */
    public Launch launch(long bytes) {
        return Launch.of(program(), Math.toIntExact(Math.ceilDiv(bytes, (long) THREADS * each * CHUNK)),
                Map.of(SOURCE, new Argument.Buffer(0), RESULT, new Argument.Buffer(1), BYTES, new Argument.Int(bytes)));
    }

    private void write(Body body) {
        Register held = body.registers("held", ValueType.U32, each * WORDS);
        Expr first = body.purpose("the thread's first byte").let("first", Builtin.BLOCK.toS64().times(THREADS * each)
                .plus(Builtin.THREAD.toS64()).times(CHUNK));
        body.unrolled("k", each, (b, k) -> {
            Expr at = first.plus(k.times(THREADS * CHUNK).toS64());
            b.purpose("what lies in the array").when(at.lessThan(BYTES.value()),
                    in -> in.load(held, k.times(WORDS), WORDS, new Address.Global(SOURCE, at)));
        });
        for (int copy = 0; copy < copies; copy++) {
            Expr start = body.purpose("where array " + copy + " begins").let("start", BYTES.value().times(copy));
            body.unrolled("k", each, (b, k) -> {
                Expr at = first.plus(k.times(THREADS * CHUNK).toS64());
                Expr word = k.times(WORDS);
                b.purpose("what lies in the array").when(at.lessThan(BYTES.value()),
                        in -> in.store(new Address.Global(RESULT, start.plus(at)), held.at(word), held.at(word.plus(1)),
                                held.at(word.plus(2)), held.at(word.plus(3))));
            });
        }
    }
}
