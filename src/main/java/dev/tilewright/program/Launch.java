package dev.tilewright.program;

import dev.tilewright.NotNull;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Parameter;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * One run of a kernel: its grid, and the value of each parameter in order.
 *
 * @param grid blocks in each dimension, multiples of the cluster's and altogether less than 2^31; 0 means that there is
 *     nothing to do. Along y and z there are at most 65,535
 * @param cluster blocks of a cluster in each dimension: the program's, unless that leaves it to the launch
 */
public record Launch(TileProgram program, Dim3 grid, Dim3 cluster, List<Argument> arguments) {
    private static final int MOST_BLOCKS_YZ = 65_535;

    public Launch {
        NotNull.all("program, grid, cluster, arguments", program, grid, cluster, arguments);
        arguments = List.copyOf(arguments);
        List<Parameter> parameters = program.parameters();
        if (!program.cluster().chosenAtLaunch() && !cluster.equals(program.cluster().blocks())) {
            throw new IllegalArgumentException("kernel '" + program.name() + "' runs in clusters of "
                    + program.cluster().blocks().text() + " blocks, which no launch can change, got " + cluster.text());
        }
        new ClusterSize(cluster, true);
        requireGrid(program, grid, cluster);
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
        requireStarts(program, parameters, arguments);
    }

    /** A grid whose clusters are the program's. */
    public Launch(TileProgram program, Dim3 grid, List<Argument> arguments) {
        NotNull.all("program, grid, arguments", program, grid, arguments);
        this(program, grid, program.cluster().blocks(), arguments);
    }

    /** A grid of one dimension. */
    public Launch(TileProgram program, int blocks, List<Argument> arguments) {
        NotNull.all("program, arguments", program, arguments);
        this(program, line(blocks), arguments);
    }

    /**
     * A launch whose arguments are given by parameter.
     *
     * @param values an argument for each of the program's parameters; others are left out
     * @throws IllegalArgumentException if one is missing
     */
    public static Launch of(TileProgram program, int blocks, Map<Parameter, Argument> values) {
        NotNull.all("program", program);
        NotNull.entries("values", values);
        return of(program, line(blocks), values);
    }

    /** A launch with a grid of up to three dimensions, whose arguments are given by parameter. */
    public static Launch of(TileProgram program, Dim3 grid, Map<Parameter, Argument> values) {
        NotNull.all("program, grid", program, grid);
        NotNull.entries("values", values);
        return new Launch(program, grid, program.parameters().stream().map(p -> {
            if (!values.containsKey(p)) {
                throw new IllegalArgumentException("parameter '" + p.name() + "' of kernel '" + program.name()
                        + "' has no value");
            }
            return values.get(p);
        }).toList());
    }

    /**
     * A launch whose arguments are given by the parameters' names.
     *
     * @param values an argument for each of the program's parameters
     * @throws IllegalArgumentException if one is missing, or of no parameter
     */
    public static Launch named(TileProgram program, Dim3 grid, Map<String, Argument> values) {
        NotNull.all("program, grid", program, grid);
        NotNull.entries("values", values);
        List<String> names = program.parameters().stream().map(Parameter::name).toList();
        values.keySet().stream().filter(name -> !names.contains(name)).findFirst().ifPresent(name -> {
            throw new IllegalArgumentException("kernel '" + program.name() + "' has no parameter '" + name
                    + "': it has " + names);
        });
        return of(program, grid, program.parameters().stream().filter(p -> values.containsKey(p.name()))
                .collect(Collectors.toMap(p -> p, p -> values.get(p.name()))));
    }

    private static Dim3 line(int blocks) {
        if (blocks < 0) {
            throw new IllegalArgumentException("blocks must be at least 0, got " + blocks);
        }
        return Dim3.of(blocks);
    }

    private static void requireGrid(TileProgram program, Dim3 grid, Dim3 cluster) {
        if (grid.y() > MOST_BLOCKS_YZ || grid.z() > MOST_BLOCKS_YZ || grid.count() > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("a grid has less than 2^31 blocks, and at most " + MOST_BLOCKS_YZ
                    + " along y and z, got " + grid.text());
        }
        if (!grid.areMultiplesOf(cluster)) {
            boolean line = grid.isLine() && cluster.isLine();
            throw new IllegalArgumentException("kernel '" + program.name() + "' runs in clusters of " + cluster.text()
                    + " blocks: the grid must be a multiple of that" + (line ? "" : " in each dimension") + ", got "
                            + grid.text()
                    + " blocks");
        }
    }

    /** This launch in clusters of another size, of a program that leaves it to its launches. */
    public Launch inClustersOf(Dim3 blocks) {
        Objects.requireNonNull(blocks, "blocks");
        return new Launch(program, grid, blocks, arguments);
    }

    /** This launch of another program, which has the same parameters. */
    public Launch of(TileProgram other) {
        Objects.requireNonNull(other, "other");
        return new Launch(other, grid, cluster, arguments);
    }

    /** This launch of a program that says the size of its clusters as it is here. */
    public Launch resolved() {
        return cluster.equals(program.cluster().blocks()) ? this : of(program.inClustersOf(cluster));
    }

    /** All blocks of the grid. */
    public int blocks() {
        return (int) grid.count();
    }

    /** The shape of the grid and its clusters. */
    public GridShape shape() {
        return new GridShape(grid, cluster);
    }

    private static void requireStarts(TileProgram program, List<Parameter> parameters, List<Argument> arguments) {
        if (arguments.stream().anyMatch(Argument.Tensor.class::isInstance)) {
            TensorStarts starts = TensorStarts.of(program);
            for (int i = 0; i < arguments.size(); i++) {
                if (arguments.get(i) instanceof Argument.Tensor tensor) {
                    starts.require(parameters.get(i).name(), tensor.map());
                }
            }
        }
    }

    private static boolean fits(Parameter parameter, Argument argument) {
        return switch (parameter) {
            case Parameter.Pointer _ -> argument instanceof Argument.Buffer;
            case Parameter.Int p -> argument instanceof Argument.Int(long value)
                    && (p.type() == IntType.S64 || (int) value == value);
            case Parameter.Scalar _ -> argument instanceof Argument.Scalar;
            case Parameter.TensorMap p -> argument instanceof Argument.Tensor(var map, int _, long _)
                    && map.rank() == p.rank();
        };
    }
}
