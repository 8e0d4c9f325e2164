package dev.tilewright.gpu.emulation;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import dev.tilewright.BadRequestException;
import dev.tilewright.Counted;
import dev.tilewright.gpu.cuda.DriverApi;
import dev.tilewright.gpu.emulation.state.DeviceFault;
import dev.tilewright.gpu.emulation.state.EmulatedFunction;
import dev.tilewright.gpu.emulation.state.Memory;
import dev.tilewright.gpu.emulation.state.Results;
import dev.tilewright.gpu.emulation.state.Task;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Dim3;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.reference.Reference;
import dev.tilewright.reference.fault.ReferenceException;
import dev.tilewright.reference.fault.ReferenceStoppedException;
import dev.tilewright.tensormap.DecodedTensorMap;
import dev.tilewright.tensormap.TensorMapDescriptor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * A kernel launch, run by the reference executor. Pointers are looked up when it runs, as a GPU does it.
 *
 * @param cluster blocks of a cluster
 * @param residentBlocks blocks that the GPU holds at once
 * @param arguments the bytes of each, as they were when it was launched
 */
record KernelTask(Machine machine, EmulatedFunction function, LaunchRequest request, Dim3 cluster, int residentBlocks,
        List<MemorySegment> arguments) implements Task {
    /** What sets the limits of a run. */
    private static final String LIMITS = "Gpu.emulated(ReferenceOptions), by ReferenceOptions.";

    private TileProgram program() {
        return function.program();
    }

    private String title() {
        return "kernel '" + program().name() + "' in " + size();
    }

    /** As the runtime names its launches. */
    private String launched() {
        return "kernel '" + program().name() + "', " + size();
    }

    private String size() {
        return Counted.of(request.grid().text(), "block") + " of " + Counted.of(program().block().text(), "thread");
    }

    @Override
    public void run() {
        if (request.sharedBytes() < program().shared().bytes()) {
            throw new DeviceFault(DriverApi.ILLEGAL_ADDRESS, title() + " was launched with " + request.sharedBytes()
                    + " bytes of shared memory and uses " + program().shared().bytes());
        }
        Bound bound = new Bound();
        List<Argument> values = new ArrayList<>();
        for (int i = 0; i < arguments.size(); i++) {
            values.add(argument(program().parameters().get(i), arguments.get(i), bound));
        }
        try {
            Launch launch = new Launch(program(), request.grid(), cluster, values);
            KernelThread.run(() -> Reference.run(launch, bound.memory,
                    machine.options().withResidentBlocks(residentBlocks)));
        } catch (ReferenceException e) {
            throw new DeviceFault(result(e.kind()), launched(), e.getMessage(), e);
        } catch (ReferenceStoppedException e) {
            ReferenceStoppedException limited = e.limitedBy(LIMITS + "withMostSteps", LIMITS + "withMostTime");
            throw new DeviceFault(Results.LAUNCH_TIMEOUT, launched(), limited.getMessage(), limited);
        } catch (RuntimeException e) {
            throw new DeviceFault(Results.LAUNCH_FAILED, launched(), title() + " cannot run: " + e, e);
        }
    }

    private static int result(ReferenceException.Kind kind) {
        return switch (kind) {
            case OUT_OF_BOUNDS -> DriverApi.ILLEGAL_ADDRESS;
            case MISALIGNED -> Results.MISALIGNED_ADDRESS;
            case ILLEGAL_INSTRUCTION -> Results.ILLEGAL_INSTRUCTION;
            case WOULD_HANG -> Results.LAUNCH_TIMEOUT;
            default -> Results.LAUNCH_FAILED;
        };
    }

    /** The memory that the reference is given. */
    private final class Bound {
        private final List<Memory> known = new ArrayList<>();
        private final List<MemorySegment> memory = new ArrayList<>();

        /** The number of the memory; null stands for none at all. */
        int number(Memory memory) {
            int at = memory == null ? -1 : known.indexOf(memory);
            if (at >= 0) {
                return at;
            }
            known.add(memory);
            this.memory.add(memory == null ? MemorySegment.ofArray(new byte[0]) : memory.segment());
            return known.size() - 1;
        }
    }

    private Argument argument(Parameter parameter, MemorySegment bytes, Bound bound) {
        return switch (parameter) {
            case Parameter.Pointer _ -> pointer(bytes.get(JAVA_LONG_UNALIGNED, 0), bound);
            case Parameter.Int _ -> new Argument.Int(bytes.byteSize() == 4 ? bytes.get(JAVA_INT_UNALIGNED, 0)
                    : bytes.get(JAVA_LONG_UNALIGNED, 0));
            case Parameter.Scalar _ -> new Argument.Scalar(bits(bytes));
            case Parameter.TensorMap p -> tensor(p, bytes, bound);
        };
    }

    private static long bits(MemorySegment bytes) {
        long bits = 0;
        for (long i = bytes.byteSize() - 1; i >= 0; i--) {
            bits = bits << 8 | bytes.get(JAVA_BYTE, i) & 0xFF;
        }
        return bits;
    }

    /** A pointer to no memory is passed on as one to nothing: it is a fault only if it is used. */
    private Argument pointer(long address, Bound bound) {
        Memory memory = machine.around(address);
        if (memory == null || !memory.isReachableFrom(function.module().context())) {
            return new Argument.Buffer(bound.number(null));
        }
        return new Argument.Buffer(bound.number(memory), address - memory.address());
    }

    private Argument tensor(Parameter.TensorMap parameter, MemorySegment bytes, Bound bound) {
        DecodedTensorMap decoded;
        try {
            decoded = TensorMapDescriptor.of(bytes).decode();
        } catch (BadRequestException e) {
            throw new DeviceFault(Results.ILLEGAL_INSTRUCTION, title() + " is given a tensor map '" + parameter.name()
                    + "' that is none: " + e.getMessage());
        }
        Memory memory = machine.nearest(decoded.address());
        boolean reachable = memory != null && memory.isReachableFrom(function.module().context());
        return new Argument.Tensor(decoded.map(), bound.number(reachable ? memory : null),
                reachable ? decoded.address() - memory.address() : 0);
    }
}
