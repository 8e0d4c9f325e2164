package dev.tilewright.gpu.emulation;

import dev.tilewright.gpu.cuda.DriverApi;
import dev.tilewright.gpu.emulation.state.EmulatedContext;
import dev.tilewright.gpu.emulation.state.EmulatedGraph;
import dev.tilewright.gpu.emulation.state.EmulatedStream;
import dev.tilewright.gpu.emulation.state.GraphNode;
import dev.tilewright.gpu.emulation.state.Owned;
import dev.tilewright.gpu.emulation.state.Refusal;
import dev.tilewright.gpu.emulation.state.Scheduler;
import dev.tilewright.gpu.emulation.state.Task;
import dev.tilewright.gpu.emulation.state.Work;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A graph made ready: its nodes with tasks of their own, which can be replaced between launches. */
final class ExecutableGraph extends Owned {
    private final List<GraphNode> nodes;
    private final Map<Long, Task> tasks = new LinkedHashMap<>();
    /** The end of its last launch: launches of one executable graph follow each other. */
    private Work last;

    ExecutableGraph(EmulatedContext context, EmulatedGraph graph) {
        super(context, "executable graph");
        this.nodes = List.copyOf(graph.nodes());
        nodes.forEach(node -> tasks.put(node.handle(), node.task()));
    }

    /** The kernel launch of a node; refuses a node of another kind or another graph. */
    KernelTask kernel(long node) {
        Task task = tasks.get(node);
        Refusal.unless(task instanceof KernelTask, DriverApi.INVALID_VALUE);
        return (KernelTask) task;
    }

    /** Another kernel launch in place of a node's. */
    void replace(long node, KernelTask kernel) {
        tasks.put(node, kernel);
    }

    /** Puts all of it into a stream. */
    void launch(EmulatedStream stream, Scheduler scheduler) {
        Work begin = scheduler.add(stream, Task.NONE, last == null ? List.of() : List.of(last));
        Map<GraphNode, Work> works = new HashMap<>();
        List<Work> all = new ArrayList<>();
        for (GraphNode node : nodes) {
            List<Work> before = new ArrayList<>(List.of(begin));
            node.before().forEach(other -> before.add(works.get(other)));
            Work work = scheduler.add(context(), tasks.get(node.handle()), before);
            works.put(node, work);
            all.add(work);
        }
        last = scheduler.add(stream, Task.NONE, all);
    }
}
