package dev.tilewright.program;

import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.IllegalFormException;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.memory.Atom;
import dev.tilewright.ptx.memory.Ld;
import dev.tilewright.ptx.memory.St;
import java.util.ArrayList;
import java.util.List;

/**
 * Every atomic operation on every type that it has: each of 64 threads updates a word of its own and shows the old and
 * the new one.
 */
public final class AtomicKernels {
    public static final int BYTES = AsyncKernels.BYTES;
    public static final int THREADS = AsyncKernels.THREADS;
    /** Operands are taken from one of so many places of the source, 32 bytes each: old value, operand, replacement. */
    public static final int PLACES = 1000;

    /** An operation on a type. */
    public record Update(AtomicOp op, DataType type) {
    }

    private AtomicKernels() {
    }

    /** All that there are, in the order in which the kernel performs them. */
    public static List<Update> updates() {
        List<Update> all = new ArrayList<>();
        for (AtomicOp op : AtomicOp.values()) {
            for (DataType type : DataType.values()) {
                try {
                    all.add(new Update(Atom.relaxed(Scope.GPU, Space.GLOBAL, op, type).op(), type));
                } catch (IllegalFormException e) {
                    // PTX does not have it.
                }
            }
        }
        return all;
    }

    /** Which place a thread takes its operands from, for the update of this number. */
    public static int place(int update, int thread) {
        return (thread + THREADS * update) % PLACES;
    }

    /** Where a thread shows the old value, and 8 bytes on the new one. */
    public static int shown(int update, int thread) {
        return 16 * (THREADS * update + thread);
    }

    /** @param space global memory, or the block's shared memory */
    public static TileProgram program(Space space) {
        SharedRegion.Buffer buffer = new SharedRegion.Buffer("buffer", 8 * THREADS, 8);
        Expr t = Builtin.THREAD;
        Address at = space == Space.GLOBAL ? new Address.Global(AsyncKernels.FLAGS, t.times(8).toS64())
                : buffer.at(t.times(8));
        return new TileProgram("atomics", "every update", THREADS,
                List.of(AsyncKernels.SOURCE, AsyncKernels.RESULT, AsyncKernels.FLAGS),
                new SharedLayout(List.of(buffer)), Body.steps(body -> {
                    for (int k = 0; k < updates().size(); k++) {
                        update(body, k, updates().get(k), space, at);
                    }
                }));
    }

    private static void update(Body body, int k, Update u, Space space, Address at) {
        DataType bits = u.type().bits() == 32 ? DataType.B32 : DataType.B64;
        Expr from = Builtin.THREAD.plus(THREADS * k).modulo(PLACES).times(32);
        Ld load = Ld.relaxed(Scope.GPU, Space.GLOBAL, bits);
        Expr before = body.purpose("the old value of " + k)
                .issue("before_" + k, load, Input.of(new Address.Global(AsyncKernels.SOURCE, from.toS64())));
        Expr value = body.purpose("the operand of " + k)
                .issue("value_" + k, load, Input.of(new Address.Global(AsyncKernels.SOURCE, from.plus(8).toS64())));
        body.purpose("put " + k + " there").issue(St.relaxed(Scope.GPU, space, bits), Input.of(at), Input.of(before));
        Atom atom = Atom.relaxed(Scope.GPU, space, u.op(), u.type());
        Expr old;
        if (u.op() == AtomicOp.CAS) {
            Expr replacement = body.purpose("the replacement of " + k).issue("replacement_" + k, load,
                    Input.of(new Address.Global(AsyncKernels.SOURCE, from.plus(16).toS64())));
            Expr compared = Builtin.THREAD.bitAnd(1).isEqualTo(0).choose(before, value);
            old = body.purpose("update " + k)
                    .issue("old_" + k, atom, Input.of(at), Input.of(compared), Input.of(replacement));
        } else {
            old = body.purpose("update " + k).issue("old_" + k, atom, Input.of(at), Input.of(value));
        }
        Expr after = body.purpose("the new value of " + k).issue("after_" + k, Ld.relaxed(Scope.GPU, space, bits),
                Input.of(at));
        St show = St.relaxed(Scope.GPU, Space.GLOBAL, bits);
        Expr to = Builtin.THREAD.plus(THREADS * k).times(16);
        body.purpose("show the old value of " + k)
                .issue(show, Input.of(new Address.Global(AsyncKernels.RESULT, to.toS64())), Input.of(old));
        body.purpose("show the new value of " + k)
                .issue(show, Input.of(new Address.Global(AsyncKernels.RESULT, to.plus(8).toS64())), Input.of(after));
    }
}
