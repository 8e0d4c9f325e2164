package dev.tilewright.tile.lower;

import dev.tilewright.program.Argument;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.array.ArrayShape;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.ptx.Target;
import dev.tilewright.tile.Grid;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.TileKernel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;

/**
 * A tile program made of a tile kernel.
 *
 * @param known extents that the program is made for; the others are the launch's
 */
public record Lowered(TileKernel kernel, TileProgram program, Map<String, Long> known) {
    public Lowered {
        known = Map.copyOf(known);
    }

    /** The pointer of a tensor. */
    static Parameter.Pointer pointer(Tensor tensor) {
        return new Parameter.Pointer(tensor.name(), tensor.role() != Tensor.Role.IN);
    }

    /** The distance between places of a dimension, in elements; the last dimension's is 1. */
    static Parameter.Int stride(Tensor tensor, int dimension) {
        return new Parameter.Int(tensor.name() + "_stride" + dimension, dev.tilewright.program.expression.IntType.S64);
    }

    static List<Parameter> parameters(TileKernel kernel, Map<String, Long> known) {
        List<Parameter> parameters = new ArrayList<>();
        for (Tensor tensor : kernel.tensors()) {
            parameters.add(pointer(tensor));
            for (int i = 0; i < tensor.dims().size() - 1; i++) {
                parameters.add(stride(tensor, i));
            }
        }
        kernel.dims().stream().filter(dim -> !known.containsKey(dim.name()))
                .forEach(dim ->
                parameters.add(new Parameter.Int(dim.name(), dev.tilewright.program.expression.IntType.S64)));
        parameters.addAll(kernel.scalars());
        return parameters;
    }

    /**
     * A launch: tensor {@code i} of the kernel is buffer {@code i}.
     *
     * @param extents of all dimensions by name
     * @param shapes of the tensors, by name, whose last stride is 1
     * @param scalars by name
     */
    public Launch launch(Map<String, Long> extents, Map<String, ArrayShape> shapes, Map<String, Argument> scalars) {
        known.forEach((name, extent) -> {
            if (!extent.equals(extents.get(name))) {
                throw new IllegalArgumentException("the program is made for " + name + " = " + extent + ", got "
                        + extents.get(name));
            }
        });
        Map<Parameter, Argument> arguments = new HashMap<>();
        List<Tensor> tensors = kernel.tensors();
        for (int t = 0; t < tensors.size(); t++) {
            Tensor tensor = tensors.get(t);
            arguments.put(pointer(tensor), new Argument.Buffer(t));
            for (int i = 0; i < tensor.dims().size() - 1; i++) {
                arguments.put(stride(tensor, i), new Argument.Int(shapes.get(tensor.name()).strides().get(i)));
            }
        }
        kernel.dims().stream().filter(dim -> !known.containsKey(dim.name())).forEach(dim -> arguments.put(
                new Parameter.Int(dim.name(), dev.tilewright.program.expression.IntType.S64),
                new Argument.Int(extents.get(dim.name()))));
        kernel.scalars().forEach(scalar -> arguments.put(scalar, scalars.get(scalar.name())));
        return Launch.of(program, Math.toIntExact(blocks(kernel.grid(), extents)), arguments);
    }

    /** Refuses a target that lacks an instruction, or the shared memory. */
    void requireOn(Target target) {
        if (!program.gate().admits(target)) {
            throw new IllegalArgumentException("kernel '" + kernel.name() + "' needs " + program.minimumTarget()
                    + " or later, got " + target + ": run it on the CPU there");
        }
        int most = target.sharedMemoryPerBlock().orElse(Integer.MAX_VALUE);
        if (program.shared().bytes() > most) {
            throw new IllegalArgumentException("kernel '" + kernel.name() + "' exchanges tiles through "
                    + program.shared().bytes() + " bytes of shared memory, and a block of " + target + " has " + most
                    + ": use smaller tiles");
        }
    }

    private static long blocks(Grid grid, Map<String, Long> extents) {
        ToLongFunction<Expr> number = e -> new Indexes(Map.of(), extents).of(e).constant().orElseThrow();
        return grid.steps().stream().mapToLong(step -> number.applyAsLong(step.count())).reduce(1,
                Math::multiplyExact);
    }
}
