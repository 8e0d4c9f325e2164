package dev.tilewright.gpu;

import dev.tilewright.program.ClusterSize;
import dev.tilewright.program.Dim3;
import dev.tilewright.program.Parameter;
import dev.tilewright.program.TensorStarts;
import dev.tilewright.program.TileProgram;
import java.util.List;

/**
 * What a launch has to know of a kernel, wherever that came from.
 *
 * @param name the function's name
 * @param block threads of a block in each dimension
 * @param sharedBytes dynamic shared memory of a block
 * @param ofSource whether the parameters are what an application says of source of its own
 * @param saysCluster whether each launch has to say the size of clusters, which the code does not
 * @param waitsForPriorGrid whether it may begin before the kernel in front of it ends, for which it waits itself
 * @param starts what tensor maps are held against
 * @param extents what launches of bare pointers are held against, where that is known
 */
record KernelSignature(String name, List<Parameter> parameters, Dim3 block, ClusterSize cluster, int sharedBytes,
        boolean ofSource, boolean saysCluster, boolean waitsForPriorGrid, TensorStarts starts,
        List<PointerExtent> extents) {

    static KernelSignature of(TileProgram program) {
        return new KernelSignature(program.name(), program.parameters(), program.block(), program.cluster(),
                program.shared().bytes(), false, false, program.waitsForPriorGrid(), TensorStarts.of(program), List.of());
    }

    static KernelSignature of(CudaFunction function) {
        return new KernelSignature(function.name(), function.parameters(), function.block(), function.cluster(),
                function.sharedBytes(), true, function.cluster().count() > 1, false, TensorStarts.NONE,
                function.extents());
    }
}
