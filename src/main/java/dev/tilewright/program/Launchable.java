package dev.tilewright.program;

import dev.tilewright.NotNull;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.expression.Parameter;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * A program, and the launches of it that follow from the shapes of its arrays: all that a GPU knows of a kernel. The
 * builders' kernels are launchable; an application makes its own program so by implementing this.
 */
public interface Launchable {

    /**
     * An array that a launch takes.
     *
     * @param name as users give it
     * @param type of its elements
     * @param isWritten whether the kernel writes it
     */
    record Array(String name, ElementType type, boolean isWritten) {
        public Array {
            NotNull.all("name, type", name, type);
        }
    }

    /** The kernel. */
    TileProgram program();

    /** The arrays that every launch takes, in the order of its buffers. */
    List<Array> arrays();

    /** The scalars that every launch gives. */
    default List<Parameter.Scalar> scalars() {
        return program().parameters().stream().filter(Parameter.Scalar.class::isInstance)
                .map(Parameter.Scalar.class::cast).toList();
    }

    /**
     * The launch over arrays of these shapes: dense, row-major.
     *
     * <p>Its buffers are the {@linkplain #arrays arrays}, in their order, and behind them the workspace of a kernel
     * that needs one: see {@link #workspaceBytes}.
     *
     * @param shapes the dimensions of each array, outermost first, by its name
     * @param scalars a value for each of {@link #scalars}
     * @throws dev.tilewright.BadRequestException if the kernel cannot work on such arrays, or a scalar is missing; the
     *     message says what it can
     */
    Launch launch(Map<String, List<Long>> shapes, Scalars scalars);

    /**
     * The launch over arrays that all have one shape.
     *
     * @param shape their dimensions, outermost first
     */
    default Launch launch(List<Long> shape, Scalars scalars) {
        NotNull.all("shape, scalars", shape, scalars);
        return launch(arrays().stream().collect(Collectors.toMap(Array::name, _ -> shape)), scalars);
    }

    /** Bytes of the workspace that a launch takes as last buffer, whatever it holds; 0 for none. */
    default long workspaceBytes(Launch launch) {
        Objects.requireNonNull(launch, "launch");
        return 0;
    }

    /**
     * Extents of a tile, outermost dimension first, of a kernel that treats every element by itself; empty of others.
     * Such a kernel takes arrays of one shape, of which it writes the last alone, and does the same work on their
     * parts: arrays that are larger than a GPU are cut for it, at whole tiles where they can be.
     */
    default Optional<List<Integer>> elementwiseTile() {
        return Optional.empty();
    }
}
