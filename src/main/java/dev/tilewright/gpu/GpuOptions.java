package dev.tilewright.gpu;

import dev.tilewright.NotNull;
import dev.tilewright.emit.EmitOptions;
import dev.tilewright.gpu.compile.CudaFunction;
import dev.tilewright.gpu.compile.KernelCompiler;
import dev.tilewright.gpu.cuda.DriverApi;
import dev.tilewright.gpu.cuda.LibCuda;
import dev.tilewright.gpu.device.DeviceInfo;
import dev.tilewright.gpu.device.Devices;
import dev.tilewright.gpu.emulation.EmulatedCuda;
import dev.tilewright.gpu.emulation.state.DeviceModel;
import dev.tilewright.gpu.emulation.state.ExecutionOrder;
import dev.tilewright.gpu.module.CudaImages;
import dev.tilewright.gpu.module.EmulatedImages;
import dev.tilewright.gpu.module.SharedCompiler;
import dev.tilewright.gpu.module.StartUp;
import dev.tilewright.gpu.trace.Log;
import dev.tilewright.hazard.HazardOptions;
import dev.tilewright.ptx.Target;
import dev.tilewright.reference.ReferenceOptions;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** How a GPU is opened, a real one or an emulated one: {@code Gpu.options().checkHazards().open()}. Immutable. */
public final class GpuOptions {
    static final GpuOptions DEFAULT = new GpuOptions(SharedCompiler::get, EmitOptions.DEFAULT, Optional.empty(),
            ReferenceOptions.DEFAULT, () -> null);
    private static final long EMULATED_MEMORY = 4L << 30;

    private final Supplier<KernelCompiler> compiler;
    private final EmitOptions emit;
    private final Optional<EncoderChoice> encoder;
    private final ReferenceOptions reference;
    /** Makes what checks the launches of one GPU; gives null for nothing. */
    private final Supplier<LaunchCheck> check;

    private GpuOptions(Supplier<KernelCompiler> compiler, EmitOptions emit, Optional<EncoderChoice> encoder,
            ReferenceOptions reference, Supplier<LaunchCheck> check) {
        this.compiler = compiler;
        this.emit = emit;
        this.encoder = encoder;
        this.reference = reference;
        this.check = check;
    }

    /**
     * Checks launches with {@link HazardOptions#DEFAULT}; instructions that the check does not analyse are logged as a
     * warning.
     */
    public GpuOptions checkHazards() {
        return checkHazards(HazardOptions.DEFAULT, Log::warning);
    }

    /**
     * Checks each tile program for hazards before its first launch, and its first in clusters of another size, on the
     * CPU and on copies of the launch's buffers: for use while a kernel is written. A launch with hazards is not
     * started: {@link KernelLaunch#start} throws {@link dev.tilewright.hazard.HazardException}. It waits for its stream
     * before it is checked, so in a capture a program must have been checked before. {@link CudaFunction}s are not
     * checked.
     *
     * <p>A program that reaches what the check cannot follow, such as an instruction that only sm_100 and later have,
     * is launched all the same if nothing was found before. Of a launch that is too large to be followed as a whole,
     * only the first blocks are checked, up to the limit of the options.
     *
     * @param notes is given a line for each program that could not be followed to its end, before its first launch
     */
    public GpuOptions checkHazards(HazardOptions options, Consumer<String> notes) {
        NotNull.all("options, notes", options, notes);
        return new GpuOptions(compiler, emit, encoder, reference, () -> new LaunchCheck(options, notes));
    }

    /** How the CUDA C++ of tile programs is emitted, such as with {@linkplain EmitOptions#BOUNDED bounded} waits. */
    public GpuOptions emit(EmitOptions options) {
        Objects.requireNonNull(options, "options");
        return new GpuOptions(compiler, options, encoder, reference, check);
    }

    /** Sets the compiler and its cache; by default, one that all GPUs of the process share. */
    public GpuOptions compiler(KernelCompiler own) {
        Objects.requireNonNull(own, "own");
        return new GpuOptions(() -> own, emit, encoder, reference, check);
    }

    /** Sets the encoder of the tensor maps of launches; by default, {@link EncoderChoice#configured}. */
    public GpuOptions encoder(EncoderChoice choice) {
        Objects.requireNonNull(choice, "choice");
        return new GpuOptions(compiler, emit, Optional.of(choice), reference, check);
    }

    /** How the kernels of an emulated GPU run, such as the time and steps that they may take. */
    public GpuOptions reference(ReferenceOptions options) {
        Objects.requireNonNull(options, "options");
        return new GpuOptions(compiler, emit, encoder, options, check);
    }

    /** Opens the first GPU; see {@link Gpu#open()}. */
    public Gpu open() {
        return open(0);
    }

    /**
     * Opens a GPU; see {@link Gpu#open(int)}.
     *
     * @param ordinal its number among the GPUs that this process sees, from 0
     */
    public Gpu open(int ordinal) {
        // What it begins is of use to the compiler that all share.
        if (compiler == DEFAULT.compiler) {
            StartUp.begin();
        }
        return open(Devices.probe(), ordinal);
    }

    Gpu open(Devices devices, int ordinal) {
        DeviceInfo info = devices.require(ordinal);
        return new Gpu(LibCuda.get(), info, new CudaImages(info, compiler, emit), encoder(info), check.get());
    }

    /** Chooses among the GPUs of this machine; see {@link Gpu#choose()}. */
    public GpuChoice choose() {
        return new GpuChoice(Devices::probe, this::open);
    }

    /** A GPU on the CPU; see {@link Gpu#emulated()}. */
    public Gpu emulated() {
        return emulated(1).getFirst();
    }

    /**
     * A GPU on the CPU that is like {@link Gpu#emulated()}, but of another compute capability: programs are those that
     * such a GPU is given, and what it lacks is refused.
     *
     * @param target such as {@link Target#SM_80}; of one compute capability its most capable target is meant
     * @throws IllegalArgumentException if no GPU has it
     */
    public Gpu emulated(Target target) {
        Objects.requireNonNull(target, "target");
        return emulated(1, target).getFirst();
    }

    List<Gpu> emulated(int count) {
        return emulated(count, Target.SM_90A);
    }

    private List<Gpu> emulated(int count, Target target) {
        EmulatedCuda cuda = new EmulatedCuda(ExecutionOrder.LAZY, reference.withApproximations(),
                Collections.nCopies(count, DeviceModel.of(target, EMULATED_MEMORY)));
        return choose(cuda, cuda).openAll();
    }

    /** Chooses among emulated GPUs. @param api stands before the emulated driver, or is that */
    GpuChoice choose(DriverApi api, EmulatedCuda cuda) {
        return new GpuChoice(() -> Devices.probe(api), (devices, ordinal) -> {
            DeviceInfo info = devices.require(ordinal);
            return new Gpu(api, info, new EmulatedImages(info, cuda), encoder(info), check.get());
        });
    }

    private EncoderChoice encoder(DeviceInfo info) {
        return encoder.orElseGet(() -> EncoderChoice.configured(info.target()));
    }

    /** {@code options of a GPU}. */
    @Override
    public String toString() {
        return "options of a GPU";
    }
}
