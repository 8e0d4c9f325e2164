package dev.tilewright.doctor.machine;

import dev.tilewright.gpu.cuda.LibCuda;
import dev.tilewright.gpu.device.CudaError;
import dev.tilewright.gpu.device.Devices;
import dev.tilewright.gpu.host.LoaderPath;
import dev.tilewright.gpu.host.Programs;
import dev.tilewright.gpu.nvml.LibNvml;
import dev.tilewright.io.host.HostEnvironment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A machine as it was found: facts without a verdict, so that what is made of them can be tried for machines that are
 * not at hand.
 *
 * @param settings environment variables and system properties that are set and matter, by name
 * @param java the Java that this process runs in
 * @param container whether this is one
 * @param kernelModule what the operating system's kernel knows
 * @param deviceNodes the files that lead to it
 * @param libcuda the driver's library
 * @param gpus the devices that CUDA sees, by ordinal
 * @param management what the driver's management library tells
 * @param mps whether the multi-process service runs here
 * @param nvrtc the compiler
 * @param libraries where a fetched compiler is kept
 * @param cache where compiled kernels are kept
 * @param nvcc the toolkit's compiler driver; empty if there is none
 */
public record HostFacts(Map<String, String> settings, JavaFacts java, Container container, DriverModule kernelModule,
        List<DeviceNode> deviceNodes, Libcuda libcuda, List<CudaDevice> gpus, Management management, boolean mps,
        NvrtcFacts nvrtc, LibraryFolderFacts libraries, CacheFacts cache, String nvcc) {

    /** The variable that says which devices CUDA shows to a process. */
    public static final String VISIBLE_DEVICES = "CUDA_VISIBLE_DEVICES";
    private static final String PIPES = "CUDA_MPS_PIPE_DIRECTORY";

    public HostFacts {
        deviceNodes = List.copyOf(deviceNodes);
        gpus = List.copyOf(gpus);
    }

    /** Looks at this machine: starts the driver, loads NVRTC, and fetches nothing. */
    public static HostFacts look(HostEnvironment environment) {
        // First, as what comes after it calls native code.
        JavaFacts java = JavaFacts.look();
        CudaFiles files = new CudaFiles(environment);
        LibCuda.Presence presence = LibCuda.presence();
        String file = Optional.of(files.loaded("libcuda.so")).filter(f -> !f.isEmpty())
                .orElseGet(() -> new LoaderPath(environment).find("libcuda.so.1").map(Path::toString).orElse(""));
        Libcuda libcuda = Libcuda.look(presence, LibCuda.get(), presence.present() ? file : "", files.stubs(),
                error -> CudaError.of(error).toString());
        List<CudaDevice> gpus = libcuda.isStarted() ? Devices.probe().list().stream()
                .map(d -> CudaDevice.look(d, LibCuda.get())).toList() : List.of();
        return new HostFacts(Settings.look(environment), java, Container.look(environment),
                DriverModule.look(environment), DeviceNode.look(environment), libcuda, gpus,
                Management.look(LibNvml.opening()), mps(environment), NvrtcFacts.look(environment),
                LibraryFolderFacts.look(environment), CacheFacts.look(environment),
                Programs.nvcc(environment).map(Path::toString).orElse(""));
    }

    /** The service's clients and servers meet at a pipe. */
    private static boolean mps(HostEnvironment environment) {
        Path pipes = environment.variable(PIPES).map(Path::of).orElse(environment.system("tmp/nvidia-mps"));
        return Files.exists(pipes.resolve("control"));
    }

    /** How many GPUs there are by any count, whether CUDA shows them or not. */
    public int gpusInstalled() {
        return Math.max(Math.max(management.gpus().size(), gpus.size()),
                Math.max(kernelModule.gpus(), kernelModule.pciGpus()));
    }

    /** What hides all GPUs from CUDA, as {@code NAME='value'}; empty if nothing does. */
    public Optional<String> hiding() {
        String value = settings.get(VISIBLE_DEVICES);
        return value != null && gpus.isEmpty() ? Optional.of(VISIBLE_DEVICES + "='" + value + "'") : Optional.empty();
    }
}
