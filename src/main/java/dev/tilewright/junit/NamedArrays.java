package dev.tilewright.junit;

import dev.tilewright.NotNull;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Launchable;
import dev.tilewright.program.Scalars;
import dev.tilewright.program.array.ArrayShape;
import dev.tilewright.program.array.KernelTemplate;
import dev.tilewright.ptx.Target;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** All arrays of a launch of a tile kernel by name, and its scalars. */
record NamedArrays(KernelTemplate kernel, Map<String, HostArray> arrays, Map<String, Number> scalars) {

    /** @throws IllegalArgumentException if an array is missing, there is another, or one has another type */
    NamedArrays {
        NotNull.all("kernel, arrays, scalars", kernel, arrays, scalars);
        arrays = Map.copyOf(NotNull.entries("arrays", arrays));
        scalars = Map.copyOf(NotNull.entries("scalars", scalars));
        List<String> names = kernel.arrays().stream().map(Launchable.Array::name).toList();
        if (arrays.size() != names.size() || !arrays.keySet().containsAll(names)) {
            throw new IllegalArgumentException("kernel '" + kernel.name() + "' has the arrays " + names + ", got "
                    + arrays.keySet().stream().sorted().toList());
        }
        for (Launchable.Array array : kernel.arrays()) {
            HostArray given = arrays.get(array.name());
            if (given.type() != array.type()) {
                throw new IllegalArgumentException("kernel '" + kernel.name() + "': array '" + array.name()
                        + "' has elements of " + array.type() + ", got " + given + ": give its memory and type, with "
                        + "HostArray.of(memory, ElementType." + array.type().name() + ", …)");
            }
        }
    }

    /** In the order of the launch's buffers. */
    List<HostArray> inOrder() {
        return kernel.arrays().stream().map(array -> arrays.get(array.name())).toList();
    }

    Launch launch(Target target, int multiprocessors) {
        Map<String, ArrayShape> shapes = new HashMap<>();
        arrays.forEach((name, array) -> shapes.put(name, ArrayShape.dense(array.shape())));
        Scalars values = Scalars.NONE;
        for (Map.Entry<String, Number> scalar : scalars.entrySet()) {
            values = values.and(scalar.getKey(), scalar.getValue());
        }
        return kernel.launch(shapes, values, target, multiprocessors);
    }
}
