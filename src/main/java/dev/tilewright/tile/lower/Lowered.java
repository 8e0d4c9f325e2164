package dev.tilewright.tile.lower;

import dev.tilewright.Counted;
import dev.tilewright.builder.GridPolicy;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.array.ArrayShape;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.expression.ValueSearch;
import dev.tilewright.program.value.ValueGates;
import dev.tilewright.ptx.Target;
import dev.tilewright.tile.Decision;
import dev.tilewright.tile.LineException;
import dev.tilewright.tile.Steps;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.lower.analysis.Indexes;
import dev.tilewright.tile.lower.analysis.TileOrder;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.TileNode;
import dev.tilewright.tile.lower.layout.ProgramMaps;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * A tile program made of a tile kernel.
 *
 * @param known extents that the program is made for; the others are the launch's
 * @param direct tensors that threads read and write themselves
 * @param maps of the tensors that the copy engine moves
 * @param grid how tiles are shared out; empty for a product's as evenly as it goes over the multiprocessors, any others
 *     one each
 * @param cluster blocks that take neighbouring tiles of a product
 * @param decisions what was chosen, and why
 */
public record Lowered(TileKernel kernel, TileProgram program, Map<String, Long> known, Set<Tensor> direct,
        List<ProgramMaps.Mapped> maps, Optional<GridPolicy> grid, ProductCluster cluster, List<Decision> decisions) {
    public Lowered {
        known = Map.copyOf(known);
        direct = Set.copyOf(direct);
        maps = List.copyOf(maps);
        decisions = List.copyOf(decisions);
    }

    /** The pointer of a tensor. */
    static Parameter.Pointer pointer(Tensor tensor) {
        return new Parameter.Pointer(tensor.name(), tensor.role() != Tensor.Role.IN);
    }

    /** The distance between places of a dimension, in elements; the last dimension's is 1. */
    static Parameter.Int stride(Tensor tensor, int dimension) {
        return new Parameter.Int(tensor.name() + "_stride" + dimension, IntType.S64);
    }

    static List<Parameter> parameters(TileKernel kernel, Map<String, Long> known, Set<Tensor> direct,
            List<ProgramMaps.Mapped> maps) {
        List<Parameter> parameters = new ArrayList<>();
        maps.forEach(map -> parameters.add(map.parameter()));
        for (Tensor tensor : kernel.tensors()) {
            if (!direct.contains(tensor)) {
                continue;
            }
            parameters.add(pointer(tensor));
            for (int i = 0; i < tensor.dims().size() - 1; i++) {
                parameters.add(stride(tensor, i));
            }
        }
        kernel.dims().stream().filter(dim -> !known.containsKey(dim.name()))
                .forEach(dim ->
                parameters.add(new Parameter.Int(dim.name(), IntType.S64)));
        parameters.addAll(kernel.scalars());
        return parameters;
    }

    /**
     * A launch: tensor {@code i} of the kernel is buffer {@code i}.
     *
     * @param extents of all dimensions by name
     * @param shapes of the tensors, by name, whose last stride is 1
     * @param scalars by name
     * @param mostBlocks the most blocks where a block takes several tiles: usually one for each multiprocessor
     */
    public Launch launch(Map<String, Long> extents, Map<String, ArrayShape> shapes, Map<String, Argument> scalars,
            int mostBlocks) {
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
            ArrayShape shape = shapes.get(tensor.name());
            if (direct.contains(tensor)) {
                arguments.put(pointer(tensor), new Argument.Buffer(t));
                for (int i = 0; i < tensor.dims().size() - 1; i++) {
                    arguments.put(stride(tensor, i), new Argument.Int(shape.strides().get(i)));
                }
            }
            for (ProgramMaps.Mapped map : maps) {
                if (map.tensor() == tensor) {
                    arguments.put(map.parameter(), map.argument(shape, t));
                }
            }
        }
        kernel.dims().stream().filter(dim -> !known.containsKey(dim.name())).forEach(dim -> arguments.put(
                new Parameter.Int(dim.name(), IntType.S64), new Argument.Int(extents.get(dim.name()))));
        kernel.scalars().forEach(scalar -> arguments.put(scalar, scalars.get(scalar.name())));
        long tiles = tiles(extents);
        long blocks = Math.multiplyExact(maps.isEmpty() && grid.isEmpty() ? tiles : clusters(tiles, mostBlocks),
                program.clusterBlocks());
        if (blocks > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("kernel '" + kernel.name() + "' has " + tiles + " tiles in this launch, "
                    + "a block each or more, and a grid has less than 2^31 blocks: use larger tiles");
        }
        return Launch.of(program, (int) blocks, arguments);
    }

    /** Of blocks, or single ones. @param tiles such as one takes at once */
    private long clusters(long tiles, int multiprocessors) {
        return grid.map(policy -> switch (policy) {
            case GridPolicy.Each(int count) -> Math.ceilDiv(tiles, count);
            case GridPolicy.Over(int most) -> even(tiles, Math.max(1, most / program.clusterBlocks()));
            case GridPolicy.Waves(int most, int count) -> Math.ceilDiv(tiles, Math.clamp(Math.ceilDiv(tiles, most), 1,
                    count));
        }).orElseGet(() -> even(tiles, Math.max(1, multiprocessors / program.clusterBlocks())));
    }

    /** As few blocks as take no more tiles each than {@code most} would: they go in step and share what L2 holds. */
    private static long even(long tiles, int most) {
        return tiles == 0 ? 0 : Math.ceilDiv(tiles, Math.ceilDiv(tiles, most));
    }

    /** This program, compiled for the number of blocks that a multiprocessor has room for. */
    Lowered atOnce(int blocks) {
        return atOnce(blocks, "as many as fit in its shared memory and registers");
    }

    /** This program, compiled for a number of blocks at once on a multiprocessor. @param reason for that number */
    Lowered atOnce(int blocks, String reason) {
        List<Decision> more = new ArrayList<>(decisions);
        more.add(new Decision(Decision.Pass.GRID, "kernel " + kernel.name(), Counted.of(blocks, "block")
                + " at once on a multiprocessor", reason));
        return new Lowered(kernel, program.withAtOnce(blocks), known, direct, maps, grid, cluster, more);
    }

    /**
     * This, for a target that has its instructions.
     *
     * @throws IllegalArgumentException if it lacks one
     */
    Lowered on(Target target) {
        if (!program.gate().admits(target)) {
            String needs = " needs " + program.minimumTarget() + " or later, got " + target
                    + ": run it on the CPU there";
            kernel.grid().body().tiles().filter(tile -> tile.node() instanceof TileNode.Map map
                    && converts(map.value(), target)).findFirst().ifPresent(tile -> {
                        throw new LineException("kernel '" + kernel.name() + "' has tile " + tile + ", and a "
                                + "conversion to or from 8-bit floats" + needs, tile.line());
                    });
            throw new IllegalArgumentException("kernel '" + kernel.name() + "'" + needs);
        }
        return this;
    }

    /** Whether a value has a conversion that the target lacks. */
    private static boolean converts(Value value, Target target) {
        return ValueSearch.any(value, part -> switch (part) {
            case Value.Convert convert -> !ValueGates.of(convert.conversion()).admits(target);
            case Value.Call call -> converts(call.function().result(), target)
                    || call.function().lets().stream().anyMatch(let -> converts(let.value(), target));
            default -> false;
        });
    }

    /** Tiles that blocks share, those apart that one goes through in order; of clusters, what each takes at once. */
    private long tiles(Map<String, Long> extents) {
        List<Integer> serial = new TileOrder(kernel).serial();
        List<Steps> steps = kernel.grid().steps();
        return IntStream.range(0, steps.size()).filter(i -> !serial.contains(i))
                .mapToLong(i -> Math.ceilDiv(new Indexes(Map.of(), extents).of(steps.get(i).count()).constant()
                        .orElseThrow(), cluster.along(steps.size() - 1 - i)))
                .reduce(1, Math::multiplyExact);
    }
}
