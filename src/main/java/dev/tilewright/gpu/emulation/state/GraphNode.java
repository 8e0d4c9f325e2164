package dev.tilewright.gpu.emulation.state;

import java.util.List;

/**
 * A node of a graph.
 *
 * @param handle its CUgraphNode
 * @param before what must have ended before it
 */
public record GraphNode(long handle, Task task, List<GraphNode> before) {

    @Override
    public boolean equals(Object other) {
        return other instanceof GraphNode node && node.handle == handle;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(handle);
    }
}
