package dev.tilewright.verify.draw;

import dev.tilewright.layout.TensorDataType;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Dim3;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.ptx.Target;
import dev.tilewright.tensormap.TiledTensorMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntUnaryOperator;

/**
 * A kernel that copies words through a pipeline, and which word of the source each word of the result then is.
 *
 * @param words of the result
 */
public record PipelineCase(TileProgram program, Dim3 grid, int words, IntUnaryOperator from) {
    public static final Parameter.Pointer SOURCE = new Parameter.Pointer("source", false);
    public static final Parameter.Pointer RESULT = new Parameter.Pointer("result", true);
    /** Of the source, in rows of 128 bytes; a box is a tile of {@link PipelineKernels#TILE} bytes. */
    public static final Parameter.TensorMap MAP = new Parameter.TensorMap("map", 2);
    /** Words of every source. */
    public static final int SOURCE_WORDS = 1 << 16;

    public Launch launch() {
        TiledTensorMap map = TiledTensorMap.outermostFirst(TensorDataType.UINT32).shape(SOURCE_WORDS / 32, 32)
                .box(PipelineKernels.TILE / 128, 32).build(Target.SM_90);
        return Launch.of(program, grid, Map.of(SOURCE, new Argument.Buffer(0), RESULT, new Argument.Buffer(1), MAP,
                new Argument.Tensor(map, 0)));
    }

    @Override
    public String toString() {
        return program.name() + ": " + program.purpose();
    }

    static List<Parameter> parameters() {
        return List.of(SOURCE, RESULT, MAP);
    }
}
