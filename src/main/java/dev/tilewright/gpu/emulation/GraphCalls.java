package dev.tilewright.gpu.emulation;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.tilewright.gpu.cuda.DriverApi;
import dev.tilewright.gpu.cuda.GraphApi;
import dev.tilewright.gpu.cuda.KernelNode;
import dev.tilewright.gpu.emulation.state.EmulatedFunction;
import dev.tilewright.gpu.emulation.state.EmulatedGraph;
import dev.tilewright.gpu.emulation.state.EmulatedStream;
import dev.tilewright.gpu.emulation.state.GraphNode;
import dev.tilewright.gpu.emulation.state.Refusal;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** {@link GraphApi} of the emulated driver. */
abstract class GraphCalls extends ModuleCalls implements GraphApi {

    private static final long INSTANTIATE_FLAGS = 15;

    GraphCalls(Machine machine) {
        super(machine);
    }

    private EmulatedGraph graph(long handle) {
        return machine().handles().get(handle, EmulatedGraph.class, DriverApi.INVALID_VALUE);
    }

    private ExecutableGraph executable(long handle) {
        return machine().handles().get(handle, ExecutableGraph.class, DriverApi.INVALID_VALUE);
    }

    @Override
    public int cuGraphInstantiate(MemorySegment executable, long graph, long flags) {
        return inContext(context -> {
            Refusal.unless((flags & ~INSTANTIATE_FLAGS) == 0, DriverApi.INVALID_VALUE);
            put(executable, machine().handles().add(new ExecutableGraph(context, graph(graph))));
        });
    }

    @Override
    public int cuGraphLaunch(long executable, long stream) {
        return inContext(context -> {
            ExecutableGraph launched = executable(executable);
            EmulatedStream on = machine().stream(stream, context);
            Refusal.unless(on.context() == launched.context(), DriverApi.INVALID_HANDLE);
            // Graphs within graphs are not emulated.
            Refusal.unless(on.capture() == null, DriverApi.NOT_SUPPORTED);
            machine().requireNoImplicitCapture(on);
            launched.launch(on, machine().scheduler());
        });
    }

    @Override
    public int cuGraphExecDestroy(long executable) {
        return inContext(context -> {
            executable(executable);
            machine().handles().remove(executable);
        });
    }

    @Override
    public int cuGraphDestroy(long graph) {
        return inContext(context -> {
            EmulatedGraph gone = graph(graph);
            Refusal.unless(!machine().isCollecting(gone), DriverApi.INVALID_VALUE);
            machine().forget(gone, graph);
        });
    }

    /** What has more room than the graph has nodes is filled up with NULL, as {@code cuda.h} says. */
    @Override
    public int cuGraphGetNodes(long graph, MemorySegment nodes, MemorySegment count) {
        return inContext(context -> {
            Refusal.unless(count.address() != 0, DriverApi.INVALID_VALUE);
            List<GraphNode> all = graph(graph).nodes();
            if (nodes.address() != 0) {
                long room = count.reinterpret(JAVA_LONG.byteSize()).get(JAVA_LONG, 0);
                MemorySegment to = nodes.reinterpret(room * ADDRESS.byteSize());
                for (int i = 0; i < room; i++) {
                    to.setAtIndex(JAVA_LONG, i, i < all.size() ? all.get(i).handle() : 0);
                }
                put(count, Math.min(room, all.size()));
            } else {
                put(count, (long) all.size());
            }
        });
    }

    /** The cluster and whether the launch is cooperative stay as they were captured. */
    @Override
    public int cuGraphExecKernelNodeSetParams(long executable, long node, MemorySegment parameters) {
        return inContext(context -> {
            Refusal.unless(parameters.address() != 0, DriverApi.INVALID_VALUE);
            MemorySegment fields = parameters.reinterpret(KernelNode.BYTES);
            ExecutableGraph in = executable(executable);
            LaunchRequest before = in.kernel(node).request();
            EmulatedFunction function = machine().handles().get(fields.get(JAVA_LONG, 0), EmulatedFunction.class);
            Refusal.unless(function.module().context() == in.context(), DriverApi.INVALID_VALUE);
            Refusal.unless(fields.get(JAVA_LONG, 48) == 0, DriverApi.NOT_SUPPORTED);
            in.replace(node, LaunchRequest.ofNode(fields, before.cluster(), before.cooperative())
                    .of(function, fields.get(ADDRESS, 40), machine()));
        });
    }
}
