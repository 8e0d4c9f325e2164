package dev.tilewright.doctor.need;

import dev.tilewright.doctor.machine.CudaDevice;
import dev.tilewright.doctor.machine.HostFacts;
import dev.tilewright.gpu.host.ByteSize;
import dev.tilewright.gpu.nvrtc.NvrtcVersion;
import dev.tilewright.ptx.Target;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Something that a machine must have. */
sealed interface Need {
    /** How it is written on the command line. */
    String text();

    /** Why a machine does not have it, in words that go on after "is needed, and "; empty if it does. */
    String lack(HostFacts machine);

    /** Something that the whole machine has. @param why it does not; empty if it does */
    record OfMachine(String text, Function<HostFacts, String> why) implements Need {
        @Override
        public String lack(HostFacts machine) {
            return why.apply(machine);
        }
    }

    /**
     * A property that one GPU has and another may not; needed of one GPU at least.
     *
     * @param instead what a GPU has in its place
     */
    record OfGpu(String text, Predicate<CudaDevice> has, Function<CudaDevice, String> instead) implements Need {
        @Override
        public String lack(HostFacts machine) {
            if (machine.gpus().isEmpty()) {
                return noGpu(machine);
            }
            return machine.gpus().stream().anyMatch(has) ? "" : machine.gpus().stream()
                    .map(g -> "gpu " + g.ordinal() + " " + instead.apply(g)).collect(Collectors.joining(", "));
        }
    }

    /** A GPU that runs kernels for a target: {@code sm_90}. */
    static OfGpu architecture(Target target) {
        return new OfGpu(target.toString(), gpu -> Target.parse(gpu.target()).supports(target),
                gpu -> "is " + gpu.target());
    }

    /** A GPU with at least n bytes of memory: {@code memory=40GiB}. */
    static OfGpu memory(long bytes, String text) {
        return new OfGpu("memory=" + text, gpu -> gpu.memory() >= bytes, gpu -> "has " + ByteSize.of(gpu.memory()));
    }

    /** A driver that starts, of this CUDA or a newer one: {@code driver=12.4}. */
    static Need driver(NvrtcVersion least, String text) {
        return new OfMachine(text, machine -> !machine.libcuda().isStarted() ? noDriver(machine)
                : NvrtcVersion.parse(machine.libcuda().version()).compareTo(least) >= 0 ? ""
                : "the driver's CUDA is " + machine.libcuda().version());
    }

    /** An NVRTC that compiles, of this version or a newer one: {@code nvrtc=12.8}. */
    static Need compiler(NvrtcVersion least, String text) {
        return new OfMachine(text, machine -> {
            if (!machine.nvrtc().isReady()) {
                return machine.nvrtc().problem().isEmpty() ? "none is here yet" : machine.nvrtc().problem();
            }
            return NvrtcVersion.parse(machine.nvrtc().version()).compareTo(least) >= 0 ? ""
                    : "NVRTC is " + machine.nvrtc().version() + " (" + machine.nvrtc().file() + ")";
        });
    }

    /** A Java of this version or a newer one: {@code jdk=25}. */
    static Need jdk(int least) {
        return new OfMachine("jdk=" + least, machine -> machine.java().feature() >= least ? ""
                : "this Java is " + machine.java().version());
    }

    /** A cache that keeps kernels: {@code cache}. */
    static Need cache() {
        return new OfMachine("cache", machine -> machine.cache().problem());
    }

    /** The compiler driver of a toolkit: {@code nvcc}. */
    static Need nvcc() {
        return new OfMachine("nvcc", machine -> machine.nvcc().isEmpty()
                ? "it is neither below CUDA_HOME nor on the PATH" : "");
    }

    /** Why there is no GPU at all. */
    static String noGpu(HostFacts machine) {
        String why = machine.libcuda().isStarted() ? "the driver shows none" : noDriver(machine);
        return "there is no GPU: " + why + machine.hiding().map(h -> " (" + h + ")").orElse("");
    }

    private static String noDriver(HostFacts machine) {
        return machine.libcuda().loaded() ? "the driver does not start: " + machine.libcuda().startError()
                : machine.libcuda().why();
    }
}
