package dev.tilewright.doctor.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.gpu.cuda.LibCuda.Presence;
import dev.tilewright.gpu.device.DeviceInfo;
import dev.tilewright.gpu.emulation.EmulatedCuda;
import dev.tilewright.gpu.emulation.state.DeviceModel;
import dev.tilewright.gpu.emulation.state.ExecutionOrder;
import dev.tilewright.gpu.host.FakeMachine;
import dev.tilewright.gpu.host.Programs;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is seen of machines made of temporary folders, and of drivers that answer what they are told to. */
class LookingTest {
    @TempDir
    Path root;

    private FakeMachine machine;

    @BeforeEach
    void machine() {
        machine = new FakeMachine(root);
        machine.variables.put("TILEWRIGHT_MAVEN_REPOSITORY", root.resolve("no-mirror").toString());
    }

    private void file(String name, String text) {
        machine.file(name, text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void containers() {
        assertEquals(new Container(false, ""), Container.look(machine.environment()));
        file("proc/1/cgroup", "0::/init.scope\n");
        assertEquals(new Container(false, ""), Container.look(machine.environment()));
        file("proc/1/cgroup", "11:devices:/kubepods/besteffort/pod1\n");
        assertEquals(new Container(true, "/proc/1/cgroup names kubepods"), Container.look(machine.environment()));
        machine.variables.put("KUBERNETES_SERVICE_HOST", "10.0.0.1");
        assertEquals(new Container(true, "KUBERNETES_SERVICE_HOST"), Container.look(machine.environment()));
        file("run/.containerenv", "");
        assertEquals(new Container(true, "/run/.containerenv"), Container.look(machine.environment()));
        file(".dockerenv", "");
        assertEquals(new Container(true, "/.dockerenv"), Container.look(machine.environment()));
    }

    @Test
    void theKernelModule() throws IOException {
        assertEquals(new DriverModule(false, "", 0, 0, false), DriverModule.look(machine.environment()));
        file("proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.183.01  Sun May 12 "
                + "19:39:15 UTC 2024\n"
                + "GCC version:  gcc version 11.4.0\n");
        Files.createDirectories(root.resolve("proc/driver/nvidia/gpus/0000:1b:00.0"));
        file("sys/bus/pci/devices/0000:1b:00.0/vendor", "0x10de\n");
        file("sys/bus/pci/devices/0000:1b:00.0/class", "0x030200\n");
        file("sys/bus/pci/devices/0000:1c:00.0/vendor", "0x10de\n");
        file("sys/bus/pci/devices/0000:1c:00.0/class", "0x068000\n");
        file("sys/bus/pci/devices/0000:00:02.0/vendor", "0x8086\n");
        file("sys/bus/pci/devices/0000:00:02.0/class", "0x030000\n");
        assertEquals(new DriverModule(true, "535.183.01", 1, 1, false), DriverModule.look(machine.environment()));
        file("proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  "
                + "Release Build  (root@x)\n");
        file("dev/dxg", "");
        assertEquals(new DriverModule(true, "580.95.05", 1, 1, true), DriverModule.look(machine.environment()));
    }

    @Test
    void deviceNodes() throws IOException {
        assertEquals(List.of(new DeviceNode("/dev/nvidiactl", false, false),
                new DeviceNode("/dev/nvidia-uvm", false, false), new DeviceNode("/dev/nvidia0", false, false)),
                DeviceNode.look(machine.environment()));
        file("dev/nvidiactl", "");
        file("dev/nvidia3", "");
        file("dev/nvidia-uvm-tools", "");
        // What is there and cannot be opened, for any user.
        Files.createDirectories(root.resolve("dev/nvidia-uvm"));
        assertEquals(List.of(new DeviceNode("/dev/nvidiactl", true, true),
                new DeviceNode("/dev/nvidia-uvm", true, false), new DeviceNode("/dev/nvidia3", true, true)),
                DeviceNode.look(machine.environment()));
    }

    @Test
    void filesOfAToolkit() throws IOException {
        CudaFiles files = new CudaFiles(machine.environment());
        assertEquals(List.of(), files.stubs());
        assertTrue(Programs.nvcc(machine.environment()).isEmpty());
        assertEquals("", files.loaded("libcuda.so"));
        Path stub = machine.elf("usr/local/cuda-13.0/targets/x86_64-linux/lib/stubs/libcuda.so", 62);
        Files.createSymbolicLink(root.resolve("usr/local/cuda"), Path.of("cuda-13.0"));
        assertEquals(List.of(stub.toRealPath().toString()), files.stubs());
        Path nvcc = machine.elf("opt/toolkit/bin/nvcc", 62);
        machine.variables.put("CUDA_HOME", root.resolve("opt/toolkit").toString());
        assertTrue(Programs.nvcc(machine.environment()).isEmpty());
        assertTrue(nvcc.toFile().setExecutable(true));
        assertEquals(nvcc, Programs.nvcc(machine.environment()).orElseThrow());
        file("proc/self/maps", "7f00-7f01 r--p 00000000 08:01 12 /usr/lib/libc.so.6\n"
                + "7f02-7f03 r-xp 00000000 08:01 13     /usr/lib/x86_64-linux-gnu/libcuda.so.580.95.05\n");
        assertEquals("/usr/lib/x86_64-linux-gnu/libcuda.so.580.95.05", files.loaded("libcuda.so"));
    }

    @Test
    void fileSystemsWithoutExecution() {
        machine.variables.put("XDG_CACHE_HOME", "/home/a user/cache");
        assertEquals(new LibraryFolderFacts("/home/a user/cache/tilewright", false),
                LibraryFolderFacts.look(machine.environment()));
        file("proc/self/mounts", "/dev/a / ext4 rw,noexec 0 0\n/dev/b /home/a\\040user ext4 rw,relatime 0 0\n");
        assertEquals(new LibraryFolderFacts("/home/a user/cache/tilewright", false),
                LibraryFolderFacts.look(machine.environment()));
        file("proc/self/mounts", "/dev/b /home/a\\040user ext4 rw,nosuid,noexec 0 0\n/dev/a / ext4 rw 0 0\n/dev/c "
                + "/home/a ext4 rw 0 0\n");
        assertEquals(new LibraryFolderFacts("/home/a user/cache/tilewright", true),
                LibraryFolderFacts.look(machine.environment()));
    }

    @Test
    void settings() {
        machine.variables.putAll(Map.of("CUDA_VISIBLE_DEVICES", "", "SECRET", "x", "CUDA_HOME", "/opt/cuda"));
        machine.properties.put("tilewright.encoder", "both");
        assertEquals(Map.of("CUDA_VISIBLE_DEVICES", "", "CUDA_HOME", "/opt/cuda", "tilewright.encoder", "both"),
                Settings.look(machine.environment()));
    }

    @Test
    void nvrtcThatCannotBeUsed() {
        Path bare = machine.elf("usr/local/cuda/lib64/libnvrtc.so.12", 62);
        NvrtcFacts facts = NvrtcFacts.look(machine.environment());
        assertEquals(List.of(new NvrtcFacts.Copy(bare.toString(), "usual toolkit folder", "12.0")), facts.copies());
        assertEquals("", facts.file());
        assertEquals(
                List.of("usual toolkit folder: " + bare + ": libnvrtc-builtins.so is not beside it, without which it "
                + "compiles"
                + " nothing"), facts.unusable());
        machine.variables.put("TILEWRIGHT_NVRTC", root.resolve("none").toString());
        NvrtcFacts set = NvrtcFacts.look(machine.environment());
        assertTrue(set.explicit() && set.problem().contains("there is no such file"), set::toString);
        machine.variables.put("TILEWRIGHT_NVRTC_EMBEDDED", "7");
        assertEquals("TILEWRIGHT_NVRTC_EMBEDDED is '7', and the embedded NVRTC is one of 12.9, 13.3",
                NvrtcFacts.look(machine.environment()).problem());
    }

    @Test
    void caches() throws IOException {
        machine.variables.put("TILEWRIGHT_CACHE", "some/folder");
        assertEquals("TILEWRIGHT_CACHE is 'some/folder', and a cache's folder must be named by an absolute path",
                CacheFacts.look(machine.environment()).problem());
        Path folder = Files.createDirectories(root.resolve("own"));
        machine.variables.put("TILEWRIGHT_CACHE", folder.toString());
        CacheFacts facts = CacheFacts.look(machine.environment());
        assertEquals(new CacheFacts(folder.resolve("tilewright/kernels").toString(), "", 0, 0, 256 << 20, facts.free()),
                facts);
        assertTrue(facts.free() > 0, facts::toString);
        try (var left = Files.list(folder.resolve("tilewright/kernels"))) {
            assertEquals(0, left.count());
        }
        file("own2", "a file where the folder should be");
        machine.variables.put("TILEWRIGHT_CACHE", root.resolve("own2").toString());
        String problem = CacheFacts.look(machine.environment()).problem();
        assertTrue(problem.startsWith(root.resolve("own2/tilewright/kernels") + " cannot be "), problem);
    }

    /** A driver of one Hopper GPU, but for what cuInit answers. */
    private static EmulatedCuda driver(int start) {
        return new EmulatedCuda(ExecutionOrder.LAZY, DeviceModel.hopper(1L << 30)) {
            @Override
            public int cuInit(int flags) {
                return start == 0 ? super.cuInit(flags) : start;
            }
        };
    }

    private static Libcuda libcuda(int start) {
        return Libcuda.look(new Presence(true, ""), driver(start), "/l/libcuda.so.1", List.of(),
                error -> "error " + error);
    }

    @Test
    void drivers() {
        assertEquals(new Libcuda(true, "", "/l/libcuda.so.1", List.of(), "13.0", 0, ""), libcuda(0));
        assertTrue(libcuda(0).isStarted() && !libcuda(0).isStub());
        assertEquals(new Libcuda(true, "", "/l/libcuda.so.1", List.of(), "13.0", 803, "error 803"), libcuda(803));
        assertTrue(libcuda(34).isStub() && !libcuda(34).isStarted());
        assertEquals(new Libcuda(false, "none", "", List.of("/s"), "", 0, ""),
                Libcuda.look(new Presence(false, "none"), driver(0), "/x", List.of("/s"), error -> "error " + error));
    }

    @Test
    void devices() {
        EmulatedCuda driver = driver(0);
        driver.cuInit(0);
        DeviceInfo info = new DeviceInfo(0, "Emulated", 9, 0, 1L << 30, 132, 232_448);
        CudaDevice device = CudaDevice.look(info, driver);
        assertEquals(new CudaDevice(0, "Emulated", 9, 0, "sm_90a",
                1L << 30, 132, 232_448, ComputeMode.DEFAULT, device.uuid()), device);
        assertTrue(device.uuid().matches("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"), device.uuid());
        assertEquals(List.of("Default", "Exclusive_Thread", "Prohibited", "Exclusive_Process", "Unknown", "Unknown"),
                List.of(0, 1, 2, 3, 4, -1).stream().map(n -> ComputeMode.of(n).toString()).toList());
    }
}
