package dev.tilewright.tile.lower;

import dev.tilewright.program.Argument;
import dev.tilewright.program.Launch;
import dev.tilewright.program.array.ArrayShape;
import dev.tilewright.program.expression.OutOfRegistersException;
import dev.tilewright.program.value.ValueMath;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.DrawnTileKernel;
import dev.tilewright.tile.Tensor;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.commons.lang3.exception.ExceptionUtils;

/** A drawn kernel's program and its launch: tensor {@code i} is buffer {@code i}. */
public record DrawnLowering(Launch launch) {

    /** Nothing where its tiles are too large, or the threads too few for {@code wgmma}. */
    public static Optional<DrawnLowering> of(DrawnTileKernel drawn, int threads) {
        Map<String, Long> extents = new HashMap<>();
        Map<String, ArrayShape> shapes = new HashMap<>();
        for (Tensor tensor : drawn.kernel.tensors()) {
            shapes.put(tensor.name(), ArrayShape.dense(drawn.extents.get(tensor.name())));
            for (int i = 0; i < tensor.dims().size(); i++) {
                extents.put(tensor.dims().get(i).name(), drawn.extents.get(tensor.name())[i]);
            }
        }
        Lowered lowered;
        try {
            lowered = Lowering.of(drawn.kernel, extents, tensor -> Lowering.isAligned(tensor,
                    shapes.get(tensor.name())), threads);
        } catch (IllegalArgumentException e) {
            if (ExceptionUtils.indexOfType(e, OutOfRegistersException.class) >= 0
                    || threads < 128 && e.getMessage().startsWith("wgmma")) {
                return Optional.empty();
            }
            throw e;
        }
        Map<String, Argument> scalars = new HashMap<>();
        drawn.scalars.forEach((name, number) -> scalars.put(name,
                new Argument.Scalar(ValueMath.constant(ValueType.F32, number))));
        return Optional.of(new DrawnLowering(lowered.launch(extents, shapes, scalars, 1)));
    }
}
