package dev.tilewright.gpu.cuda;

import java.lang.foreign.MemorySegment;

/** Graphs of work that is started as one. A part of {@link DriverApi}. */
public interface GraphApi {

    /** A CUgraphExec of a graph as it is now. */
    int cuGraphInstantiate(MemorySegment executable, long graph, long flags);

    /** Starts all of it. */
    int cuGraphLaunch(long executable, long stream);

    /** Lets go of an executable graph. */
    int cuGraphExecDestroy(long executable);

    /** Lets go of a graph. */
    int cuGraphDestroy(long graph);

    /** The graph's CUgraphNodes; with NULL for {@code nodes} their number alone, as 64 bits. */
    int cuGraphGetNodes(long graph, MemorySegment nodes, MemorySegment count);

    /** Other arguments for a kernel of an executable graph: a CUDA_KERNEL_NODE_PARAMS_v2, see {@link KernelNode}. */
    int cuGraphExecKernelNodeSetParams(long executable, long node, MemorySegment parameters);
}
