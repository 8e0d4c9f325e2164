package dev.tilewright.gpu;

import dev.tilewright.gpu.cuda.JCudaHandles;
import dev.tilewright.gpu.cuda.LaunchConfig;
import dev.tilewright.program.Argument;
import dev.tilewright.program.ClusterSize;
import dev.tilewright.program.Dim3;
import dev.tilewright.program.IntType;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Parameter;
import dev.tilewright.program.TileProgram;
import dev.tilewright.tensormap.TensorMap;
import dev.tilewright.tensormap.TensorMapEncoder;
import dev.tilewright.tensormap.TensorMapException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import jcuda.driver.CUfunction;
import jcuda.driver.CUmodule;

/**
 * A kernel in a CUDA context, with the native memory that its launches need: the launch configuration, the arguments,
 * and the array of pointers to them. One thread at a time launches it.
 */
final class CudaKernel implements LoadedKernel {
    private final CudaDriver driver;
    private final TileProgram program;
    private final CUmodule module;
    private final CUfunction function;
    private final int residentBlocks;
    private final Arena arena = Arena.ofShared();
    private final LaunchConfig config = new LaunchConfig(arena);
    private final MemorySegment[] arguments;
    private final MemorySegment pointers;
    /** What each tensor map's bytes were made from, where they were made. */
    private final TensorMap[] encodedMaps;
    private final long[] encodedAddresses;
    /** Whether a launch has asked for clusters that not every GPU has. */
    private boolean largeClusters;

    CudaKernel(CudaDriver driver, TileProgram program, CUmodule module, CUfunction function, int residentBlocks) {
        this.driver = driver;
        this.program = program;
        this.module = module;
        this.function = function;
        this.residentBlocks = residentBlocks;
        List<Parameter> parameters = program.parameters();
        arguments = new MemorySegment[parameters.size()];
        encodedMaps = new TensorMap[parameters.size()];
        encodedAddresses = new long[parameters.size()];
        pointers = arena.allocate(ValueLayout.ADDRESS, Math.max(1, parameters.size()));
        for (int i = 0; i < arguments.length; i++) {
            boolean tensor = parameters.get(i) instanceof Parameter.TensorMap;
            arguments[i] = tensor ? arena.allocate(TensorMapEncoder.BYTES, TensorMapEncoder.ALIGNMENT)
                    : arena.allocate(8, 8);
            pointers.setAtIndex(ValueLayout.ADDRESS, i, arguments[i]);
        }
        Dim3 threads = program.block();
        config.block(threads.x(), threads.y(), threads.z()).sharedBytes(program.shared().bytes());
        if (program.waitsForPriorGrid()) {
            config.programmaticSerialization(true);
        }
    }

    /** Fills in the configuration and the arguments; returns what cuLaunchKernelEx takes. */
    MemorySegment prepare(Launch launch, List<DeviceBuffer> buffers, long stream) {
        config.grid(launch.grid().x(), launch.grid().y(), launch.grid().z()).stream(stream);
        if (program.cluster().chosenAtLaunch()) {
            Dim3 cluster = launch.cluster();
            if (cluster.count() > ClusterSize.PORTABLE && !largeClusters) {
                driver.allowLargeClusters(program, function);
                largeClusters = true;
            }
            config.cluster(cluster.x(), cluster.y(), cluster.z());
        }
        for (int i = 0; i < arguments.length; i++) {
            switch (launch.arguments().get(i)) {
                case Argument.Buffer(int buffer, long offset, long _) -> set(i, buffers.get(buffer).address() + offset);
                case Argument.Int(long value) -> {
                    if (((Parameter.Int) program.parameters().get(i)).type() == IntType.S32) {
                        arguments[i].set(ValueLayout.JAVA_INT, 0, (int) value);
                    } else {
                        set(i, value);
                    }
                }
                // Little-endian, as every CUDA host: the low bytes come first, whatever the scalar's size.
                case Argument.Scalar(long bits) -> set(i, bits);
                case Argument.Tensor(var map, int buffer, long offset) ->
                        encode(i, map, buffers.get(buffer).address() + offset);
            }
        }
        return config.segment();
    }

    /** Leaves the bytes alone where the last launch had the same map on the same memory, as in a loop they are. */
    private void encode(int i, TensorMap map, long address) {
        if (map == encodedMaps[i] && address == encodedAddresses[i]) {
            return;
        }
        encodedMaps[i] = null;
        try {
            driver.tensorMapEncoder().encode(map, address, driver.target(), arguments[i]);
        } catch (TensorMapException e) {
            TensorMapException named = new TensorMapException("kernel '" + program.name() + "' cannot be launched: "
                    + driver.tensorMapEncoder().name() + " refuses its tensor map '"
                    + program.parameters().get(i).name() + "' at address 0x" + Long.toHexString(address),
                    e.validation());
            named.initCause(e);
            throw named;
        }
        encodedMaps[i] = map;
        encodedAddresses[i] = address;
    }

    private void set(int i, long value) {
        arguments[i].set(ValueLayout.JAVA_LONG, 0, value);
    }

    MemorySegment pointers() {
        return pointers;
    }

    long functionHandle() {
        return JCudaHandles.of(function);
    }

    /** The CUfunction, for code that launches it through JCuda. */
    CUfunction function() {
        return function;
    }

    @Override
    public TileProgram program() {
        return program;
    }

    @Override
    public int residentBlocks() {
        return residentBlocks;
    }

    @Override
    public void close() {
        if (arena.scope().isAlive()) {
            driver.unload(module);
            arena.close();
        }
    }
}
