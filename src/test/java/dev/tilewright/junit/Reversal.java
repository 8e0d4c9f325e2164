package dev.tilewright.junit;

import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.copy.StBulk;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** A kernel that reverses 64 numbers of type f32 through shared memory, and the same with a mistake. */
final class Reversal {
    static final int COUNT = 64;
    private static final Parameter.Pointer SOURCE = new Parameter.Pointer("source", false);
    private static final Parameter.Pointer RESULT = new Parameter.Pointer("result", true);
    private static final SharedRegion.Buffer TILE = new SharedRegion.Buffer("tile", 4 * COUNT, 16);

    private Reversal() {
    }

    private static Launch launch(Consumer<Body> between) {
        TileProgram program = new TileProgram("reversal", "the numbers from the last to the first", COUNT,
                List.of(SOURCE, RESULT), new SharedLayout(List.of(TILE)), Body.steps(b -> {
                    Value x = b.load("x", ValueType.F32, new Address.Global(SOURCE, Builtin.THREAD.times(4)));
                    b.store(TILE.at(Builtin.THREAD.times(4)), x);
                    between.accept(b);
                    Value y = b.load("y", ValueType.F32, TILE.at(Expr.of(COUNT - 1).minus(Builtin.THREAD).times(4)));
                    b.store(new Address.Global(RESULT, Builtin.THREAD.times(4)), y);
                }));
        return Launch.of(program, 1, Map.of(SOURCE, new Argument.Buffer(0), RESULT, new Argument.Buffer(1)));
    }

    /** @param waits whether threads wait for each other between the write and the read */
    static Launch launch(boolean waits) {
        return launch(b -> {
            if (waits) {
                b.syncThreads();
            }
        });
    }

    /** With an instruction that the reference does not run. */
    static Launch clearing() {
        return launch(b -> {
            b.syncThreads();
            b.when(Builtin.THREAD.isEqualTo(0), one ->
                    one.issue(new StBulk().withWeak(), Input.of(TILE.at(0)), Input.of(256L)));
            b.syncThreads();
        });
    }
}
