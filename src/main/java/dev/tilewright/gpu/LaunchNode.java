package dev.tilewright.gpu;

import dev.tilewright.gpu.context.Context;
import dev.tilewright.gpu.cuda.DriverApi;
import dev.tilewright.gpu.cuda.KernelNode;
import dev.tilewright.program.Dim3;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** A kernel in a graph: the launch that made it, and what it was given last. */
final class LaunchNode {
    private final KernelLaunch launch;
    private final long node;
    private final MemorySegment parameters;
    /** The launch goes on to other buffers; these are the graph's. */
    private final Buffer<?>[] buffers;
    private final Dim3 cluster;

    /** @param node its CUgraphNode */
    LaunchNode(KernelLaunch launch, long node) {
        this.launch = launch;
        this.node = node;
        this.parameters = KernelNode.of(launch.configMemory(), launch.functionHandle(), launch.pointers(),
                Arena.ofAuto());
        this.buffers = launch.buffers().clone();
        this.cluster = launch.cluster();
    }

    KernelLaunch launch() {
        return launch;
    }

    /** Refuses a launch that has other clusters now: CUDA gives a node the attributes of a launch once. */
    void requireSameCluster() {
        if (!launch.cluster().equals(cluster)) {
            throw new IllegalArgumentException(launch + ": it was captured in clusters of " + cluster.text()
                    + " blocks, which a graph keeps, and has " + launch.cluster().text() + " now: capture it anew");
        }
    }

    /** Gives it what its launch has now. Needs the context to be current. */
    void update(Context context, long executable) {
        KernelNode.set(parameters, launch.configMemory(), launch.functionHandle(), launch.pointers());
        int call = context.calls().begin();
        try {
            launch.requireArguments();
            int result = context.api().cuGraphExecKernelNodeSetParams(executable, node, parameters);
            if (result != DriverApi.SUCCESS) {
                context.check("cuGraphExecKernelNodeSetParams of " + launch, result);
            }
        } finally {
            context.calls().end(call);
        }
        System.arraycopy(launch.buffers(), 0, buffers, 0, buffers.length);
    }

    /** Refuses what uses something that is closed. */
    void requireOpen() {
        launch.kernel().lease().requireOpen();
        for (Buffer<?> buffer : buffers) {
            if (buffer != null) {
                buffer.requireOpen();
            }
        }
    }
}
