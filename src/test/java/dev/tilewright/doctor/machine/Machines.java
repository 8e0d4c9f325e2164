package dev.tilewright.doctor.machine;

import dev.tilewright.doctor.machine.JavaFacts.NativeAccess;
import dev.tilewright.ptx.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** Machines that are not at hand: begins with a healthy one with an H100, of which a test changes what it is about. */
public final class Machines {
    public static final String UUID = "01020304-0506-0708-090a-0b0c0d0e0f10";
    public static final String LIBCUDA = "/usr/lib/x86_64-linux-gnu/libcuda.so.580.95.05";
    private static final long MEMORY = 80L << 30;
    private static final long LIMIT = 256L << 20;

    public final Map<String, String> settings = new TreeMap<>();
    public String javaVersion = "25.0.3";
    public NativeAccess nativeAccess = NativeAccess.ENABLED;
    public Container container = new Container(false, "");
    public DriverModule kernelModule = new DriverModule(true, "580.95.05", 1, 1, false);
    public List<DeviceNode> nodes = List.of(node("nvidiactl"), node("nvidia-uvm"), node("nvidia0"));
    public Libcuda libcuda = started(LIBCUDA, "13.0");
    public List<CudaDevice> gpus = List.of(gpu(0, 9, 0, MEMORY));
    public List<ManagedGpu> managed = List.of(managed(ComputeMode.DEFAULT, "on", "on", "off", List.of()));
    public boolean mps;
    public NvrtcFacts nvrtc = nvrtc("13.0");
    public LibraryFolderFacts libraries = new LibraryFolderFacts("/home/user/.cache/tilewright", false);
    public CacheFacts cache = new CacheFacts("/home/user/.cache/tilewright/kernels", "", 3, 4096, LIMIT, 1L << 40);
    public String nvcc = "/usr/local/cuda/bin/nvcc";

    public HostFacts build() {
        return new HostFacts(settings, new JavaFacts(javaVersion, 25, "Vendor", "/opt/jdk", nativeAccess,
                "--enable-native-access=ALL-UNNAMED"), container, kernelModule, nodes, libcuda, gpus,
                new Management(!managed.isEmpty(), "", managed.isEmpty() ? "" : "580.95.05", managed), mps, nvrtc,
                libraries, cache, nvcc);
    }

    /** A machine without anything of NVIDIA's. */
    public static Machines bare() {
        Machines m = new Machines();
        m.kernelModule = new DriverModule(false, "", 0, 0, false);
        m.nodes = m.nodes.stream().map(n -> new DeviceNode(n.path(), false, false)).toList();
        m.withoutLibcuda("no NVIDIA driver (libcuda.so.1) on this machine");
        m.managed = List.of();
        m.nvcc = "";
        return m;
    }

    public Machines withoutLibcuda(String why) {
        libcuda = new Libcuda(false, why, "", List.of(), "", 0, "");
        gpus = List.of();
        return this;
    }

    /** A driver whose cuInit fails. */
    public Machines failing(int result, String error) {
        libcuda = new Libcuda(true, "", LIBCUDA, List.of(), "13.0", result, error + " (" + result + ")");
        gpus = List.of();
        return this;
    }

    public Machines withGpus(int... capabilities) {
        gpus = IntStream.range(0, capabilities.length)
                .mapToObj(i -> gpu(i, capabilities[i] / 10, capabilities[i] % 10, MEMORY)).toList();
        return this;
    }

    public static Libcuda started(String file, String version) {
        return new Libcuda(true, "", file, List.of(), version, 0, "");
    }

    public static DeviceNode node(String name) {
        return new DeviceNode("/dev/" + name, true, true);
    }

    public static CudaDevice gpu(int ordinal, int major, int minor, long memory) {
        return gpu(ordinal, major, minor, memory, ComputeMode.DEFAULT);
    }

    public static CudaDevice gpu(int ordinal, int major, int minor, long memory, ComputeMode mode) {
        return new CudaDevice(ordinal, "NVIDIA Test", major, minor,
                Target.ofDevice(major, minor).toString(), memory, 132, 232_448, mode, UUID);
    }

    public static ManagedGpu managed(ComputeMode mode, String persistence, String ecc, String mig,
            List<ManagedGpu.MigInstance> instances) {
        return new ManagedGpu(0, "NVIDIA Test", "GPU-" + UUID, MEMORY, MEMORY, mode, persistence, ecc, mig, instances);
    }

    public static NvrtcFacts nvrtc(String version) {
        String file = "/usr/local/cuda/lib64/libnvrtc.so";
        return new NvrtcFacts(file, "usual toolkit folder", version, List.of("sm_80", "sm_86", "sm_90", "sm_90a"), "",
                false, List.of(new NvrtcFacts.Copy(file, "usual toolkit folder", version)), List.of(), List.of());
    }

    /** An NVRTC with other copies beside it, and some passed over. */
    public static NvrtcFacts nvrtc(String version, List<NvrtcFacts.Copy> others, List<String> unusable) {
        NvrtcFacts alone = nvrtc(version);
        List<NvrtcFacts.Copy> copies = new ArrayList<>(alone.copies());
        copies.addAll(others);
        return new NvrtcFacts(alone.file(), alone.rule(), version, alone.targets(), "", false, copies, unusable,
                unusable);
    }
}
