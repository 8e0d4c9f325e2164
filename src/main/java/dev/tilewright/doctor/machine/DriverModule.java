package dev.tilewright.doctor.machine;

import dev.tilewright.io.host.HostEnvironment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What the operating system's kernel knows of NVIDIA GPUs, from /proc and /sys.
 *
 * @param loaded whether the driver's kernel module is loaded
 * @param version the module's version, such as {@code 580.95.05}; empty if unknown
 * @param gpus how many GPUs the module drives
 * @param pciGpus how many NVIDIA GPUs are on the PCI bus, driven or not
 * @param wsl whether this is Linux within Windows, which has /dev/dxg in place of the module
 */
public record DriverModule(boolean loaded, String version, int gpus, int pciGpus, boolean wsl) {
    /** {@code NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.95.05  Tue Sep 23 ...}. */
    private static final Pattern VERSION = Pattern.compile("\\s(\\d{3,4}(?:\\.\\d+)+)\\s");
    private static final String NVIDIA = "0x10de";
    /** PCI's class of display controllers: VGA is 0x0300, 3D is 0x0302. */
    private static final String DISPLAY = "0x03";

    static DriverModule look(HostEnvironment environment) {
        String version = read(environment.system("proc/driver/nvidia/version"));
        Matcher m = VERSION.matcher(version);
        return new DriverModule(!version.isEmpty(), m.find() ? m.group(1) : "",
                list(environment.system("proc/driver/nvidia/gpus")).size(),
                (int) list(environment.system("sys/bus/pci/devices")).stream().filter(DriverModule::isGpu).count(),
                Files.exists(environment.system("dev/dxg")));
    }

    private static boolean isGpu(Path device) {
        return read(device.resolve("vendor")).strip().equals(NVIDIA) && read(device.resolve("class"))
                .startsWith(DISPLAY);
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return "";
        }
    }

    private static List<Path> list(Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            return files.toList();
        } catch (IOException e) {
            return List.of();
        }
    }
}
