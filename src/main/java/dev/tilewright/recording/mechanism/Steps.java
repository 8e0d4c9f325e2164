package dev.tilewright.recording.mechanism;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;

/** What the programs of all mechanisms consist of besides the instruction that is recorded. */
final class Steps {
    /** What memory holds that nothing has been written to: what is left out shows. */
    static final byte POISON = (byte) 0xCD;
    static final Parameter.Pointer IN = new Parameter.Pointer("in", false);
    static final Parameter.Pointer OUT = new Parameter.Pointer("out", true);
    static final Expr THREAD = Builtin.THREAD;
    private static final int WORD = 4;

    private Steps() { }

    static Parameter.Int number(String name) {
        return new Parameter.Int(name, IntType.S32);
    }

    static Address.Global in(Expr at) {
        return new Address.Global(IN, at.toS64());
    }

    static Address.Global out(Expr at) {
        return new Address.Global(OUT, at.toS64());
    }

    /** All threads write poison. @param bytes a multiple of 4 */
    static void poison(Body body, SharedRegion.Buffer region, Expr bytes, int threads) {
        body.purpose("what nothing is written to shows").loop("poisoned", THREAD.times(WORD), bytes,
                WORD * threads, (each, at) -> each.store(region.at(at), Value.u32(0xCDCDCDCD)));
    }

    /** All threads bring bytes from the start of the input, or behind it. */
    static void fetch(Body body, SharedRegion.Buffer region, Expr bytes, int from, int threads) {
        body.purpose("fill shared memory").loop("filled", THREAD.times(WORD), bytes, WORD * threads,
                (each, at) -> each.store(region.at(at), each.load("word", ValueType.U32, in(at.plus(from)))));
    }

    /** All threads show bytes. @param to where they are shown, in bytes */
    static void show(Body body, SharedRegion.Buffer region, Expr bytes, Expr to, int threads) {
        body.purpose("show shared memory").loop("shown", THREAD.times(WORD), bytes, WORD * threads,
                (each, at) -> each.store(out(at.plus(to)), each.load("word", ValueType.U32, region.at(at))));
    }

    /** One thread makes a barrier of one arrival, for the whole cluster if there is one. */
    static void initialise(Body body, Address.Barrier barrier) {
        body.purpose("one thread").when(THREAD.isEqualTo(0), one -> {
            one.purpose("one arrival").barrierInit(barrier, 1);
            one.purpose("known to the copy engine").barrierInitFence();
        });
    }
}
