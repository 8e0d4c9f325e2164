package dev.tilewright.gpu.emulation;

import dev.tilewright.MissingRequirementException;
import dev.tilewright.emit.CudaEmitter;
import dev.tilewright.gpu.cuda.DriverApi;
import dev.tilewright.gpu.cuda.ModuleApi;
import dev.tilewright.gpu.emulation.state.EmulatedFunction;
import dev.tilewright.gpu.emulation.state.EmulatedModule;
import dev.tilewright.gpu.emulation.state.EmulatedStream;
import dev.tilewright.gpu.emulation.state.Refusal;
import dev.tilewright.program.TileProgram;
import java.lang.foreign.MemorySegment;

/** {@link ModuleApi} of the emulated driver. */
abstract class ModuleCalls extends StreamCalls implements ModuleApi {
    /** Longer than any identifier that C compilers take. */
    private static final long MOST_NAME_BYTES = 1 << 16;

    ModuleCalls(Machine machine) {
        super(machine);
    }

    @Override
    public int cuModuleLoadData(MemorySegment module, MemorySegment image) {
        return outsideCaptures(context -> {
            TileProgram program = machine().programs().program(image);
            Refusal.unless(program.gate().admits(context.device().model().target()), DriverApi.NO_BINARY_FOR_GPU);
            put(module, machine().handles().add(new EmulatedModule(context, program)));
        });
    }

    @Override
    public int cuModuleUnload(long module) {
        return outsideCaptures(context -> {
            EmulatedModule gone = machine().handles().get(module, EmulatedModule.class);
            machine().finish(gone.context());
            gone.context().device().requireWorking();
            machine().handles().remove(module);
            machine().handles().removeFunctions(module);
        });
    }

    @Override
    public int cuModuleGetFunction(MemorySegment function, long module, MemorySegment name) {
        return inContext(context -> {
            EmulatedModule in = machine().handles().get(module, EmulatedModule.class);
            Refusal.unless(name.address() != 0, DriverApi.INVALID_VALUE);
            String wanted = name.reinterpret(MOST_NAME_BYTES).getString(0);
            Refusal.unless(wanted.equals(CudaEmitter.kernelName(in.program())), DriverApi.NOT_FOUND);
            put(function, machine().handles().function(module, in));
        });
    }

    private EmulatedFunction function(long handle) {
        return machine().handles().get(handle, EmulatedFunction.class);
    }

    @Override
    public int cuFuncGetAttribute(MemorySegment value, int attribute, long function) {
        return inContext(context -> put(value, function(function).get(attribute)));
    }

    @Override
    public int cuFuncSetAttribute(long function, int attribute, int value) {
        return inContext(context -> function(function).set(attribute, value));
    }

    @Override
    public int cuOccupancyMaxActiveBlocksPerMultiprocessor(MemorySegment blocks, long function, int threads,
            long sharedBytes) {
        return inContext(context -> put(blocks, Occupancy.blocks(function(function), threads, sharedBytes)));
    }

    @Override
    public int cuOccupancyMaxActiveClusters(MemorySegment clusters, long function, MemorySegment config) {
        return inContext(context -> {
            EmulatedFunction of = function(function);
            LaunchRequest request = LaunchRequest.ofConfig(config);
            int resident = Occupancy.resident(of, (int) request.block().count(), request.sharedBytes());
            put(clusters, resident / (int) request.clusterFor(of).count());
        });
    }

    @Override
    public int cuLaunchKernelEx(MemorySegment config, long function, MemorySegment parameters, long extra) {
        return inContext(context -> {
            LaunchRequest request = LaunchRequest.ofConfig(config);
            EmulatedFunction of = function(function);
            EmulatedStream on = machine().stream(LaunchRequest.stream(config), context);
            Refusal.unless(of.module().context() == context && on.context() == context, DriverApi.INVALID_HANDLE);
            Refusal.unless(extra == 0, DriverApi.NOT_SUPPORTED);
            machine().submit(on, request.of(of, parameters, machine()));
        });
    }

    @Override
    public int cuTensorMapEncodeTiled(MemorySegment map, int dataType, int rank, long globalAddress,
            MemorySegment dims, MemorySegment strides, MemorySegment box, MemorySegment elementStrides,
            int interleave, int swizzle, int l2Promotion, int oobFill) {
        return encode(map, () -> TensorMapArguments.tiled(dataType, rank, globalAddress, dims, strides, box,
                elementStrides, interleave, swizzle, l2Promotion, oobFill));
    }

    @Override
    public int cuTensorMapEncodeIm2col(MemorySegment map, int dataType, int rank, long globalAddress,
            MemorySegment dims, MemorySegment strides, MemorySegment lower, MemorySegment upper, int channels,
            int pixels, MemorySegment elementStrides, int interleave, int swizzle, int l2Promotion, int oobFill) {
        return encode(map, () -> TensorMapArguments.im2col(dataType, rank, globalAddress, dims, strides, lower, upper,
                channels, pixels, elementStrides, interleave, swizzle, l2Promotion, oobFill));
    }

    private int encode(MemorySegment map, TensorMapArguments.Call call) {
        return inContext(context -> {
            try {
                TensorMapArguments.encode(call, context.device().model().target(), map);
            } catch (MissingRequirementException e) {
                throw new Refusal(DriverApi.NOT_SUPPORTED);
            }
        });
    }
}
