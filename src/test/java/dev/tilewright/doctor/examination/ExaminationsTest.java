package dev.tilewright.doctor.examination;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.doctor.machine.CacheFacts;
import dev.tilewright.doctor.machine.ComputeMode;
import dev.tilewright.doctor.machine.Container;
import dev.tilewright.doctor.machine.DeviceNode;
import dev.tilewright.doctor.machine.DriverModule;
import dev.tilewright.doctor.machine.JavaFacts.NativeAccess;
import dev.tilewright.doctor.machine.Libcuda;
import dev.tilewright.doctor.machine.LibraryFolderFacts;
import dev.tilewright.doctor.machine.Machines;
import dev.tilewright.doctor.machine.ManagedGpu.MigInstance;
import dev.tilewright.doctor.machine.NvrtcFacts;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is said of machines that have one fault each: every line that a healthy machine does not have. */
class ExaminationsTest {
    private static final Container DOCKER = new Container(true, "/.dockerenv");
    private static final List<DeviceNode> NO_NODES = List.of(new DeviceNode("/dev/nvidiactl", false, false),
            new DeviceNode("/dev/nvidia-uvm", false, false), new DeviceNode("/dev/nvidia0", false, false));

    private final Machines machine = new Machines();

    private List<String> lines() {
        return Examinations.of(machine.build()).stream().map(Notice::toString).toList();
    }

    /** What differs from a healthy machine. */
    private void assertNews(String... expected) {
        List<Notice> healthy = Examinations.of(new Machines().build());
        List<Notice> news = Examinations.of(machine.build()).stream().filter(f -> !healthy.contains(f)).toList();
        assertEquals(String.join("\n", expected), String.join("\n", news.stream().map(Notice::toString).toList()));
    }

    @Test
    void aHealthyMachine() {
        assertEquals("""
                jdk       ok     25.0.3 (Vendor), /opt/jdk
                driver    ok     libcuda.so.1, CUDA 13.0, driver 580.95.05
                gpu 0     ok     NVIDIA Test, compute capability 9.0, 80 GiB, 132 multiprocessors, 227 KiB of shared \
                memory per block
                encoder   ok     tensor maps are encoded by pure Java for gpu 0 (the default)
                nvrtc     ok     13.0, /usr/local/cuda/lib64/libnvrtc.so (usual toolkit folder)
                targets   ok     sm_80 sm_86 sm_90 sm_90a
                nvcc      ok     /usr/local/cuda/bin/nvcc
                cache     ok     /home/user/.cache/tilewright/kernels: 3 kernels, 4.0 KiB of at most 256 MiB
                """, String.join("\n", lines()) + "\n");
    }

    @Test
    void nothingOfNvidia() {
        List<Notice> findings = Examinations.of(Machines.bare().build());
        assertEquals(List.of("driver lack", "gpu lack", "nvcc note"), findings.stream()
                .filter(f -> f.verdict() != Grade.OK).map(f -> f.subject() + " " + f.verdict()).toList());
    }

    @Test
    void aLackHasARemedy() {
        assertThrows(IllegalArgumentException.class, () -> Notice.lack("gpu", "none", ""));
        assertThrows(IllegalArgumentException.class, () -> Notice.broken("gpu", "dead", ""));
    }

    @Test
    void aJavaWithAKnownFault() {
        for (String old : List.of("25", "25.0.2", "25.0.2+10-LTS")) {
            machine.javaVersion = old;
            assertNews("jdk       note   " + old + " (Vendor), /opt/jdk: before 25.0.3 arrays are not safe that a JNI "
                    + "library such as JCuda holds (JDK-8377811) -> update this JDK to 25.0.3 or later");
        }
        for (String mended : List.of("25.0.3+9-LTS", "25.0.10", "26-ea", "26")) {
            machine.javaVersion = mended;
            assertEquals("jdk       ok     " + mended + " (Vendor), /opt/jdk", lines().getFirst());
        }
    }

    @Test
    void nativeAccess() {
        machine.nativeAccess = NativeAccess.WARNED;
        assertNews("native    note   no flag allows this Java to call native code: it warns, and a later Java will "
                + "refuse"
                + " -> add --enable-native-access=ALL-UNNAMED to the java command");
        machine.nativeAccess = NativeAccess.DENIED;
        assertNews("native    broken this Java may not call native code: no driver is reached, and NVRTC in a process "
                + "of its own alone"
                + " -> add --enable-native-access=ALL-UNNAMED to the java command");
    }

    /** Each number of cuda.h has its own remedy. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"2 | out of memory", "102 | licence", "304 | device rules",
            "800 | device rules",
        "802 | nvidia-fabricmanager", "803 | of different versions", "804 | cuda-compat",
        "805 | nvidia-cuda-mps-control", "810 | nvidia-cuda-mps-control", "999 | modprobe nvidia-uvm",
        "811 | see 'nvidia-smi' and 'dmesg'"})
    void aDriverThatDoesNotStart(int result, String remedy) {
        machine.failing(result, "CUDA_ERROR");
        Notice finding = Examinations.of(machine.build()).stream().filter(f -> f.subject().equals("cuInit"))
                .findFirst().orElseThrow();
        assertEquals("it fails: CUDA_ERROR (" + result + ")", finding.fact());
        assertEquals(Grade.BROKEN, finding.verdict());
        assertTrue(finding.remedy().contains(remedy), finding::remedy);
    }

    @Test
    void noDeviceHasSeveralCauses() {
        machine.failing(100, "CUDA_ERROR_NO_DEVICE");
        assertNews("cuInit    broken it fails: CUDA_ERROR_NO_DEVICE (100) -> 'nvidia-smi' shows GPUs, and CUDA none: "
                + "see the lines"
                + " 'mig', and 'mode' for one that is prohibited",
                "gpu       lack   the driver shows none -> 'run' uses the reference executor instead",
                "encoder   ok     tensor maps are encoded by pure Java for sm_90 (the default)");
        machine.managed = List.of();
        assertTrue(lines().toString().contains("'nvidia-smi -L' should name a GPU; if it does not, see 'dmesg'"),
                lines()::toString);
        machine.nodes = NO_NODES;
        assertTrue(lines().toString().contains("the line 'nodes' says what keeps the driver from its devices"),
                lines()::toString);
        machine.settings.put("CUDA_VISIBLE_DEVICES", "");
        assertTrue(lines().toString().contains("-> unset CUDA_VISIBLE_DEVICES, or name a GPU"), lines()::toString);
    }

    @Test
    void stubs() {
        machine.withoutLibcuda("no NVIDIA driver (libcuda.so.1) on this machine");
        machine.kernelModule = new DriverModule(false, "", 0, 0, false);
        machine.libcuda = new Libcuda(false, machine.libcuda.why(), "",
                List.of("/usr/local/cuda/lib64/stubs/libcuda.so"), "", 0, "");
        assertTrue(lines().get(1).equals("driver    lack   no NVIDIA driver (libcuda.so.1) on this machine;"
                + " /usr/local/cuda/lib64/stubs/libcuda.so is a stub to link with, no driver -> install the NVIDIA "
                + "driver to run on a"
                + " GPU; everything else works without"), lines()::toString);
        String loaded = "driver    broken /opt/stubs/libcuda.so is a stub to link with, no driver -> "
                + "/opt/stubs/libcuda.so must not be"
                + " found first: take its folder out of LD_LIBRARY_PATH and /etc/ld.so.conf.d";
        machine.libcuda = new Libcuda(true, "", "/opt/stubs/libcuda.so", List.of(), "", 34, "CUresult 34");
        assertEquals(loaded, lines().get(1));
        machine.libcuda = new Libcuda(true, "", "/opt/stubs/libcuda.so", List.of(), "13.0", 0, "");
        assertEquals(loaded, lines().get(1));
        machine.libcuda = new Libcuda(true, "", "/opt/elsewhere/libcuda.so.1", List.of(), "", 34, "CUresult 34");
        assertTrue(lines().get(1).startsWith("driver    broken /opt/elsewhere/libcuda.so.1 is a stub"),
                lines()::toString);
        assertTrue(lines().stream().noneMatch(l -> l.startsWith("cuInit")), lines()::toString);
    }

    @Test
    void theModuleWithoutTheLibrary() {
        machine.withoutLibcuda("no NVIDIA driver (libcuda.so.1) on this machine");
        assertTrue(lines().get(1)
                .startsWith("driver    broken the kernel module 580.95.05 is loaded, but no NVIDIA driver"
                + " (libcuda.so.1) on this machine -> install the driver's libraries of that version"),
                lines()::toString);
        machine.container = DOCKER;
        assertTrue(lines().get(1).contains("NVIDIA_DRIVER_CAPABILITIES=compute,utility"), lines()::toString);
        machine.withoutLibcuda("the NVIDIA driver's library does not load: libcuda.so.1: wrong ELF class: ELFCLASS32");
        assertTrue(lines().get(1)
                .startsWith("driver    broken the NVIDIA driver's library does not load: libcuda.so.1: wrong ELF class:"
                + " ELFCLASS32 -> reinstall the driver's libraries"), lines()::toString);
    }

    @Test
    void theLibraryOfAnotherVersionThanTheModule() {
        machine.kernelModule = new DriverModule(true, "580.65.06", 1, 1, false);
        assertNews("module    note   libcuda is of driver 580.95.05, the kernel module of 580.65.06 -> restart the "
                + "machine to load"
                + " the newer module");
        machine.failing(803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH");
        assertTrue(lines().stream().anyMatch(l -> l.startsWith("module    broken ")), lines()::toString);
        machine.libcuda = Machines.started("/usr/local/cuda/compat/libcuda.so.580.95.05", "13.0");
        assertTrue(lines().stream().noneMatch(l -> l.startsWith("module")), lines()::toString);
        assertTrue(lines().get(1)
                .startsWith("driver    note   libcuda.so.1, CUDA 13.0, driver 580.95.05, from the compatibility"
                + " package: /usr/local/cuda/compat/"), lines()::toString);
    }

    @Test
    void deviceNodes() {
        machine.failing(100, "CUDA_ERROR_NO_DEVICE");
        machine.nodes = NO_NODES;
        String absent = "nodes     broken /dev/nvidiactl, /dev/nvidia-uvm, /dev/nvidia0 not there -> ";
        assertTrue(lines().contains(absent + "make them: 'nvidia-modprobe -u -c=0', or run 'nvidia-smi' once as root"),
                lines()::toString);
        machine.kernelModule = new DriverModule(false, "", 0, 1, false);
        assertTrue(lines().toString().contains(absent + "load the kernel module: 'modprobe nvidia nvidia-uvm'"),
                lines()::toString);
        machine.container = DOCKER;
        assertTrue(lines()
                .contains(absent + "start the container with '--gpus all' (NVIDIA Container Toolkit); in Kubernetes "
                + "ask for"
                + " nvidia.com/gpu"), lines()::toString);
        machine.nodes = List.of(Machines.node("nvidiactl"), Machines.node("nvidia-uvm"),
                new DeviceNode("/dev/nvidia0", true, false));
        assertTrue(lines()
                .contains("nodes     broken /dev/nvidia0 may not be opened by this user -> start the container with"
                + " '--gpus all', so that its device rules allow them"), lines()::toString);
        machine.container = new Container(false, "");
        assertTrue(lines().toString().contains("(usermod -aG)"), lines()::toString);
        machine.kernelModule = new DriverModule(false, "", 0, 0, true);
        assertTrue(lines().stream().noneMatch(l -> l.startsWith("nodes")), lines()::toString);
    }

    @Test
    void containers() {
        machine.container = DOCKER;
        assertNews("container ok     this is one (/.dockerenv)");
        machine.failing(100, "CUDA_ERROR_NO_DEVICE");
        assertTrue(lines().contains("container ok     this is one (/.dockerenv)"), lines()::toString);
        machine.withoutLibcuda("no NVIDIA driver (libcuda.so.1) on this machine");
        machine.managed = List.of();
        machine.settings.put("NVIDIA_VISIBLE_DEVICES", "void");
        assertTrue(lines()
                .contains("container lack   this is one (/.dockerenv), and NVIDIA_VISIBLE_DEVICES='void' gives it no "
                + "GPU ->"
                + " start it with '--gpus all', or -e NVIDIA_VISIBLE_DEVICES=all where the NVIDIA runtime is the "
                + "default"), lines()::toString);
        machine.settings.put("NVIDIA_VISIBLE_DEVICES", "all");
        machine.settings.put("NVIDIA_DRIVER_CAPABILITIES", "utility");
        assertTrue(lines()
                .contains("container lack   this is one (/.dockerenv), and NVIDIA_DRIVER_CAPABILITIES='utility' leaves "
                + "libcuda"
                + " out -> set it to compute,utility"), lines()::toString);
        machine.settings.put("NVIDIA_DRIVER_CAPABILITIES", "utility,compute");
        assertTrue(lines().stream()
                .anyMatch(l -> l.startsWith("container note   this is one (/.dockerenv), without a GPU")),
                lines()::toString);
    }

    @Test
    void visibleDevices() {
        machine.settings.put("CUDA_VISIBLE_DEVICES", "9");
        machine.failing(100, "CUDA_ERROR_NO_DEVICE");
        assertTrue(lines()
                .contains("visible   broken CUDA_VISIBLE_DEVICES='9' hides every GPU of 1 -> unset it, or name a GPU "
                + "that"
                + " 'nvidia-smi -L' lists: a number below 1, or a UUID"), lines()::toString);
        machine.libcuda = Machines.started(Machines.LIBCUDA, "13.0");
        machine.withGpus(90);
        machine.settings.put("CUDA_VISIBLE_DEVICES", "0,9");
        assertNews("visible   note   CUDA_VISIBLE_DEVICES='0,9' lists 2, and CUDA shows 1: what follows an entry that "
                + "names no GPU is not"
                + " read -> correct it");
        machine.settings.put("CUDA_VISIBLE_DEVICES", "0");
        assertNews();
        machine.kernelModule = new DriverModule(true, "580.95.05", 4, 4, false);
        assertNews("visible   note   CUDA_VISIBLE_DEVICES='0' shows 1 of 4 GPUs");
    }

    @Test
    void whatGpusAreCapableOf() {
        machine.withGpus(86);
        assertTrue(lines().get(2).startsWith("gpu 0     note ") && lines().get(2)
                .endsWith("-> presets on the tensor memory accelerator"
                + " need 9.0"), lines()::toString);
        machine.withGpus(75);
        assertTrue(lines().get(2).startsWith("gpu 0     lack ") && lines().get(2)
                .endsWith("-> presets need compute capability 8.0 or"
                + " later"), lines()::toString);
    }

    @Test
    void computeModes() {
        machine.gpus = List.of(Machines.gpu(0, 9, 0, 80L << 30, ComputeMode.EXCLUSIVE_PROCESS));
        assertNews("mode 0    note   compute mode Exclusive_Process: one process at a time; a second gets "
                + "CUDA_ERROR_DEVICE_UNAVAILABLE"
                + " (46) -> 'nvidia-smi -i GPU-" + Machines.UUID + " -c DEFAULT', as root, lets all in");
        machine.gpus = List.of(Machines.gpu(0, 9, 0, 80L << 30, ComputeMode.PROHIBITED));
        assertNews("mode 0    broken compute mode Prohibited: no process may use it -> 'nvidia-smi -i GPU-"
                + Machines.UUID
                + " -c DEFAULT', as root, lets all in");
        machine.failing(100, "CUDA_ERROR_NO_DEVICE");
        machine.managed = List.of(Machines.managed(ComputeMode.PROHIBITED, "on", "on", "off", List.of()));
        assertTrue(lines().stream().anyMatch(l -> l.startsWith("mode 0    broken compute mode Prohibited")),
                lines()::toString);
    }

    @Test
    void mig() {
        MigInstance mine = new MigInstance("Test MIG 1g.10gb", "MIG-" + Machines.UUID, 10L << 30);
        MigInstance other = new MigInstance("Test MIG 2g.20gb", "MIG-ffffffff-0000-0000-0000-000000000000", 20L << 30);
        machine.managed = List.of(Machines.managed(ComputeMode.DEFAULT, "on", "on", "on", List.of(mine, other)));
        String divided = "NVIDIA Test is divided into 2: Test MIG 1g.10gb MIG-" + Machines.UUID;
        String remedy = ", Test MIG 2g.20gb MIG-ffffffff-0000-0000-0000-000000000000 -> a process sees one instance: "
                + "the first, or"
                + " CUDA_VISIBLE_DEVICES=MIG-ffffffff-0000-0000-0000-000000000000";
        assertNews("mig 0     note   " + divided + " (this process's)" + remedy);
        machine.failing(100, "CUDA_ERROR_NO_DEVICE");
        assertTrue(lines().contains("mig 0     broken " + divided + remedy), lines()::toString);
        machine.managed = List.of(Machines.managed(ComputeMode.DEFAULT, "on", "on", "on", List.of()));
        assertTrue(lines().stream()
                .anyMatch(l -> l.startsWith("mig 0     broken NVIDIA Test is in MIG mode and has no instance that"
                + " could be used -> ") && l.endsWith("'nvidia-smi -i 0 -mig 0')")), lines()::toString);
    }

    @Test
    void upkeep() {
        machine.managed = List.of(Machines.managed(ComputeMode.DEFAULT, "off", "off", "n/a", List.of()));
        machine.mps = true;
        assertNews("keep 0    note   persistence mode is off: the first process after a pause waits for the GPU to "
                + "start -> 'nvidia-smi -i"
                + " 0 -pm 1', as root",
                "ecc 0     note   ECC is off: errors of its memory are not noticed -> 'nvidia-smi -i 0 -e 1', as root, "
                + "from the next"
                + " start on",
                "mps       note   the multi-process service runs: a fault of one of its processes may end the others");
    }

    @Test
    void theVersionsOfNvrtcAndDriver() {
        machine.nvrtc = Machines.nvrtc("13.3");
        assertEquals("versions  note   NVRTC is of CUDA 13.3, the driver of 13.0: cubins for the exact target load, "
                + "and only these are compiled here; PTX of this NVRTC does not -> update the driver before you hand "
                + "it PTX of this NVRTC",
                line("versions"));
        machine.libcuda = Machines.started(Machines.LIBCUDA, "12.8");
        assertEquals("versions  broken NVRTC is of CUDA 13.3, the driver of 12.8: it need not load cubins of a newer "
                + "major version ->"
                + " update the driver, or name an NVRTC 12.x: TILEWRIGHT_NVRTC=embedded takes one that the driver "
                + "loads", line("versions"));
        machine.nvrtc = Machines.nvrtc("12.8");
        assertTrue(lines().stream().noneMatch(l -> l.startsWith("versions")), lines()::toString);
        machine.libcuda = Machines.started(Machines.LIBCUDA, "13.0");
        assertTrue(lines().stream().noneMatch(l -> l.startsWith("versions")), lines()::toString);
        machine.withGpus(100);
        assertTrue(lines()
                .contains("gpu 0     broken NVRTC 12.8 does not compile for its sm_100a -> install a newer CUDA "
                + "toolkit, or set"
                + " TILEWRIGHT_NVRTC=embedded"), lines()::toString);
    }

    private String line(String subject) {
        return lines().stream().filter(l -> l.startsWith(subject)).findFirst().orElseThrow();
    }

    @Test
    void severalNvrtcs() {
        machine.nvrtc =
                Machines.nvrtc("13.0",
                List.of(new NvrtcFacts.Copy("/usr/lib/libnvrtc.so.12", "dynamic loader", "12.6")),
                List.of("CUDA_HOME: /opt/c/lib64/libnvrtc.so: libnvrtc-builtins.so is not beside it"));
        assertNews("nvrtcs    note   several versions are here: 13.0 /usr/local/cuda/lib64/libnvrtc.so (usual toolkit "
                + "folder), 12.6"
                + " /usr/lib/libnvrtc.so.12 (dynamic loader); 13.0 is taken, the first in this order that can be used "
                + "->"
                + " TILEWRIGHT_NVRTC chooses another",
                "nvrtcs    note   passed over: CUDA_HOME: /opt/c/lib64/libnvrtc.so: libnvrtc-builtins.so is not beside "
                + "it -> reinstall"
                + " it: the two files belong together");
        machine.nvrtc = Machines.nvrtc("13.0", List.of(new NvrtcFacts.Copy("/opt/same.so", "CUDA_PATH", "13.0")),
                List.of());
        assertNews();
    }

    @Test
    void nvrtcThatDoesNotWork() {
        NvrtcFacts none = new NvrtcFacts("", "", "", List.of(), "", false, List.of(), List.of("a", "b"), List.of());
        machine.nvrtc = none;
        assertTrue(line("nvrtc")
                .startsWith("nvrtc     lack   none in 2 places that were looked at (--debug lists them) -> "),
                line("nvrtc"));
        machine.libraries = new LibraryFolderFacts("/home/user/.cache/tilewright", true);
        assertTrue(line("nvrtc")
                .startsWith("nvrtc     broken none is installed, and the one that the first compilation would fetch "
                + "could"
                + " not be loaded from /home/user/.cache/tilewright, which is mounted noexec -> set XDG_CACHE_HOME"),
                line("nvrtc"));
        machine.nvrtc = new NvrtcFacts("", "", "", List.of(), "TILEWRIGHT_NVRTC is set to /nope", true, List.of(),
                List.of(), List.of());
        assertEquals("nvrtc     broken TILEWRIGHT_NVRTC is set to /nope -> correct the setting, or unset it to have "
                + "one found or fetched", line("nvrtc"));
        machine.nvrtc = new NvrtcFacts("/home/user/.cache/tilewright/nvrtc/13.3/libnvrtc.so.13", "embedded copy",
                "13.3", List.of(), "failed to map segment", false, List.of(), List.of(), List.of());
        assertTrue(line("nvrtc")
                .endsWith(": failed to map segment -> its file system is mounted noexec: set XDG_CACHE_HOME to a "
                + "folder on"
                + " another"), line("nvrtc"));
        machine.libraries = new LibraryFolderFacts("/home/user/.cache/tilewright", false);
        assertTrue(line("nvrtc")
                .endsWith("-> set TILEWRIGHT_NVRTC to another, or to 'embedded' for the copy from Maven Central"),
                line("nvrtc"));
    }

    @Test
    void theCache() {
        machine.cache = new CacheFacts("/c", "/c cannot be written (no space left on device)", 0, 0, 1 << 28, 0);
        assertNews("cache     broken /c cannot be written (no space left on device): every run compiles its kernel "
                + "anew -> set"
                + " TILEWRIGHT_CACHE to a folder of yours, on a disk with room");
        machine.cache = new CacheFacts("/c", "", 0, 0, 1 << 28, 1 << 20);
        assertNews("cache     note   /c: 0 kernels, 0 bytes of at most 256 MiB, and 1.0 MiB free on its disk -> make "
                + "room, or set"
                + " TILEWRIGHT_CACHE to a folder of yours on another disk");
        machine.cache = new CacheFacts("/c", "", 0, 0, 1 << 28, -1);
        assertNews("cache     ok     /c: 0 kernels, 0 bytes of at most 256 MiB");
    }
}
