package dev.tilewright.doctor.need;

import dev.tilewright.doctor.machine.CudaDevice;
import dev.tilewright.doctor.machine.Machine;
import dev.tilewright.gpu.host.ByteSize;
import dev.tilewright.gpu.nvrtc.NvrtcVersion;
import dev.tilewright.ptx.Target;
import java.util.stream.Collectors;

/** Something that a machine must have. Its text is how it is written on the command line. */
sealed interface Need {

    /** Why a machine does not have it, in words that go on after "is needed, and "; empty if it does. */
    String lack(Machine machine);

    /** A property that one GPU has and another may not; needed of one GPU at least. */
    sealed interface OfGpu extends Need {

        boolean has(CudaDevice gpu);

        /** What the GPUs have in its place. */
        String instead(CudaDevice gpu);

        @Override
        default String lack(Machine machine) {
            if (machine.gpus().isEmpty()) {
                return noGpu(machine);
            }
            return machine.gpus().stream().anyMatch(this::has) ? "" : machine.gpus().stream()
                    .map(g -> "gpu " + g.ordinal() + " " + instead(g)).collect(Collectors.joining(", "));
        }
    }

    /** A GPU that runs kernels for a target: {@code sm_90}. */
    record Architecture(Target target) implements OfGpu {
        @Override
        public boolean has(CudaDevice gpu) {
            return Target.parse(gpu.target()).supports(target);
        }

        @Override
        public String instead(CudaDevice gpu) {
            return "is " + gpu.target();
        }

        @Override
        public String toString() {
            return target.toString();
        }
    }

    /** A GPU with at least n bytes of memory: {@code memory=40GiB}. */
    record Memory(long bytes, String text) implements OfGpu {
        @Override
        public boolean has(CudaDevice gpu) {
            return gpu.memory() >= bytes;
        }

        @Override
        public String instead(CudaDevice gpu) {
            return "has " + ByteSize.of(gpu.memory());
        }

        @Override
        public String toString() {
            return "memory=" + text;
        }
    }

    /** A driver that starts, of this CUDA or a newer one: {@code driver=12.4}. */
    record Driver(NvrtcVersion least, String text) implements Need {
        @Override
        public String lack(Machine machine) {
            if (!machine.libcuda().loaded()) {
                return machine.libcuda().why();
            }
            if (!machine.libcuda().isStarted()) {
                return "the driver does not start: " + machine.libcuda().startError();
            }
            return NvrtcVersion.parse(machine.libcuda().version()).compareTo(least) >= 0 ? ""
                    : "the driver's CUDA is " + machine.libcuda().version();
        }

        @Override
        public String toString() {
            return text;
        }
    }

    /** An NVRTC that compiles, of this version or a newer one: {@code nvrtc=12.8}. */
    record Compiler(NvrtcVersion least, String text) implements Need {
        @Override
        public String lack(Machine machine) {
            if (!machine.nvrtc().isReady()) {
                return machine.nvrtc().problem().isEmpty() ? "none is here yet" : machine.nvrtc().problem();
            }
            return NvrtcVersion.parse(machine.nvrtc().version()).compareTo(least) >= 0 ? ""
                    : "NVRTC is " + machine.nvrtc().version() + " (" + machine.nvrtc().file() + ")";
        }

        @Override
        public String toString() {
            return text;
        }
    }

    /** A Java of this version or a newer one: {@code jdk=25}. */
    record Jdk(int least) implements Need {
        @Override
        public String lack(Machine machine) {
            return machine.java().feature() >= least ? "" : "this Java is " + machine.java().version();
        }

        @Override
        public String toString() {
            return "jdk=" + least;
        }
    }

    /** A cache that keeps kernels: {@code cache}. */
    record Cache() implements Need {
        @Override
        public String lack(Machine machine) {
            return machine.cache().problem();
        }

        @Override
        public String toString() {
            return "cache";
        }
    }

    /** The compiler driver of a toolkit: {@code nvcc}. */
    record Nvcc() implements Need {
        @Override
        public String lack(Machine machine) {
            return machine.nvcc().isEmpty() ? "it is neither below CUDA_HOME nor on the PATH" : "";
        }

        @Override
        public String toString() {
            return "nvcc";
        }
    }

    /** Why there is no GPU at all. */
    static String noGpu(Machine machine) {
        String why = !machine.libcuda().loaded() ? machine.libcuda().why() : machine.libcuda().isStarted()
                ? "the driver shows none" : "the driver does not start: " + machine.libcuda().startError();
        return "there is no GPU: " + why + machine.hiding().map(h -> " (" + h + ")").orElse("");
    }
}
