package dev.tilewright.recording.mechanism;

import dev.tilewright.gpu.DeviceBuffer;
import dev.tilewright.gpu.Driver;
import dev.tilewright.gpu.LoadedKernel;
import dev.tilewright.program.TileProgram;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Runs experiments on a device: kernels are loaded once, and memory that is only read is brought there once. */
public final class Bench implements AutoCloseable {
    /** What is brought there once: smaller arrays are of one experiment. */
    private static final int LASTING = 1 << 18;
    private static final int ALIGNMENT = 256;

    private final Driver driver;
    private final Map<Key, LoadedKernel> kernels = new ConcurrentHashMap<>();
    private final Map<byte[], DeviceBuffer> lasting = new IdentityHashMap<>();

    /** A program by identity: mechanisms make each once. */
    private record Key(TileProgram program) {
        @Override
        public boolean equals(Object other) {
            return other instanceof Key key && key.program == program;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(program);
        }
    }

    /** Uses a driver, which stays open. */
    public Bench(Driver driver) {
        this.driver = driver;
    }

    /** Loads an experiment's kernel, on any thread. */
    public void prepare(Experiment experiment) {
        kernel(experiment.launch().program());
    }

    private LoadedKernel kernel(TileProgram program) {
        return kernels.computeIfAbsent(new Key(program), key -> driver.load(key.program()));
    }

    /** What the shown buffers hold afterwards, one behind the other. */
    public byte[] run(Experiment experiment) {
        List<DeviceBuffer> passing = new ArrayList<>();
        try (Arena arena = Arena.ofShared()) {
            List<DeviceBuffer> buffers = new ArrayList<>();
            for (Experiment.Content content : experiment.buffers()) {
                boolean lasts = content.use() == Experiment.Content.Use.READ && content.bytes().length >= LASTING;
                DeviceBuffer buffer = lasts ? lasting.computeIfAbsent(content.bytes(), b -> uploaded(arena, b))
                        : uploaded(arena, content.bytes());
                buffers.add(buffer);
                if (!lasts) {
                    passing.add(buffer);
                }
            }
            driver.launch(kernel(experiment.launch().program()), experiment.launch(), buffers);
            ByteArrayOutputStream shown = new ByteArrayOutputStream();
            for (int i = 0; i < buffers.size(); i++) {
                if (experiment.buffers().get(i).shown()) {
                    MemorySegment host = arena.allocate(buffers.get(i).bytes(), ALIGNMENT);
                    driver.download(buffers.get(i), host);
                    shown.writeBytes(host.toArray(ValueLayout.JAVA_BYTE));
                }
            }
            return shown.toByteArray();
        } finally {
            passing.forEach(DeviceBuffer::close);
        }
    }

    private DeviceBuffer uploaded(Arena arena, byte[] bytes) {
        DeviceBuffer buffer = driver.allocate(bytes.length);
        driver.upload(arena.allocate(bytes.length, ALIGNMENT).copyFrom(MemorySegment.ofArray(bytes)), buffer);
        return buffer;
    }

    @Override
    public void close() {
        lasting.values().forEach(DeviceBuffer::close);
        kernels.values().forEach(LoadedKernel::close);
    }
}
