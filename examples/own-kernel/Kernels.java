package my;

import dev.tilewright.builder.BulkCopy;
import dev.tilewright.builder.ElementwiseKernel;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Dim3;
import dev.tilewright.program.Launch;
import dev.tilewright.program.ProgramBuilder;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;

/** Kernels for the command: {@code tilewright check --class-path FOLDER --program my.Kernels#rectify}. */
public final class Kernels {
    private static final int COUNT = 200;

    private Kernels() {
    }

    /** A builder's kernel: the command launches it itself. */
    public static ElementwiseKernel rectify() {
        return BulkCopy.of(ElementType.F32).tile(256).stages(2).step(x -> x.max(0)).build();
    }

    /** A program that is written out: y = x², element by element. */
    public static TileProgram square() {
        ProgramBuilder k = ProgramBuilder.of("square", 128).purpose("y = x * x");
        Parameter.Pointer x = k.input("x", ValueType.F32);
        Parameter.Pointer y = k.output("y", ValueType.F32);
        Expr n = k.int32("n");
        return k.build(b -> {
            Expr i = b.let("i", Builtin.BLOCK.times(128).plus(Builtin.THREAD));
            b.when(i.lessThan(n), in -> {
                Value element = in.load("element", x, i);
                in.store(y, i, element.times(element));
            });
        });
    }

    /** A launch of it: two blocks, and how large its arrays are. */
    public static Launch launch() {
        return Launch.named(square(), Dim3.of(2), Map.of("x", new Argument.Buffer(0, 0, 4 * COUNT),
                "y", new Argument.Buffer(1, 0, 4 * COUNT), "n", new Argument.Int(COUNT)));
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
