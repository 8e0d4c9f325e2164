package dev.tilewright.recording;

import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.device.DeviceInfo;
import dev.tilewright.gpu.device.Devices;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a recording is made on.
 *
 * @param name what the device calls itself
 * @param computeCapability such as {@code 9.0}; empty for the reference executor
 * @param driver version of the NVIDIA driver; empty where it is not known
 * @param cuda the newest CUDA that the driver knows; empty where there is no driver
 */
public record DeviceDescription(String name, String computeCapability, String driver, String cuda) {
    /** Where Linux tells which driver is loaded: its version alone, and in a sentence. */
    private static final Path MODULE = Path.of("/sys/module/nvidia/version");
    private static final Path SENTENCE = Path.of("/proc/driver/nvidia/version");
    private static final Pattern VERSION = Pattern.compile("\\b\\d{3}\\.\\d+(\\.\\d+)?\\b");

    /** What a recording says of the GPU that it is made on. */
    public static DeviceDescription of(Gpu gpu) {
        if (gpu.isEmulated()) {
            return new DeviceDescription("the reference executor", "", "", "");
        }
        DeviceInfo info = gpu.info();
        String module = version(MODULE);
        return new DeviceDescription(info.name(), info.major() + "." + info.minor(),
                module.isEmpty() ? version(SENTENCE) : module, Devices.probe().driverVersion());
    }

    private static String version(Path file) {
        try {
            Matcher found = VERSION.matcher(Files.readString(file));
            return found.find() ? found.group() : "";
        } catch (IOException e) {
            // Containers may hide it: then the driver's version is not known.
            return "";
        }
    }
}
