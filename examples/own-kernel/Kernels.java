package my;

import dev.tilewright.builder.BulkCopy;
import dev.tilewright.builder.TileKernel;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Address;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.Expr;
import dev.tilewright.program.Expr.Builtin;
import dev.tilewright.program.IntType;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Parameter;
import dev.tilewright.program.SharedLayout;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.Value;
import dev.tilewright.program.value.ValueType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;

/** Kernels for the command: {@code tilewright check --class-path FOLDER --program my.Kernels#rectify}. */
public final class Kernels {
    private static final int COUNT = 200;
    private static final Parameter.Pointer X = new Parameter.Pointer("x", false);
    private static final Parameter.Pointer Y = new Parameter.Pointer("y", true);
    private static final Parameter.Int N = new Parameter.Int("n", IntType.S32);

    private Kernels() {
    }

    /** A builder's kernel: the command launches it itself. */
    public static TileKernel rectify() {
        return BulkCopy.of(ElementType.F32).tile(256).stages(2).step(x -> x.max(0)).build();
    }

    /** A program that is written out: y = x², element by element. */
    public static TileProgram square() {
        return new TileProgram("square", "y = x * x", 128, List.of(X, Y, N), new SharedLayout(List.of()), Body.steps(b -> {
            Expr i = b.let("i", Builtin.BLOCK.times(128).plus(Builtin.THREAD));
            b.when(i.lessThan(N.value()), in -> {
                Value x = in.load("x_i", ValueType.F32, new Address.Global(X, i.times(4)));
                in.store(new Address.Global(Y, i.times(4)), x.times(x));
            });
        }));
    }

    /** A launch of it: two blocks, and how large its arrays are. */
    public static Launch launch() {
        return Launch.of(square(), 2, Map.of(X, new Argument.Buffer(0, 0, 4 * COUNT), Y, new Argument.Buffer(1, 0, 4 * COUNT),
                N, new Argument.Int(COUNT)));
    }

    /** What its arrays hold, for {@code --memory memory}; zeros without it. */
    public static List<MemorySegment> memory(Arena arena) {
        MemorySegment x = arena.allocate(4 * COUNT, 16);
        for (int i = 0; i < COUNT; i++) {
            x.setAtIndex(ValueLayout.JAVA_FLOAT, i, i);
        }
        return List.of(x, arena.allocate(4 * COUNT, 16));
    }
}
