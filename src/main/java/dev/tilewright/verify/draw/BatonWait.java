package dev.tilewright.verify.draw;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.memory.Ld;

/** How a block waits for its turn: until a flag in memory is set. */
enum BatonWait {
    LOOP, WARP_LOOP, COUNTED_LOOP, INSTRUCTION;

    private static final Ld LOOK = Ld.acquire(Scope.GPU, Space.GLOBAL, DataType.U32);

    /** Adds the steps. @param turn for names @param flag where the flag is */
    void write(Body body, int turn, Address.Global flag) {
        switch (this) {
            case LOOP -> body.when(Builtin.THREAD.isEqualTo(0), one -> spin(one, turn, flag, false));
            case WARP_LOOP -> spin(body, turn, flag, true);
            case COUNTED_LOOP -> body.when(Builtin.THREAD.isEqualTo(0), one -> one.loop("try_" + turn, 0,
                    Integer.MAX_VALUE, 1, (again, _) -> again.when(
                            again.issue("set_" + turn, LOOK, Input.of(flag)).isEqualTo(1), Body::breakLoop)));
            case INSTRUCTION -> body.when(Builtin.THREAD.isEqualTo(0), one ->
                    one.waitUntil("set_" + turn, ValueType.U32, flag, set -> set.isEqualTo(1)));
        }
    }

    private static void spin(Body body, int turn, Address.Global flag, boolean together) {
        Register seen = body.variable("seen_" + turn, 0);
        body.repeatWhile(seen.get().toIndex().isEqualTo(0), again -> {
            Value set = again.issue("set_" + turn, LOOK, Input.of(flag)).toValue();
            // What one lane has seen decides for all.
            again.assign(seen, together ? again.warp().shuffleIndex(set, 0) : set);
        });
    }
}
