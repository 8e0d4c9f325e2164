package dev.tilewright.gpu;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.tilewright.gpu.context.Context;
import dev.tilewright.gpu.context.Lease;
import dev.tilewright.gpu.context.PageLocked;
import dev.tilewright.gpu.cuda.DriverApi;
import dev.tilewright.gpu.device.CudaException;
import dev.tilewright.gpu.trace.Trace;
import dev.tilewright.gpu.trace.WatchedSpan;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * A sequence of copies and launches that was captured from a stream, and is started as one: see {@link Stream#capture}.
 * The driver has looked at all of it once, so a start costs about what one launch does, and allocates nothing.
 *
 * {@snippet :
 * KernelLaunch scale = kernel.prepare().grid(blocks).set("a", 2.5).set("x", in).set("y", out).on(stream);
 * try (Graph graph = stream.capture(s -> {
 *     s.upload(pinned.segment(), in);
 *     scale.start();
 *     s.download(out, result.segment());
 * })) {
 *     graph.start();
 *     graph.update(scale.set("a", 3.5)).start();
 *     stream.synchronize();
 * }
 * }
 *
 * <p>It works with the buffers, page-locked memory and arguments that it was captured with, keeps them from being
 * forgotten, and is not started once one of them is closed. Safe for use by several threads, one after the other: the
 * driver allows one at a time, so they wait for each other. Starts of one graph run one after the other, in whatever
 * streams.
 */
public final class Graph implements AutoCloseable {
    private final Stream stream;
    private final Context context;
    private final DriverApi api;
    private final long executable;
    private final int nodes;
    private final LaunchNode[] launches;
    private final Buffer<?>[] buffers;
    private final PageLocked[] pageLocked;
    /** Kept from being forgotten. */
    private final List<MemorySegment> hostMemory;
    /** Held while the driver uses it, by what lets go of it too. */
    private final Object lock = new Object();
    private final Lease lease;

    private Graph(Stream stream, long graph, long executable, int nodes, List<LaunchNode> launches,
            Collection<Buffer<?>> buffers, List<MemorySegment> hostMemory) {
        this.stream = stream;
        this.context = stream.gpu().cudaContext();
        this.api = context.api();
        this.executable = executable;
        this.nodes = nodes;
        this.launches = launches.toArray(LaunchNode[]::new);
        this.buffers = buffers.toArray(Buffer<?>[]::new);
        this.hostMemory = List.copyOf(hostMemory);
        this.pageLocked = hostMemory.stream().map(host -> PageLocked.find(api, host.address(), host.byteSize()))
                .filter(Objects::nonNull).distinct().toArray(PageLocked[]::new);
        Context in = context;
        Object held = lock;
        this.lease = Lease.of(this, context, "the graph of " + nodes + " nodes", () -> {
            synchronized (held) {
                try {
                    in.release("cuGraphExecDestroy", on -> on.cuGraphExecDestroy(executable));
                } finally {
                    in.release("cuGraphDestroy", on -> on.cuGraphDestroy(graph));
                }
            }
        });
    }

    /** Makes a captured graph ready. @param graph a CUgraph, which stays the caller's if this fails */
    static Graph of(Stream stream, long graph, List<LaunchNode> launches, Collection<Buffer<?>> buffers,
            List<MemorySegment> hostMemory) {
        Context context = stream.gpu().cudaContext();
        int nodes = (int) context.ask("cuGraphGetNodes",
                (api, out) -> api.cuGraphGetNodes(graph, MemorySegment.NULL, out));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(JAVA_LONG);
            context.call("cuGraphInstantiate of " + nodes + " nodes", api -> api.cuGraphInstantiate(out, graph, 0));
            long executable = out.get(JAVA_LONG, 0);
            try {
                return new Graph(stream, graph, executable, nodes, launches, buffers, hostMemory);
            } catch (RuntimeException | Error e) {
                context.call("cuGraphExecDestroy", api -> api.cuGraphExecDestroy(executable));
                throw e;
            }
        }
    }

    /** The stream that it was captured from. */
    public Stream stream() {
        return stream;
    }

    /** How many launches, copies and fills it is made of. */
    public int nodes() {
        return nodes;
    }

    /**
     * Starts all of it, in the stream that it was captured from.
     *
     * @throws IllegalStateException if something that it uses is closed
     * @throws CudaException if the driver refuses it, or a fault has lost the context
     */
    public void start() {
        start(stream);
    }

    /**
     * Starts all of it, in a stream of the same GPU.
     *
     * @throws IllegalArgumentException if the stream is of another GPU
     * @throws IllegalStateException if something that it uses is closed, or the stream is being captured
     * @throws CudaException if the driver refuses it, or a fault has lost the context
     */
    public void start(Stream in) {
        Objects.requireNonNull(in, "in");
        requireHere(in);
        if (Trace.graphs()) {
            try (WatchedSpan _ = Trace.graph(nodes, in.log().stream(), context.info().ordinal())) {
                startNow(in);
            }
        } else {
            startNow(in);
        }
    }

    private void startNow(Stream in) {
        // Before the lock: who captures may want to update or close this graph meanwhile.
        in.cuStream().enterGate();
        try {
            synchronized (lock) {
                requireUsable();
                long handle = in.handle();
                in.enterOutside("the start of another graph", "start the kernels and copies themselves");
                try {
                    start(in, handle);
                } finally {
                    in.leaveOutside();
                }
            }
        } finally {
            in.cuStream().leaveGate();
        }
    }

    private void start(Stream in, long handle) {
        long previous = context.enter();
        try {
            int call = context.calls().begin();
            try {
                requireUsable();
                in.requireOpen();
                int result = api.cuGraphLaunch(executable, handle);
                if (result != DriverApi.SUCCESS) {
                    context.check("cuGraphLaunch of " + this + " on " + in, result);
                }
            } finally {
                context.calls().end(call);
            }
            in.log().started(this);
        } finally {
            context.leave(previous);
        }
    }

    /**
     * Gives every kernel of the graph that this launch made the arguments and the grid that the launch has now. Starts
     * before this keep what they had. The launch's stream does not matter.
     *
     * @return this
     * @throws IllegalArgumentException if the launch made none of them, has no blocks or has another cluster now
     * @throws IllegalStateException if the launch lacks an argument, or something that it uses is closed
     */
    public Graph update(KernelLaunch launch) {
        Objects.requireNonNull(launch, "launch");
        synchronized (lock) {
            lease.requireOpen();
            launch.requireArguments();
            if (!made(launch)) {
                throw new IllegalArgumentException("no node of this graph was made by this launch of "
                        + launch + ": update takes the very KernelLaunch that was started in the capture");
            }
            if (launch.isEmpty()) {
                throw new IllegalArgumentException(launch + ": a node of a graph has at least one block");
            }
            for (LaunchNode node : launches) {
                if (node.launch() == launch) {
                    node.requireSameCluster();
                }
            }
            long previous = context.enter();
            try {
                for (LaunchNode node : launches) {
                    if (node.launch() == launch) {
                        node.update(context, executable);
                    }
                }
            } finally {
                context.leave(previous);
            }
        }
        return this;
    }

    private boolean made(KernelLaunch launch) {
        for (LaunchNode node : launches) {
            if (node.launch() == launch) {
                return true;
            }
        }
        return false;
    }

    private void requireHere(Stream in) {
        if (!in.gpu().cudaContext().isSame(context)) {
            throw new IllegalArgumentException("the graph is of GPU " + context.info().ordinal() + ", " + in
                    + " of GPU " + in.gpu().info().ordinal());
        }
    }

    private void requireUsable() {
        lease.requireOpen();
        for (LaunchNode node : launches) {
            node.requireOpen();
        }
        for (Buffer<?> buffer : buffers) {
            buffer.requireOpen();
        }
        for (PageLocked memory : pageLocked) {
            memory.requireOpen();
        }
    }

    /** Lets go of it. What was started ends as it would have. */
    @Override
    public void close() {
        lease.close();
    }

    /** {@code graph of 4 nodes: kernel 'scale', 40 blocks of 256 threads}. */
    @Override
    public String toString() {
        return "graph of " + nodes + " nodes: " + List.of(launches).stream()
                .map(node -> node.launch().toString()).collect(Collectors.joining("; "));
    }
}
