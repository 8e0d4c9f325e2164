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

    private Trace() { }

    private static boolean isRecording() {
        return JFR && FlightRecorder.isInitialized();
    }

    /** Whether anybody watches launches. */
    public static boolean launches() {
        return NVTX || isRecording() && LaunchEvent.isOn();
    }

    /** Whether anybody watches copies. */
    public static boolean copies() {
        return NVTX || isRecording() && CopyEvent.isOn();
    }

    /** Whether anybody watches starts of graphs. */
    public static boolean graphs() {
        return NVTX || isRecording() && GraphLaunchEvent.isOn();
    }

    /** Whether anybody watches allocations. */
    public static boolean allocations() {
        return isRecording() && AllocateEvent.isOn();
    }

    /**
     * The start of a kernel.
     *
     * @param grid blocks in each dimension, as text
     * @param block threads in each dimension, as text
     * @param captured whether it is collected for a graph and not started
     */
    public static Span launch(String kernel, String grid, String block, String stream, int gpu, boolean captured) {
        NotNull.all("kernel, grid, block, stream", kernel, grid, block, stream);
        return ranged("launch " + kernel, isRecording() && LaunchEvent.isOn()
                ? LaunchEvent.begin(kernel, grid, block, stream, gpu, captured) : Span.NONE);
    }

    /** A copy or a fill; the answer is whether it goes on by itself. @param direction such as {@code host to device} */
    public static Span copy(String direction, long bytes, String stream, int gpu) {
        NotNull.all("direction, stream", direction, stream);
        return ranged(direction, isRecording() && CopyEvent.isOn()
                ? CopyEvent.begin(direction, bytes, stream, gpu) : Span.NONE);
    }

    /** The start of a graph. */
    public static Span graph(int nodes, String stream, int gpu) {
        Objects.requireNonNull(stream, "stream");
        return ranged("graph of " + nodes + " nodes", isRecording() && GraphLaunchEvent.isOn()
                ? GraphLaunchEvent.begin(nodes, stream, gpu) : Span.NONE);
    }

    /** An allocation. @param kind such as {@code device memory} */
    public static Span allocate(String kind, long bytes, int gpu) {
        Objects.requireNonNull(kind, "kind");
        return isRecording() && AllocateEvent.isOn() ? AllocateEvent.begin(kind, bytes, gpu) : Span.NONE;
    }

    /** A compilation; the bytes are the cubin's. */
    public static Span compile(String kernel, String target, long sourceCharacters) {
        NotNull.all("kernel, target", kernel, target);
        return ranged("compile " + kernel, isRecording() && CompileEvent.isOn()
                ? CompileEvent.begin(kernel, target, sourceCharacters) : Span.NONE);
    }

    /** A look into the kernel cache; the answer is whether the kernel was there, the bytes are its. */
    public static Span cacheLookup(String key) {
        Objects.requireNonNull(key, "key");
        return isRecording() && CacheLookupEvent.isOn() ? CacheLookupEvent.begin(key) : Span.NONE;
    }

    private static Span ranged(String name, Span event) {
        return NVTX ? new RangeSpan(NvtxLibrary.ofProcess().get(), name, event) : event;
    }
}
