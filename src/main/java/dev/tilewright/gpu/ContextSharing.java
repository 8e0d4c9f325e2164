package dev.tilewright.gpu;

import dev.tilewright.gpu.compile.CudaFunction;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * Shares a CUDA context with other code of the process, such as CUDA's libraries: takes that code's handles, which it
 * still has to free itself, and lends the context. {@link JCudaInterop} does the same with JCuda's types.
 */
public sealed interface ContextSharing permits Gpu {

    /**
     * Memory that other code has allocated, in this context, and frees.
     *
     * @param address its CUdeviceptr
     * @param count elements that it holds
     */
    <A> Buffer<A> wrap(long address, ArrayType<A> type, long count);

    /**
     * A stream that other code has created in this context, and destroys: one object, however often it is wrapped.
     *
     * @param handle its CUstream; 0 is CUDA's legacy default stream
     */
    Stream wrapStream(long handle);

    /**
     * An event that other code has created in this context, and destroys.
     *
     * @param handle its CUevent
     */
    Event wrapEvent(long handle);

    /**
     * A kernel that other code has loaded in this context, and unloads, to be launched as those of
     * {@link Gpu#load(CudaFunction)}.
     *
     * @param function its CUfunction
     * @param description its name, parameters and block, which nothing can check; its source is not looked at, and may
     *     be empty
     * @throws dev.tilewright.BadRequestException if the GPU cannot hold one block of it
     */
    Kernel wrapKernel(long function, CudaFunction description);

    /**
     * The CUcontext, for other libraries.
     *
     * @throws IllegalStateException if it is closed
     */
    long context();

    /**
     * Does work with the context current, as CUDA's libraries and JCuda want it, and gives the thread back the one that
     * it had. The work must not hop: a virtual thread that waits in it may go on under another thread of the system.
     *
     * @throws IllegalStateException if it is closed
     */
    <T> T inContext(Supplier<T> work);

    /** Does work that has no result with the context current. */
    default void inContext(Runnable work) {
        Objects.requireNonNull(work, "work");
        inContext(() -> {
            work.run();
            return null;
        });
    }
}
