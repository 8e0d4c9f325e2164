package dev.tilewright.recording.mechanism;

import dev.tilewright.program.Argument;
import dev.tilewright.program.Dim3;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Parameter;
import dev.tilewright.program.TileProgram;
import dev.tilewright.reference.Reference;
import dev.tilewright.reference.ReferenceOptions;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * One run of a tile program on known bytes.
 *
 * @param launch of the program
 * @param buffers what the launch's buffers hold before, by their numbers
 */
public record Experiment(Launch launch, List<Content> buffers) {

    /**
     * What a buffer holds.
     *
     * @param bytes before the launch; they are not changed
     * @param shown whether what it holds afterwards is a part of the outcome; else it is only read
     */
    public record Content(byte[] bytes, boolean shown) {
        public Content {
            Objects.requireNonNull(bytes, "bytes");
        }

        /** Memory that is read. */
        static Content of(byte[] bytes) {
            return new Content(bytes, false);
        }

        /** Memory that is written, and holds known bytes before. */
        static Content fresh(int bytes) {
            byte[] poison = new byte[bytes];
            java.util.Arrays.fill(poison, Steps.POISON);
            return new Content(poison, true);
        }
    }

    public Experiment {
        Objects.requireNonNull(launch, "launch");
        Objects.requireNonNull(buffers, "buffers");
        buffers = List.copyOf(buffers);
    }

    /** A run of some blocks without clusters, or in clusters of the program's own size. */
    static Experiment of(TileProgram program, int blocks, Map<Parameter, Argument> arguments, Content... buffers) {
        return new Experiment(Launch.of(program, blocks, arguments), List.of(buffers));
    }

    /** One cluster, of a program that leaves its size open. */
    static Experiment ofCluster(TileProgram program, int blocks, Map<Parameter, Argument> arguments,
            Content... buffers) {
        return new Experiment(Launch.of(program, blocks, arguments).inClustersOf(Dim3.of(blocks)), List.of(buffers));
    }

    /** What the shown buffers hold afterwards by the reference executor, one behind the other. */
    public byte[] onReference() {
        List<MemorySegment> memory = new ArrayList<>();
        for (Content content : buffers) {
            memory.add(content.shown() ? MemorySegment.ofArray(content.bytes().clone())
                    : MemorySegment.ofArray(content.bytes()).asReadOnly());
        }
        Reference.run(launch, memory, ReferenceOptions.DEFAULT.sequential());
        ByteArrayOutputStream shown = new ByteArrayOutputStream();
        for (int i = 0; i < buffers.size(); i++) {
            if (buffers.get(i).shown()) {
                shown.writeBytes(memory.get(i).toArray(java.lang.foreign.ValueLayout.JAVA_BYTE));
            }
        }
        return shown.toByteArray();
    }
}
