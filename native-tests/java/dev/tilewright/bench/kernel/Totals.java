package dev.tilewright.bench.kernel;

import dev.tilewright.builder.collective.BlockReduction;
import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.AtomicOp;

/**
 * What kernels that add an array up have in common: words or f32 numbers, and how a block's sum gets into the total.
 */
final class Totals {
    private Totals() { }

    static ValueType type(boolean floats) {
        return floats ? ValueType.F32 : ValueType.U32;
    }

    static Value zero(boolean floats) {
        return floats ? Value.f32(0) : Value.u32(0);
    }

    /** Adds four words of a register to a sum. */
    static void add(Body body, Register sum, Register held, Expr first) {
        body.assign(sum, sum.get().plus(held.at(first).plus(held.at(first.plus(1)))
                .plus(held.at(first.plus(2)).plus(held.at(first.plus(3))))));
    }

    /** Adds what all threads of the block have to a word of the totals, by one update. */
    static void addUp(Body body, BlockReduction reduction, Value sum, Parameter.Pointer totals, Expr at) {
        Value all = body.purpose("the block's sum").let("all", reduction.reduce(body, sum, Value::plus));
        body.purpose("one thread adds it to the total").when(Builtin.THREAD.isEqualTo(0),
                one -> update(one, all, totals, at));
    }

    /** Adds a thread's value to a word of the totals. */
    static void update(Body body, Value value, Parameter.Pointer totals, Expr at) {
        body.atomic(AtomicOp.ADD, new Address.Global(totals, at), value);
    }
}
