package dev.tilewright.builder;

import dev.tilewright.BadRequestException;
import dev.tilewright.NotNull;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.ElementStep;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Launchable;
import dev.tilewright.program.Scalars;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A kernel that a builder makes: it moves an array, or several of one shape, tile by tile from one buffer to another
 * and applies a step to every element on the way. One kernel serves arrays of any shape that its {@link #launch}
 * accepts.
 */
public interface ElementwiseKernel extends Launchable {

    /** Type of the sources' elements. */
    ElementType type();

    /** Type of the result's elements. */
    ElementType resultType();

    /** What happens to each element; it says how many sources there are. */
    ElementStep step();

    /** Extents of a tile in elements, outermost dimension first. */
    List<Integer> tile();

    /** Tiles of one block that shared memory holds at once. */
    int stages();

    /**
     * The sources, as many as the step takes: {@code source}, or {@code source_0}, {@code source_1} and so on; behind
     * them {@code result}.
     */
    @Override
    List<Array> arrays();

    @Override
    default Optional<List<Integer>> elementwiseTile() {
        return Optional.of(tile());
    }

    @Override
    default Launch launch(Map<String, List<Long>> shapes, Scalars scalars) {
        NotNull.entries("shapes", shapes);
        NotNull.all("scalars", scalars);
        List<String> names = arrays().stream().map(Array::name).toList();
        if (!shapes.keySet().equals(new HashSet<>(names)) || new HashSet<>(shapes.values()).size() != 1) {
            throw new BadRequestException("kernel '" + program().name() + "' takes the arrays "
                    + String.join(", ", names) + ", all of one shape, got " + shapes);
        }
        return launch(shapes.get(names.getFirst()), scalars);
    }

    /** The launch for one shape with the number of tiles per block that was found fastest for this kernel. */
    @Override
    default Launch launch(List<Long> shape, Scalars scalars) {
        NotNull.all("shape, scalars", shape, scalars);
        return launch(shape, scalars, GridPolicy.tilesEach(1));
    }

    /**
     * The launch for one shape with the kernel's own grid, of a step with one scalar, or none.
     *
     * @param scalarBits see {@link Scalars#ofBits}
     */
    default Launch launch(List<Long> shape, long scalarBits) {
        NotNull.all("shape", shape);
        return launch(shape, Scalars.ofBits(scalarBits));
    }

    /**
     * The launch for one shape, of a step with one scalar, or none.
     *
     * @param scalarBits see {@link Scalars#ofBits}
     */
    default Launch launch(List<Long> shape, long scalarBits, GridPolicy gridPolicy) {
        NotNull.all("shape, gridPolicy", shape, gridPolicy);
        return launch(shape, Scalars.ofBits(scalarBits), gridPolicy);
    }

    /**
     * The launch for one shape.
     *
     * <p>The first buffers are the sources, as many as the step takes, the next one is the result: dense, row-major, of
     * that shape, each at an address that is a multiple of 16 bytes. Exactly the result's bytes are written. A kernel
     * that needs a workspace takes it as the buffer behind that, at a multiple of 128: see {@link #workspaceBytes}.
     *
     * @param shape the arrays' dimensions, outermost first
     * @param scalars what the step's scalars are
     * @param gridPolicy how many tiles each block takes
     * @throws dev.tilewright.BadRequestException if the mechanism cannot move such an array, or scalars are missing;
     *     the message says what can
     */
    Launch launch(List<Long> shape, Scalars scalars, GridPolicy gridPolicy);
}
