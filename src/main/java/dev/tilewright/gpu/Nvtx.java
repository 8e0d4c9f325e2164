package dev.tilewright.gpu;

import dev.tilewright.gpu.trace.NvtxLibrary;
import dev.tilewright.gpu.trace.Trace;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Names ranges of time for NVIDIA's tools, such as Nsight Systems: NVTX. With system property
 * {@value #PROPERTY}{@code =true} the runtime names its launches, copies and compilations, too.
 *
 * {@snippet :
 * try (Nvtx.Range _ = Nvtx.range("epoch 3")) {
 *     graph.start();
 *     stream.synchronize();
 * }
 * }
 *
 * <p>Needs {@code libnvtx3interop.so.1} (CUDA 13) or {@code libnvToolsExt.so.1} (before), from the loader's path, the
 * toolkit's {@code lib64}, or system property {@code tilewright.nvtx.library}. Without it, ranges do nothing.
 */
public final class Nvtx {
    /** The system property that turns the runtime's own ranges on. */
    public static final String PROPERTY = Trace.NVTX_PROPERTY;

    private static final Range NOTHING = () -> { };

    private Nvtx() { }

    /** A range that has begun. Any thread may end it; ending it twice is harmless. */
    @FunctionalInterface
    public interface Range extends AutoCloseable {
        /** Ends it. */
        @Override
        void close();
    }

    /** Whether the library is there. Whether a tool listens is not known. */
    public static boolean available() {
        return NvtxLibrary.ofProcess().isPresent();
    }

    /**
     * Begins a range.
     *
     * @param name as the tool shall show it; without NUL characters
     */
    public static Range range(String name) {
        Objects.requireNonNull(name, "name");
        return NvtxLibrary.ofProcess().map(library -> begin(library, name)).orElse(NOTHING);
    }

    private static Range begin(NvtxLibrary library, String name) {
        long range = library.start(name);
        AtomicBoolean open = new AtomicBoolean(true);
        return () -> {
            if (open.compareAndSet(true, false)) {
                library.end(range);
            }
        };
    }
}
