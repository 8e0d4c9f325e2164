package dev.tilewright.gpu.compile;

import dev.tilewright.NotNull;
import dev.tilewright.program.ClusterSize;
import dev.tilewright.program.Dim3;
import dev.tilewright.program.expression.Parameter;
import java.util.ArrayList;
import java.util.List;

/**
 * A kernel of the application's own CUDA C++: compiled, kept, loaded and launched as a tile program is. The reference
 * executor cannot run it.
 *
 * {@snippet :
 * CudaFunction axpy = CudaFunction.of("axpy", """
 *         extern "C" __global__ void axpy(float a, const float *x, float *y, int n) {
 *             int i = blockIdx.x * blockDim.x + threadIdx.x;
 *             if (i < n) y[i] += a * x[i];
 *         }
 *         """, 256, List.of(new Parameter.Scalar("a", ElementType.F32), new Parameter.Pointer("x", false),
 *                 new Parameter.Pointer("y", true), new Parameter.Int("n", IntType.S32)))
 *         .requires("x", 4, "n").requires("y", 4, "n");
 * }
 *
 * @param name the function's name, which has C linkage
 * @param source CUDA C++, the function's definition among it
 * @param options further options for NVRTC, such as {@code --use_fast_math}; the architecture is added to them
 * @param parameters the function's parameters, in order: pointers, integers of 32 or 64 bits, scalars, and tensor maps
 *     ({@code const __grid_constant__ CUtensorMap})
 * @param block threads of a block in each dimension
 * @param cluster blocks of a cluster
 * @param sharedBytes dynamic shared memory of a block
 * @param extents how many bytes it reaches through its pointers, of those of which that is said: see {@link #requires}
 */
public record CudaFunction(String name, String source, List<String> options, List<Parameter> parameters, Dim3 block,
        ClusterSize cluster, int sharedBytes, List<PointerExtent> extents) {

    public CudaFunction {
        NotNull.all("name, source, options, parameters, block, cluster, extents",
                name, source, options, parameters, block, cluster, extents);
        options = List.copyOf(options);
        parameters = List.copyOf(parameters);
        extents = List.copyOf(extents);
        if (block.count() < 1) {
            throw new IllegalArgumentException("a block has at least 1 thread, got " + block.text());
        }
        if (sharedBytes < 0) {
            throw new IllegalArgumentException("shared memory has at least 0 bytes, got " + sharedBytes);
        }
        long names = parameters.stream().map(Parameter::name).distinct().count();
        if (names < parameters.size()) {
            throw new IllegalArgumentException("two parameters of '" + name + "' have the same name: "
                    + parameters.stream().map(Parameter::name).toList());
        }
        for (PointerExtent extent : extents) {
            requireNames(name, extent, parameters);
        }
    }

    /** One of whose pointers no extent is known. */
    public CudaFunction(String name, String source, List<String> options, List<Parameter> parameters, Dim3 block,
            ClusterSize cluster, int sharedBytes) {
        this(name, source, options, parameters, block, cluster, sharedBytes, List.of());
    }

    private static void requireNames(String kernel, PointerExtent extent, List<Parameter> parameters) {
        if (parameters.stream().noneMatch(p -> p instanceof Parameter.Pointer && p.name().equals(extent.pointer()))) {
            throw new IllegalArgumentException("kernel '" + kernel + "' has no pointer '" + extent.pointer()
                    + "', of which an extent is said: its parameters are "
                    + parameters.stream().map(Parameter::name).toList());
        }
        for (String factor : extent.times()) {
            if (parameters.stream().noneMatch(p -> p instanceof Parameter.Int && p.name().equals(factor))) {
                throw new IllegalArgumentException("kernel '" + kernel + "' has no integer parameter '" + factor
                        + "' (Parameter.Int), by which the extent of '" + extent.pointer()
                        + "' is multiplied: its parameters are " + parameters.stream().map(Parameter::name).toList());
            }
        }
    }

    /**
     * A kernel without options, clusters and dynamic shared memory.
     *
     * @param threads of a block
     */
    public static CudaFunction of(String name, String source, int threads, List<Parameter> parameters) {
        return new CudaFunction(name, source, List.of(), parameters, Dim3.of(threads), ClusterSize.of(Dim3.ONE), 0,
                List.of());
    }

    /** This kernel with dynamic shared memory for each block, in bytes. */
    public CudaFunction withSharedBytes(int bytes) {
        return new CudaFunction(name, source, options, parameters, block, cluster, bytes, extents);
    }

    /** This kernel in clusters of {@code blocks} blocks. */
    public CudaFunction withCluster(ClusterSize blocks) {
        NotNull.all("blocks", blocks);
        return new CudaFunction(name, source, options, parameters, block, blocks, sharedBytes, extents);
    }

    /** This kernel, compiled with these options of NVRTC in place of its own. */
    public CudaFunction withOptions(String... options) {
        NotNull.all("options", (Object) options);
        return new CudaFunction(name, source, List.of(options), parameters, block, cluster, sharedBytes, extents);
    }

    /**
     * This kernel with a bound: how many bytes it reaches through a pointer. A launch with a smaller buffer is refused
     * before it starts. Said twice of one pointer, both hold.
     *
     * {@snippet :
     * CudaFunction checked = CudaFunction.of("axpy", source, 256, parameters)
     *         .requires("x", 4, "n").requires("y", 4, "n");       // n floats each
     * }
     *
     * @param pointer the parameter's name
     * @param bytes how many, from where it points
     * @param times names of parameters that are integers ({@link Parameter.Int}): the bytes are multiplied by all of
     *     them
     * @throws IllegalArgumentException if there are no such parameters
     */
    public CudaFunction requires(String pointer, long bytes, String... times) {
        NotNull.all("pointer, times", pointer, times);
        List<PointerExtent> all = new ArrayList<>(extents);
        all.add(new PointerExtent(pointer, bytes, List.of(times)));
        return new CudaFunction(name, source, options, parameters, block, cluster, sharedBytes, all);
    }
}
