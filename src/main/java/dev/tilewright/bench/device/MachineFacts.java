package dev.tilewright.bench.device;

import dev.tilewright.MissingRequirementException;
import dev.tilewright.Progress;
import dev.tilewright.bench.result.Clocks;
import dev.tilewright.bench.result.Machine;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.compile.Nvrtc;
import dev.tilewright.gpu.device.CudaException;
import dev.tilewright.gpu.device.Devices;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/** What can be found out about the machine that is measured on. What is not known stays empty or 0. */
public final class MachineFacts {
    // CUdevice_attribute, cuda.h.
    private static final int PCI_BUS = 33;
    private static final int PCI_DEVICE = 34;
    private static final int PCI_DOMAIN = 50;
    private static final int MEMORY_CLOCK_KILOHERTZ = 36;
    private static final int MEMORY_BUS_BITS = 37;
    private static final int L2_BYTES = 38;
    /** Memory moves data at both edges of its clock. */
    private static final int EDGES = 2;

    /** The places of GPUs that were asked about, by name and driver. */
    private static final Map<String, String> BUS = new ConcurrentHashMap<>();

    private MachineFacts() { }

    /** Of the host alone. */
    public static Machine ofHost() {
        Properties build = build();
        return new Machine("", "", 0, 0, 0, 0, "", "", "", Clocks.UNKNOWN, Clocks.UNKNOWN, processor(),
                Runtime.getRuntime().availableProcessors(),
                System.getProperty("os.name") + " " + System.getProperty("os.version"),
                System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version"),
                build.getProperty("git.build.version", ""), build.getProperty("git.commit.id.abbrev", ""));
    }

    /** Of a GPU and its host. */
    public static Machine of(Gpu gpu) {
        Machine host = ofHost();
        double rated = (double) attribute(gpu, MEMORY_CLOCK_KILOHERTZ) * EDGES * attribute(gpu, MEMORY_BUS_BITS) / 8
                / 1e6;
        String bus = String.format(Locale.ROOT, "%08x:%02x:%02x.0", attribute(gpu, PCI_DOMAIN), attribute(gpu, PCI_BUS),
                attribute(gpu, PCI_DEVICE));
        BUS.put(gpu.name(), bus);
        return new Machine(gpu.name(), gpu.target().toString(), gpu.info().multiprocessors(), gpu.info().totalMemory(),
                rated, attribute(gpu, L2_BYTES), Nvml.driverVersion(), Devices.probe().driverVersion(), nvrtc(),
                Nvml.clocks(bus), Clocks.UNKNOWN, host.processor(), host.cores(), host.system(), host.java(),
                host.version(), host.revision());
    }

    /** What the GPU of a machine runs at now. */
    public static Clocks clocks(Machine machine) {
        String bus = BUS.get(machine.gpu());
        return bus == null ? Clocks.UNKNOWN : Nvml.clocks(bus);
    }

    /** What compiles here; kernels may be in the cache from earlier. */
    private static String nvrtc() {
        try {
            return Nvrtc.find(Progress.NONE).version();
        } catch (MissingRequirementException e) {
            return "";
        }
    }

    private static int attribute(Gpu gpu, int attribute) {
        try {
            return gpu.attribute(attribute);
        } catch (CudaException e) {
            return 0;
        }
    }

    private static String processor() {
        try (Stream<String> lines = Files.lines(Path.of("/proc/cpuinfo"))) {
            return lines.filter(line -> line.startsWith("model name")).findFirst()
                    .map(line -> line.substring(line.indexOf(':') + 1).strip()).orElse(System.getProperty("os.arch"));
        } catch (IOException | RuntimeException e) {
            return System.getProperty("os.arch");
        }
    }

    /** What the build wrote down of itself; empty where classes were not built by Maven in a clone. */
    private static Properties build() {
        Properties properties = new Properties();
        try (InputStream in = MachineFacts.class.getResourceAsStream("/META-INF/tilewright/git.properties")) {
            if (in != null) {
                properties.load(in);
            }
        } catch (IOException e) {
            return new Properties();
        }
        return properties;
    }
}
