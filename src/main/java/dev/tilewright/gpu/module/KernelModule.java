package dev.tilewright.gpu.module;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.tilewright.BadRequestException;
import dev.tilewright.Counted;
import dev.tilewright.MissingRequirementException;
import dev.tilewright.emit.CudaEmitter;
import dev.tilewright.gpu.compile.Compilation;
import dev.tilewright.gpu.compile.KernelAttributes;
import dev.tilewright.gpu.context.Context;
import dev.tilewright.gpu.cuda.DriverApi;
import dev.tilewright.gpu.device.CudaException;
import dev.tilewright.gpu.device.DeviceInfo;
import dev.tilewright.gpu.device.Devices;
import dev.tilewright.gpu.trace.Log;
import dev.tilewright.program.ClusterSize;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Set;

/**
 * A kernel as it is loaded in a context, with the limits that the driver gives it. Refuses a kernel that could never be
 * launched.
 *
 * @param module the CUmodule; 0 of a function that is other code's
 * @param function the CUfunction
 * @param blocksPerMultiprocessor blocks that one multiprocessor holds at once
 * @param attributes what the compiler made of it
 * @param remarks what the compiler said of it
 */
public record KernelModule(long module, long function, int blocksPerMultiprocessor, KernelAttributes attributes,
        List<String> remarks) {
    /** Dynamic shared memory that a kernel may have without asking for more, in bytes (CUDA Programming Guide). */
    private static final int SHARED_WITHOUT_ASKING = 48 * 1024;

    /** CUresults that are about an image: INVALID_IMAGE, NO_BINARY_FOR_GPU, INVALID_PTX, UNSUPPORTED_PTX_VERSION. */
    private static final Set<Integer> IMAGE_ERRORS = Set.of(200, DriverApi.NO_BINARY_FOR_GPU, 218, 222);

    // CUfunction_attribute, cuda.h.
    private static final int MAX_THREADS_PER_BLOCK = 0;
    private static final int SHARED_SIZE_BYTES = 1;
    private static final int LOCAL_SIZE_BYTES = 3;
    private static final int NUM_REGS = 4;
    private static final int MAX_DYNAMIC_SHARED_SIZE_BYTES = 8;
    private static final int PREFERRED_SHARED_MEMORY_CARVEOUT = 9;
    private static final int NON_PORTABLE_CLUSTER_SIZE_ALLOWED = 14;

    /** Loads an image. @throws BadRequestException if the device cannot hold one block of it */
    public static KernelModule load(Context context, KernelSignature signature, Compilation image) {
        long previous = context.enter();
        try (Arena arena = Arena.ofConfined()) {
            return load(context, signature, image, arena);
        } finally {
            context.leave(previous);
        }
    }

    private static KernelModule load(Context context, KernelSignature signature, Compilation compilation, Arena arena) {
        byte[] image = compilation.cubin();
        DriverApi api = context.api();
        String name = signature.name();
        requireSharedMemory(context, signature);
        MemorySegment out = arena.allocate(JAVA_LONG);
        // Read as 64-bit words by the driver.
        MemorySegment bytes = arena.allocate(image.length, JAVA_LONG.byteAlignment());
        MemorySegment.copy(image, 0, bytes, ValueLayout.JAVA_BYTE, 0, image.length);
        int result = api.cuModuleLoadData(out, bytes);
        if (result != DriverApi.SUCCESS) {
            throw refusedImage(context, name, context.failure("cuModuleLoadData of " + name, result), arena);
        }
        long module = out.get(JAVA_LONG, 0);
        try {
            KernelModule loaded = of(context, signature, module, function(context, signature, module, arena), out,
                    compilation.remarks());
            Log.debug(() -> "loaded kernel '" + name + "' on " + context.title() + ": " + loaded.attributes + ", "
                    + Counted.of(loaded.blocksPerMultiprocessor, "block") + " a multiprocessor");
            return loaded;
        } catch (RuntimeException e) {
            if (!context.isLost()) {
                api.cuModuleUnload(module);
            }
            throw e;
        }
    }

    /** A function that other code has loaded, and unloads. @throws BadRequestException as {@link #load} */
    public static KernelModule borrow(Context context, KernelSignature signature, long function) {
        long previous = context.enter();
        try (Arena arena = Arena.ofConfined()) {
            requireSharedMemory(context, signature);
            return of(context, signature, 0, function, arena.allocate(JAVA_LONG), List.of());
        } finally {
            context.leave(previous);
        }
    }

    private static KernelModule of(Context context, KernelSignature signature, long module, long function,
            MemorySegment out, List<String> remarks) {
        String name = signature.name();
        if (signature.program().isEmpty()) {
            SourceParameters.check(context, signature, function);
        }
        KernelAttributes attributes = new KernelAttributes(attribute(context, NUM_REGS, function, name, out),
                attribute(context, LOCAL_SIZE_BYTES, function, name, out),
                attribute(context, SHARED_SIZE_BYTES, function, name, out),
                attribute(context, MAX_THREADS_PER_BLOCK, function, name, out));
        if (signature.sharedBytes() > SHARED_WITHOUT_ASKING) {
            set(context, function, MAX_DYNAMIC_SHARED_SIZE_BYTES, signature.sharedBytes(),
                    name + ", " + Counted.of(signature.sharedBytes(), "byte") + " of shared memory");
        }
        if (signature.cluster().count() > ClusterSize.PORTABLE) {
            allowLargeClusters(context, function, name);
        }
        requireThreads(context, signature, attributes);
        context.check("cuOccupancyMaxActiveBlocksPerMultiprocessor of " + name,
                context.api().cuOccupancyMaxActiveBlocksPerMultiprocessor(out, function,
                        (int) signature.block().count(), signature.sharedBytes()));
        int blocks = out.get(JAVA_INT, 0);
        requireOneBlock(context, signature, attributes, blocks);
        if (!signature.cluster().chosenAtLaunch()) {
            LaunchLimits.requireClusters(context, signature, function, signature.cluster().blocks());
        }
        return new KernelModule(module, function, blocks, attributes, remarks);
    }

    private static long function(Context context, KernelSignature signature, long module, Arena arena) {
        String name = signature.program().map(CudaEmitter::kernelName).orElse(signature.name());
        MemorySegment out = arena.allocate(JAVA_LONG);
        int result = context.api().cuModuleGetFunction(out, module, arena.allocateFrom(name));
        if (result == DriverApi.NOT_FOUND && signature.program().isEmpty()) {
            throw new IllegalArgumentException("the source of kernel '" + name + "' defines no function of this name "
                    + "with"
                    + " C linkage: declare it as extern \"C\" __global__ void " + name + "(...), or correct the name");
        }
        context.check("cuModuleGetFunction of " + name, result);
        return out.get(JAVA_LONG, 0);
    }

    private static void requireOneBlock(Context context, KernelSignature signature, KernelAttributes attributes,
            int blocks) {
        if (blocks == 0) {
            throw new BadRequestException("no multiprocessor of " + context.info().name() + " holds a block of kernel '"
                    + signature.name() + "': " + signature.block().text() + " threads with "
                    + Counted.of(attributes.registersPerThread(), "register") + " each, and "
                    + (signature.sharedBytes() + (long) attributes.staticSharedBytes())
                    + " bytes of shared memory: choose smaller blocks or tiles, or fewer stages");
        }
    }

    /** Says what to do if what was refused is the image itself: the driver may be older than the compiler. */
    private static RuntimeException refusedImage(Context context, String name, CudaException failure, Arena arena) {
        if (failure.contextIsLost() || !IMAGE_ERRORS.contains(failure.error().number())) {
            return failure;
        }
        return new MissingRequirementException(failure.getMessage() + "; this driver takes what CUDA "
                + Devices.version(context.api(), arena) + " and older compile for " + context.info()
                .target() + ", and kernel '"
                + name + "' may have been compiled by a newer NVRTC: update the NVIDIA driver, or use an older NVRTC"
                + " ('tilewright doctor' compares them)",
                failure);
    }

    private static int attribute(Context context, int attribute, long function, String name, MemorySegment out) {
        context.check("cuFuncGetAttribute of " + name, context.api().cuFuncGetAttribute(out, attribute, function));
        return out.get(JAVA_INT, 0);
    }

    private static void set(Context context, long function, int attribute, int value, String what) {
        context.check("cuFuncSetAttribute of " + what, context.api().cuFuncSetAttribute(function, attribute, value));
    }

    /** @param percent of the memory that shared memory and the L1 cache divide; -1 leaves it to the driver */
    public void preferSharedMemory(Context context, String name, int percent) {
        long previous = context.enter();
        try {
            set(context, function, PREFERRED_SHARED_MEMORY_CARVEOUT, percent,
                    name + ", " + percent + " % of shared memory");
        } finally {
            context.leave(previous);
        }
    }

    /** Clusters of more blocks than every GPU with clusters has. Needs the context to be current. */
    public static void allowLargeClusters(Context context, long function, String name) {
        set(context, function, NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1,
                name + ", clusters of more than " + ClusterSize.PORTABLE + " blocks");
    }

    private static void requireSharedMemory(Context context, KernelSignature signature) {
        DeviceInfo info = context.info();
        if (signature.sharedBytes() > info.sharedMemoryPerBlock()) {
            throw new BadRequestException("kernel '" + signature.name() + "' needs " + signature.sharedBytes()
                    + " bytes of shared memory per block, and " + info.name() + " has " + info.sharedMemoryPerBlock()
                    + ": choose a smaller tile or fewer stages");
        }
    }

    private static void requireThreads(Context context, KernelSignature signature, KernelAttributes attributes) {
        if (signature.block().count() > attributes.mostThreadsPerBlock()) {
            throw new BadRequestException("kernel '" + signature.name() + "' has blocks of "
                    + signature.block().text() + " threads, and with its " + attributes.registersPerThread()
                    + " registers a thread " + context.info().name() + " runs blocks of at most "
                    + attributes.mostThreadsPerBlock());
        }
    }

    public void unload(Context context, String name) {
        if (module != 0) {
            context.release("cuModuleUnload of " + name, api -> api.cuModuleUnload(module));
        }
    }
}
