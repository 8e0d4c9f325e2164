package dev.tilewright.recording.mechanism;

import dev.tilewright.gpu.Buffer;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.Kernel;
import dev.tilewright.program.TileProgram;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Runs experiments on a GPU: kernels are loaded once, and memory that is only read is brought there once. */
public final class Experiments implements AutoCloseable {
    /** What is brought there once: smaller arrays are of one experiment. */
    private static final int LASTING = 1 << 18;

    private final Gpu gpu;
    private final Map<Key, Kernel> kernels = new ConcurrentHashMap<>();
    private final Map<byte[], Buffer<byte[]>> lasting = new IdentityHashMap<>();

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

    /** Uses a GPU, which stays open. */
    public Experiments(Gpu gpu) {
        this.gpu = gpu;
    }

    /** Loads an experiment's kernel, on any thread. */
    public void prepare(Experiment experiment) {
        kernel(experiment.launch().program());
    }

    private Kernel kernel(TileProgram program) {
        return kernels.computeIfAbsent(new Key(program), key -> gpu.load(key.program()));
    }

    /** What the shown buffers hold afterwards, one behind the other. */
    public byte[] run(Experiment experiment) {
        List<Buffer<byte[]>> passing = new ArrayList<>();
        try {
            List<Buffer<byte[]>> buffers = new ArrayList<>();
            for (Experiment.Content content : experiment.buffers()) {
                boolean lasts = content.use() == Experiment.Content.Use.READ && content.bytes().length >= LASTING;
                Buffer<byte[]> buffer = lasts ? lasting.computeIfAbsent(content.bytes(), gpu::upload)
                        : gpu.upload(content.bytes());
                buffers.add(buffer);
                if (!lasts) {
                    passing.add(buffer);
                }
            }
            kernel(experiment.launch().program()).prepare().allowLargerTensors()
                    .fill(experiment.launch(), buffers.toArray(Buffer<?>[]::new)).start();
            ByteArrayOutputStream shown = new ByteArrayOutputStream();
            for (int i = 0; i < buffers.size(); i++) {
                if (experiment.buffers().get(i).shown()) {
                    shown.writeBytes(buffers.get(i).download());
                }
            }
            return shown.toByteArray();
        } finally {
            passing.forEach(Buffer::close);
        }
    }

    @Override
    public void close() {
        lasting.values().forEach(Buffer::close);
        kernels.values().forEach(Kernel::close);
    }
}
