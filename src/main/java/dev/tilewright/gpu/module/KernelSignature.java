package dev.tilewright.gpu.module;

import dev.tilewright.gpu.compile.CudaFunction;
import dev.tilewright.gpu.compile.PointerExtent;
import dev.tilewright.program.ClusterSize;
import dev.tilewright.program.Dim3;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TensorStarts;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Parameter;
import java.util.List;
import java.util.Optional;

/**
 * What a launch has to know of a kernel, wherever that came from.
 *
 * @param name the function's name
 * @param block threads of a block in each dimension
 * @param sharedBytes dynamic shared memory of a block
 * @param program what it was made of; empty of source of the application's own, which also says the parameters
 * @param saysCluster whether each launch has to say the size of clusters, which the code does not
 * @param waitsForPriorGrid whether it may begin before the kernel in front of it ends, for which it waits itself
 * @param starts what tensor maps are held against
 * @param extents what launches of bare pointers are held against, where that is known
 */
public record KernelSignature(String name, List<Parameter> parameters, Dim3 block, ClusterSize cluster, int sharedBytes,
        Optional<TileProgram> program, boolean saysCluster, boolean waitsForPriorGrid, TensorStarts starts,
        List<PointerExtent> extents) {

    public static KernelSignature of(TileProgram program) {
        return new KernelSignature(program.name(), program.parameters(), program.block(), program.cluster(),
                program.shared().bytes(), Optional.of(program), false, program.waitsForPriorGrid(),
                TensorStarts.of(program), List.of());
    }

    public static KernelSignature of(CudaFunction function) {
        return new KernelSignature(function.name(), function.parameters(), function.block(), function.cluster(),
                function.sharedBytes(), Optional.empty(), function.cluster().count() > 1, false, TensorStarts.NONE,
                function.extents());
    }

    /** Refuses a launch of another kernel. */
    public void requireLaunch(Launch launch) {
        String other = launch.program().name();
        if (!other.equals(name) || !launch.program().parameters().equals(parameters)) {
            throw new IllegalArgumentException("the launch is of kernel '" + other + "', the loaded kernel is '" + name
                    + "'" + (other.equals(name) ? " with other parameters" : ""));
        }
        if (!program.map(launch.program()::equals).orElse(true)) {
            throw new IllegalArgumentException("the launch is of kernel '" + other + "', the loaded kernel is another "
                    + "program: '" + name + "'");
        }
    }
}
