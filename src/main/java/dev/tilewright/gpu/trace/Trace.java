package dev.tilewright.gpu.trace;

import dev.tilewright.NotNull;
import java.util.Objects;
import jdk.jfr.FlightRecorder;

/**
 * Where the runtime says what it does. The questions ({@link #launches} and the like) cost a few loads of static fields
 * and allocate nothing; a span is only made where one of them has said yes.
 *
 * <p>An event class that is loaded starts JDK Flight Recorder's machinery (0.3 s with JDK 25 on two busy cores), so
 * none is before somebody else has started it; and nothing of module jdk.jfr is touched in a runtime image without it.
 * Ranges for NVIDIA's tools are made where system property {@code tilewright.nvtx} is {@code true}.
 */
public final class Trace {
    /** The system property that turns ranges around launches and copies on. */
    public static final String NVTX_PROPERTY = "tilewright.nvtx";

    private static final boolean JFR = ModuleLayer.boot().findModule("jdk.jfr").isPresent();
    private static final boolean NVTX = Boolean.getBoolean(NVTX_PROPERTY) && NvtxLibrary.ofProcess().isPresent();

    /** What is asked whether anybody records, so that asking allocates nothing. Loaded only once somebody does. */
    private static final class Asked {
        static final Watched ALLOCATE = new AllocateEvent("", 0, 0);
        static final Watched CACHE_LOOKUP = new CacheLookupEvent("");
        static final Watched COMPILE = new CompileEvent("", "", 0);
        static final Watched COPY = new CopyEvent("", 0, "", 0);
        static final Watched GRAPH_LAUNCH = new GraphLaunchEvent(0, "", 0);
        static final Watched LAUNCH = new LaunchEvent("", "", "", "", 0, false);
    }

    private Trace() { }

    private static boolean isRecording() {
        return JFR && FlightRecorder.isInitialized();
    }

    /** Whether anybody watches launches. */
    public static boolean launches() {
        return NVTX || isRecording() && Asked.LAUNCH.isEnabled();
    }

    /** Whether anybody watches copies. */
    public static boolean copies() {
        return NVTX || isRecording() && Asked.COPY.isEnabled();
    }

    /** Whether anybody watches starts of graphs. */
    public static boolean graphs() {
        return NVTX || isRecording() && Asked.GRAPH_LAUNCH.isEnabled();
    }

    /** Whether anybody watches allocations. */
    public static boolean allocations() {
        return isRecording() && Asked.ALLOCATE.isEnabled();
    }

    /**
     * The start of a kernel.
     *
     * @param grid blocks in each dimension, as text
     * @param block threads in each dimension, as text
     * @param captured whether it is collected for a graph and not started
     */
    public static WatchedSpan launch(String kernel, String grid, String block, String stream, int gpu,
            boolean captured) {
        NotNull.all("kernel, grid, block, stream", kernel, grid, block, stream);
        return ranged("launch " + kernel, isRecording() && Asked.LAUNCH.isEnabled()
                ? new LaunchEvent(kernel, grid, block, stream, gpu, captured) : WatchedSpan.NONE);
    }

    /** A copy or a fill; the answer is whether it goes on by itself. @param direction such as {@code host to device} */
    public static WatchedSpan copy(String direction, long bytes, String stream, int gpu) {
        NotNull.all("direction, stream", direction, stream);
        return ranged(direction, isRecording() && Asked.COPY.isEnabled()
                ? new CopyEvent(direction, bytes, stream, gpu) : WatchedSpan.NONE);
    }

    /** The start of a graph. */
    public static WatchedSpan graph(int nodes, String stream, int gpu) {
        Objects.requireNonNull(stream, "stream");
        return ranged("graph of " + nodes + " nodes", isRecording() && Asked.GRAPH_LAUNCH.isEnabled()
                ? new GraphLaunchEvent(nodes, stream, gpu) : WatchedSpan.NONE);
    }

    /** An allocation. @param kind such as {@code device memory} */
    public static WatchedSpan allocate(String kind, long bytes, int gpu) {
        Objects.requireNonNull(kind, "kind");
        return isRecording() && Asked.ALLOCATE.isEnabled() ? new AllocateEvent(kind, bytes, gpu) : WatchedSpan.NONE;
    }

    /** A compilation; the bytes are the cubin's. */
    public static WatchedSpan compile(String kernel, String target, long sourceCharacters) {
        NotNull.all("kernel, target", kernel, target);
        return ranged("compile " + kernel, isRecording() && Asked.COMPILE.isEnabled()
                ? new CompileEvent(kernel, target, sourceCharacters) : WatchedSpan.NONE);
    }

    /** A look into the kernel cache; the answer is whether the kernel was there, the bytes are its. */
    public static WatchedSpan cacheLookup(String key) {
        Objects.requireNonNull(key, "key");
        return isRecording() && Asked.CACHE_LOOKUP.isEnabled() ? new CacheLookupEvent(key) : WatchedSpan.NONE;
    }

    private static WatchedSpan ranged(String name, WatchedSpan event) {
        return NVTX ? new RangeSpan(NvtxLibrary.ofProcess().get(), name, event) : event;
    }
}
