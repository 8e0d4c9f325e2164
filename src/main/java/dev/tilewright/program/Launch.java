package dev.tilewright.program;

import java.util.List;
import java.util.Map;

/**
 * One run of a kernel: how many blocks, and the value of each parameter in order.
 *
 * @param blocks blocks in the grid, a multiple of the program's cluster; 0 means that there is nothing to do
 */
public record Launch(TileProgram program, int blocks, List<Argument> arguments) {

    public Launch {
        arguments = List.copyOf(arguments);
        List<Parameter> parameters = program.parameters();
        if (blocks < 0) {
            throw new IllegalArgumentException("blocks must be at least 0, got " + blocks);
        }
        program.requireGrid(blocks);
        if (arguments.size() != parameters.size()) {
            throw new IllegalArgumentException("kernel '" + program.name() + "' takes " + parameters.size()
                    + " arguments, got " + arguments.size());
        }
        for (int i = 0; i < arguments.size(); i++) {
            if (!fits(parameters.get(i), arguments.get(i))) {
                throw new IllegalArgumentException("parameter '" + parameters.get(i).name() + "' of kernel '"
                        + program.name() + "' cannot be " + arguments.get(i));
            }
        }
    }

    /**
     * A launch whose arguments are given by parameter.
     *
     * @param values an argument for each of the program's parameters; others are left out
     * @throws IllegalArgumentException if one is missing
     */
    public static Launch of(TileProgram program, int blocks, Map<Parameter, Argument> values) {
        return new Launch(program, blocks, program.parameters().stream().map(p -> {
            if (!values.containsKey(p)) {
                throw new IllegalArgumentException("parameter '" + p.name() + "' of kernel '" + program.name()
                        + "' has no value");
            }
            return values.get(p);
        }).toList());
    }

    private static boolean fits(Parameter parameter, Argument argument) {
        return switch (parameter) {
            case Parameter.Pointer _ -> argument instanceof Argument.Buffer;
            case Parameter.Int p -> argument instanceof Argument.Int(long value)
                    && (p.type() == IntType.S64 || (int) value == value);
            case Parameter.Scalar _ -> argument instanceof Argument.Scalar;
            case Parameter.TensorMap p -> argument instanceof Argument.Tensor(var map, int _, long _) && map.rank() == p.rank();
        };
    }
}
