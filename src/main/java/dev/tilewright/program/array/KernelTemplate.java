package dev.tilewright.program.array;

import dev.tilewright.NotNull;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Launchable;
import dev.tilewright.program.Scalars;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.ptx.Target;
import java.util.List;
import java.util.Map;

/**
 * A kernel whose program is made for each launch: for the shapes and strides of its arrays, and for the target. Tile
 * kernels are such. A GPU makes it ready with {@code gpu.load(template)}.
 */
public interface KernelTemplate {

    /** The kernel's name, as of a function in C. */
    String name();

    /** The arrays that every launch takes, in the order of its buffers. */
    List<Launchable.Array> arrays();

    /** The scalars that every launch gives. */
    List<Parameter.Scalar> scalars();

    /**
     * The launch over arrays of these shapes. Launches that need the same program have the same, which is made once.
     *
     * @param shapes of each array, by its name
     * @param scalars a value for each of {@link #scalars}
     * @param target what its program may use
     * @param multiprocessors of the GPU: a kernel whose blocks take several tiles has a block for each
     * @throws IllegalArgumentException if the kernel cannot work on such arrays, or the target lacks what it needs; the
     *     message says what would do
     */
    Launch launch(Map<String, ArrayShape> shapes, Scalars scalars, Target target, int multiprocessors);

    /**
     * The launch on a GPU of a name, by what was found fastest there. The bytes are those of {@link #launch(Map,
     * Scalars, Target, int)}.
     *
     * @param gpu its name, as the driver gives it
     * @throws IllegalArgumentException as without a name
     */
    default Launch launch(Map<String, ArrayShape> shapes, Scalars scalars, String gpu, Target target,
            int multiprocessors) {
        NotNull.all("shapes, scalars, gpu, target", NotNull.entries("shapes", shapes), scalars, gpu, target);
        return launch(shapes, scalars, target, multiprocessors);
    }

    /**
     * How launches are cut into parts, for arrays that are larger than a GPU.
     *
     * @throws IllegalArgumentException if parts would not leave the same bytes; the message says why
     */
    default RowCut rowCut() {
        throw new IllegalArgumentException("kernel '" + name() + "' does not say how its arrays are cut into rows");
    }
}
