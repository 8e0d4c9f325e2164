package dev.tilewright.doctor.machine;

import dev.tilewright.gpu.EncoderChoice;
import dev.tilewright.io.host.HostEnvironment;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The environment variables and properties that decide about GPUs and compilers, as far as they are set, by name. */
final class Settings {
    private static final List<String> VARIABLES = List.of("CUDA_DEVICE_ORDER", "CUDA_HOME",
            "CUDA_LAUNCH_BLOCKING", "CUDA_MPS_PIPE_DIRECTORY", "CUDA_PATH", "CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH",
            "NVIDIA_DRIVER_CAPABILITIES", "NVIDIA_VISIBLE_DEVICES", "TILEWRIGHT_CACHE", "TILEWRIGHT_NVRTC",
            "TILEWRIGHT_NVRTC_EMBEDDED", "TILEWRIGHT_NVRTC_PROCESS", "XDG_CACHE_HOME");
    private static final List<String> PROPERTIES = List.of(EncoderChoice.PROPERTY, "tilewright.cache",
            "tilewright.nvrtc", "tilewright.nvrtc.embedded", "tilewright.nvrtc.process");

    private Settings() { }

    /** An empty value is a value here: an empty CUDA_VISIBLE_DEVICES hides every GPU. */
    static Map<String, String> look(HostEnvironment environment) {
        Map<String, String> all = new TreeMap<>();
        for (String name : VARIABLES) {
            Optional.ofNullable(environment.variables().apply(name)).ifPresent(value -> all.put(name, value));
        }
        for (String name : PROPERTIES) {
            Optional.ofNullable(environment.properties().apply(name)).ifPresent(value -> all.put(name, value));
        }
        return all;
    }
}
