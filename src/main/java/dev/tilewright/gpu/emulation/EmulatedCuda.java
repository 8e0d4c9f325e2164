package dev.tilewright.gpu.emulation;

import dev.tilewright.gpu.cuda.DeviceLoss;
import dev.tilewright.gpu.cuda.DriverApi;
import dev.tilewright.gpu.emulation.state.DeviceFault;
import dev.tilewright.gpu.emulation.state.DeviceModel;
import dev.tilewright.gpu.emulation.state.ExecutionOrder;
import dev.tilewright.gpu.emulation.state.Refusal;
import dev.tilewright.program.TileProgram;
import dev.tilewright.reference.ReferenceOptions;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A CUDA driver on the CPU. Device memory is host memory under addresses of its own, streams are queues, kernels are
 * tile programs that the reference executor runs with the arguments of {@code cuLaunchKernelEx}. What stands above the
 * driver API runs on it unchanged. Safe for use by many threads.
 *
 * <p>It is strict where a real driver is not: work is done as late as it may be ({@link ExecutionOrder#LAZY}), fresh
 * memory holds 0xAB bytes, no address and no handle is given out twice, and everything that was not let go of is known
 * ({@link #leaks}). What a kernel must not do ends the emulated GPU, as it does a real one: every later call gets the
 * same error, and {@link #fault} says in words what happened.
 *
 * <p>Differences: kernels are programs that {@link #image} was asked for, never cubins. Graphs cannot allocate memory
 * nor launch graphs while they are captured. The context of a virtual thread is its own; with a real driver it is its
 * carrier's. A reference run of a kernel that would hang ends with CUDA_ERROR_LAUNCH_TIMEOUT. One call is made at a
 * time: a thread that is interrupted while it waits for another's, such as for a kernel that goes on and on, is refused
 * with CUDA_ERROR_TIMEOUT a little later. Numbers and rules are those of {@code cuda.h} and the CUDA Programming Guide.
 */
public class EmulatedCuda extends GraphCalls implements DriverApi {
    private static final long MEMORY = 4L << 30;

    /** One GPU of 4 GiB, lazy. */
    public EmulatedCuda() {
        this(ExecutionOrder.LAZY, DeviceModel.hopper(MEMORY));
    }

    /** @param devices the GPUs, by ordinal; there may be none */
    public EmulatedCuda(ExecutionOrder order, DeviceModel... devices) {
        this(order, ReferenceOptions.DEFAULT.withApproximations(), List.of(Objects.requireNonNull(devices, "devices")));
    }

    /**
     * GPUs that run kernels in a way of their own.
     *
     * @param options how the reference runs a kernel; the number of resident blocks is each kernel's
     * @param devices the GPUs, by ordinal; there may be none
     */
    public EmulatedCuda(ExecutionOrder order, ReferenceOptions options, List<DeviceModel> devices) {
        super(new Machine(List.copyOf(Objects.requireNonNull(devices, "devices")),
                Objects.requireNonNull(order, "order"), Objects.requireNonNull(options, "options")));
    }

    /** What is no call of the driver. */
    private <T> T locked(Supplier<T> body) {
        try {
            return machine().locked(body);
        } catch (Refusal e) {
            throw new IllegalStateException("the thread was interrupted while it waited for a kernel of another", e);
        }
    }

    /**
     * What takes a cubin's place for a program: {@link #cuModuleLoadData} of it gives a module whose one function has
     * the program's name. Only this driver takes it, as long as something refers to the program, or a
     * module is loaded of it.
     */
    public byte[] image(TileProgram program) {
        Objects.requireNonNull(program, "program");
        return locked(() -> machine().programs().image(program));
    }

    /** The fault that lost a GPU, in words; empty while it works. */
    public Optional<String> fault(int ordinal) {
        return Optional.ofNullable(machine().devices().get(ordinal).fault()).map(Throwable::getMessage);
    }

    @Override
    public Optional<DeviceLoss> loss(int ordinal) {
        return Optional.ofNullable(machine().devices().get(ordinal).fault()).map(DeviceFault::loss);
    }

    /**
     * Ends a GPU, as when it falls off the bus: every later call in its contexts gives this CUresult.
     *
     * @param result the CUresult, not 0
     * @param why for {@link #fault}
     */
    public void lose(int ordinal, int result, String why) {
        Objects.requireNonNull(why, "why");
        if (result == SUCCESS) {
            throw new IllegalArgumentException("a lost GPU gives an error, not 0");
        }
        locked(() -> {
            machine().devices().get(ordinal).lose(new DeviceFault(result, why));
            return null;
        });
    }

    /**
     * What is open, one line each: retained primary contexts, device memory, pinned and registered host memory,
     * streams, events, modules, graphs, and what was still open when its context was destroyed. What belongs to a GPU
     * that is lost is left out but for its context: the driver refuses to free it.
     */
    public List<String> leaks() {
        return locked(machine()::leaks);
    }
}
