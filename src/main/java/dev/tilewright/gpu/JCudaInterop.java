package dev.tilewright.gpu;

import dev.tilewright.NotNull;
import dev.tilewright.gpu.compile.CudaFunction;
import dev.tilewright.gpu.cuda.JCudaHandles;
import java.util.Objects;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUevent;
import jcuda.driver.CUfunction;
import jcuda.driver.CUstream;

/**
 * Tilewright's objects as JCuda's, and JCuda's as Tilewright's: for an application that uses JCuda already and wants to
 * adopt one call at a time. This is the only class with types of JCuda, which an application without it never loads.
 *
 * {@snippet :
 * Gpu gpu = JCudaInterop.gpu(context);                                            // a CUcontext
 * Buffer<float[]> x = JCudaInterop.buffer(gpu, pointer, ArrayType.FLOATS, 1_000); // a CUdeviceptr
 * launch.set("x", x).on(JCudaInterop.stream(gpu, stream)).start();                // a CUstream
 * JCudaDriver.cuMemcpyDtoHAsync(to, JCudaInterop.pointer(result), bytes, stream);
 * }
 *
 * <p>What comes from JCuda stays JCuda's: closing it here frees nothing. What is given to JCuda stays Tilewright's, and
 * is valid until it is closed. Nothing here calls the driver through JCuda, or loads its native library.
 */
@SuppressWarnings("exports") // JCuda is the module of those who use this
public final class JCudaInterop {

    private JCudaInterop() { }

    /**
     * The GPU of a context, which stays JCuda's to destroy, after the GPU is closed. The driver does not look whether
     * the context still exists: one that does not ends the process.
     *
     * @throws IllegalArgumentException if it was never created
     * @throws dev.tilewright.MissingRequirementException if there is no GPU, with the reason
     * @see Gpu#ofContext
     */
    public static Gpu gpu(CUcontext context) {
        Objects.requireNonNull(context, "context");
        return Gpu.ofContext(JCudaHandles.of(context));
    }

    /** A GPU's context. Make it current ({@code cuCtxSetCurrent}) in a thread that calls JCuda. */
    public static CUcontext context(Gpu gpu) {
        Objects.requireNonNull(gpu, "gpu");
        return JCudaHandles.wrap(new CUcontext(), gpu.context());
    }

    /**
     * Memory that JCuda has allocated in the GPU's context.
     *
     * @param pointer its first byte; its byte offset counts
     * @param count elements that it holds from there, which nothing can check
     */
    public static <A> Buffer<A> buffer(Gpu gpu, CUdeviceptr pointer, ArrayType<A> type, long count) {
        NotNull.all("gpu, pointer, type", gpu, pointer, type);
        return gpu.wrap(JCudaHandles.of(pointer), type, count);
    }

    /**
     * A buffer's first byte.
     *
     * @throws IllegalStateException if it is closed
     */
    public static CUdeviceptr pointer(Buffer<?> buffer) {
        Objects.requireNonNull(buffer, "buffer");
        return JCudaHandles.wrap(new CUdeviceptr(), buffer.address());
    }

    /** A stream that JCuda has created in the GPU's context. */
    public static Stream stream(Gpu gpu, CUstream stream) {
        NotNull.all("gpu, stream", gpu, stream);
        return gpu.wrapStream(JCudaHandles.of(stream));
    }

    /**
     * A stream.
     *
     * @throws IllegalStateException if it is closed
     */
    public static CUstream stream(Stream stream) {
        Objects.requireNonNull(stream, "stream");
        return JCudaHandles.wrap(new CUstream(), stream.handle());
    }

    /** An event that JCuda has created in the GPU's context. */
    public static Event event(Gpu gpu, CUevent event) {
        NotNull.all("gpu, event", gpu, event);
        return gpu.wrapEvent(JCudaHandles.of(event));
    }

    /**
     * An event.
     *
     * @throws IllegalStateException if it is closed
     */
    public static CUevent event(Event event) {
        Objects.requireNonNull(event, "event");
        return JCudaHandles.wrap(new CUevent(), event.handle());
    }

    /**
     * A kernel that JCuda has loaded in the GPU's context, to be launched as Tilewright's are: arguments by name,
     * prepared once.
     *
     * @param description its name, parameters and block, which nothing can check; its source may be empty
     */
    public static Kernel kernel(Gpu gpu, CUfunction function, CudaFunction description) {
        NotNull.all("gpu, function, description", gpu, function, description);
        return gpu.wrapKernel(JCudaHandles.of(function), description);
    }

    /**
     * A kernel's function, for {@code cuLaunchKernel}. A kernel in clusters that its launches choose, or one that waits
     * for the grid before it, needs attributes that JCuda cannot give.
     *
     * @throws IllegalStateException if it is closed
     */
    public static CUfunction function(Kernel kernel) {
        Objects.requireNonNull(kernel, "kernel");
        return JCudaHandles.wrap(new CUfunction(), kernel.function());
    }
}
