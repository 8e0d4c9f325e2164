package dev.tilewright.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.Progress;
import dev.tilewright.gpu.cache.KernelCache;
import dev.tilewright.gpu.compile.Compilers;
import dev.tilewright.gpu.compile.KernelCompiler;
import dev.tilewright.gpu.compile.Nvrtc;
import dev.tilewright.gpu.trace.Trace;
import dev.tilewright.program.ComputingKernels;
import dev.tilewright.ptx.Target;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** What a recording of JDK Flight Recorder holds, and what watching costs while nobody does. */
@Isolated("recordings are of the whole process")
class ObservationTest {

    private static Map<String, List<RecordedEvent>> recorded(Path file, Runnable work) throws IOException {
        try (Recording recording = new Recording()) {
            for (String name : List.of("Launch", "Copy", "GraphLaunch", "Allocate", "Compile", "CacheLookup")) {
                recording.enable("dev.tilewright." + name).withoutThreshold();
            }
            recording.start();
            work.run();
            recording.stop();
            recording.dump(file);
        }
        assertFalse(Trace.launches() || Trace.copies() || Trace.graphs() || Trace.allocations());
        return RecordingFile.readAllEvents(file).stream()
                .filter(e -> e.getEventType().getName().startsWith("dev.tilewright."))
                .collect(Collectors.groupingBy(e -> e.getEventType().getName().substring("dev.tilewright.".length())));
    }

    @Test
    void launchesCopiesGraphsAndAllocationsAreRecorded(@TempDir Path folder) throws IOException {
        EmulatedGpus gpus = new EmulatedGpus();
        // What ran before the recording changes nothing.
        work(gpus);
        Map<String, List<RecordedEvent>> events = recorded(folder.resolve("a.jfr"), () -> work(gpus));
        List<RecordedEvent> launches = events.get("Launch");
        assertEquals(2, launches.size());
        RecordedEvent launch = launches.getFirst();
        assertEquals("axpy", launch.getString("kernel"));
        assertEquals("2", launch.getString("grid"));
        assertEquals("32", launch.getString("block"));
        assertEquals("stream 1", launch.getString("stream"));
        assertEquals(0, launch.getInt("gpu"));
        assertEquals(List.of(false, true), launches.stream().map(e -> e.getBoolean("captured")).toList());
        assertEquals(List.of("Tilewright", "GPU"), launch.getEventType().getCategoryNames());
        assertEquals("Kernel Launch", launch.getEventType().getLabel());
        Map<String, List<RecordedEvent>> copies = events.get("Copy").stream()
                .collect(Collectors.groupingBy(e -> e.getString("direction")));
        assertEquals(List.of(1024L), copies.get("fill").stream().map(e -> e.getLong("bytes")).toList());
        assertEquals(List.of(1024L), copies.get("device to device").stream().map(e -> e.getLong("bytes")).toList());
        assertEquals(List.of(1024L, 1024L), copies.get("host to device").stream().map(e -> e.getLong("bytes"))
                .toList());
        assertEquals(List.of(true), copies.get("device to host").stream().map(e -> e.getBoolean("asynchronous"))
                .toList());
        assertEquals(1, events.get("GraphLaunch").size());
        assertEquals(2, events.get("GraphLaunch").getFirst().getInt("nodes"));
        assertEquals(List.of("device memory", "device memory", "pinned host memory", "stream-ordered device memory"),
                events.get("Allocate").stream().map(e -> e.getString("kind")).sorted().toList());
        assertTrue(events.get("Allocate").stream().allMatch(e -> e.getLong("bytes") == 1024));
    }

    private static void work(EmulatedGpus gpus) {
        try (Gpu gpu = gpus.open(); Stream stream = gpu.stream(); Kernel kernel = gpu.load(ComputingKernels.axpy());
                Buffer<float[]> x = gpu.floats(256); Buffer<float[]> y = gpu.floats(256);
                PinnedMemory pinned = gpu.pinned(1024); Buffer<float[]> z = stream.allocate(ArrayType.FLOATS, 256)) {
            KernelLaunch launch = kernel.prepare().grid(2).set("x", x).set("y", y).set("a", 1.0).on(stream);
            stream.upload(pinned.segment(), x);
            x.upload(new float[256]);
            stream.fill(y, (byte) 0);
            launch.start();
            stream.download(y, pinned.segment());
            try (Graph graph = stream.capture(s -> {
                launch.start();
                s.copy(x, z);
            })) {
                graph.start();
                stream.synchronize();
            }
        }
    }

    @Test
    void lookingIntoTheCacheIsRecorded(@TempDir Path folder) throws IOException {
        Path kernels = Files.createDirectory(folder.resolve("kernels"));
        KernelCache cache = new KernelCache(kernels, 1 << 20, _ -> { });
        byte[] cubin = new byte[100];
        String key = "ab".repeat(32);
        Map<String, List<RecordedEvent>> events = recorded(folder.resolve("a.jfr"), () -> {
            cache.cubin(key, () -> cubin);
            cache.cubin(key, () -> cubin);
        });
        List<RecordedEvent> looks = events.get("CacheLookup");
        assertEquals(List.of(false, true), looks.stream().map(e -> e.getBoolean("hit")).toList());
        assertEquals(List.of(0L, 100L), looks.stream().map(e -> e.getLong("bytes")).toList());
        assertEquals(key, looks.getFirst().getString("key"));
    }

    @Test
    void compilationsAreRecorded(@TempDir Path folder) throws IOException {
        Nvrtc nvrtc = Nvrtc.find(Progress.NONE);
        Assumptions.assumeTrue(Compilers.isThere(nvrtc), "no NVRTC");
        Path kernels = Files.createDirectory(folder.resolve("kernels"));
        KernelCompiler compiler = Compilers.of(nvrtc, new KernelCache(kernels, 1 << 20, _ -> { }));
        String source = "extern \"C\" __global__ void watched(int *x) { *x = 1; }";
        int[] bytes = new int[1];
        Map<String, List<RecordedEvent>> events = recorded(folder.resolve("a.jfr"),
                () -> bytes[0] = compiler.cubin(source, "watched", Target.SM_90, List.of()).length);
        RecordedEvent compile = events.get("Compile").getFirst();
        assertEquals("watched", compile.getString("kernel"));
        assertEquals("sm_90", compile.getString("target"));
        assertEquals(source.length(), compile.getLong("sourceCharacters"));
        assertEquals(bytes[0], compile.getLong("cubinBytes"));
        assertEquals(List.of(false), events.get("CacheLookup").stream().map(e -> e.getBoolean("hit")).toList());
    }

    @Test
    void launchesCopiesAndGraphsAllocateNothingOfTheirOwnWhileNobodyWatches() {
        QuietDriver driver = new QuietDriver(EmulatedGpus.MODEL);
        try (Gpu gpu = new EmulatedGpus(driver).open(); Stream stream = gpu.stream();
                Kernel kernel = gpu.load(ComputingKernels.axpy()); Buffer<float[]> x = gpu.floats(256)) {
            KernelLaunch launch = kernel.prepare().grid(2).set("x", x).set("y", x).set("a", 1.0).on(stream);
            try (Graph graph = stream.capture(_ -> launch.start())) {
                driver.quiet(true);
                assertEquals(0, allocatedBy(launch::start));
                assertEquals(0, allocatedBy(graph::start));
                KernelLaunch inDefault = launch.copy().on(gpu.defaultStream());
                assertEquals(0, allocatedBy(inDefault::start));
                assertEquals(0, allocatedBy(() -> graph.update(launch)));
                driver.quiet(false);
            }
        }
    }

    /** Bytes that this thread allocates for one call, rounded down, after some to warm up. */
    private static long allocatedBy(Runnable call) {
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        int times = 10_000;
        for (int i = 0; i < times; i++) {
            call.run();
        }
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < times; i++) {
            call.run();
        }
        return (threads.getCurrentThreadAllocatedBytes() - before) / times;
    }
}
