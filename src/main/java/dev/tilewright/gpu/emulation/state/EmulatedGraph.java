package dev.tilewright.gpu.emulation.state;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** A graph: nodes in an order in which each follows the nodes that it depends on. */
public final class EmulatedGraph extends Owned {
    private final List<GraphNode> nodes = new ArrayList<>();

    public EmulatedGraph(EmulatedContext context) {
        super(context, "graph");
    }

    public GraphNode add(Handles handles, Task task, Collection<GraphNode> before) {
        // The handle alone is registered: a node is looked for in its graph.
        GraphNode node = new GraphNode(handles.add("node"), task, List.copyOf(before));
        nodes.add(node);
        return node;
    }

    public List<GraphNode> nodes() {
        return nodes;
    }
}
