package dev.tilewright.recording.mechanism;

import dev.tilewright.program.Argument;
import dev.tilewright.program.Dim3;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.reference.Reference;
import dev.tilewright.reference.ReferenceOptions;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

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
     * @param use what it is for
     */
    public record Content(byte[] bytes, Use use) {
        /** Whether it is only read; written, and a part of the outcome; or written, and of no account. */
        enum Use { READ, SHOWN, SCRATCH }

        boolean shown() {
            return use == Use.SHOWN;
        }

        /** Memory that is read. */
        static Content of(byte[] bytes) {
            return new Content(bytes, Use.READ);
        }

        /** Memory that is written, and a part of the outcome. */
        static Content shown(byte[] bytes) {
            return new Content(bytes, Use.SHOWN);
        }

        /** Memory that a kernel works in: it may hold addresses, which differ from device to device. */
        static Content scratch(int bytes) {
            return new Content(new byte[bytes], Use.SCRATCH);
        }

        /** Memory that is written, a part of the outcome, and known where nothing is written. */
        static Content fresh(int bytes) {
            byte[] poison = new byte[bytes];
            Arrays.fill(poison, Steps.POISON);
            return shown(poison);
        }
    }

    public Experiment {
        buffers = List.copyOf(buffers);
    }

    /** A run of some blocks without clusters, or in clusters of the program's own size. */
    static Experiment of(TileProgram program, int blocks, Map<Parameter, Argument> arguments, Content... buffers) {
        return new Experiment(Launch.of(program, blocks, arguments), List.of(buffers));
    }

    /** A run of a program that takes what it reads, and what it writes, and nothing else. */
    static Experiment of(TileProgram program, int blocks, Content in, Content out) {
        return of(program, blocks, Map.of(Steps.IN, new Argument.Buffer(0), Steps.OUT, new Argument.Buffer(1)), in,
                out);
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
            memory.add(content.use() == Content.Use.READ ? MemorySegment.ofArray(content.bytes()).asReadOnly()
                    : MemorySegment.ofArray(content.bytes().clone()));
        }
        Reference.run(launch, memory, ReferenceOptions.DEFAULT.sequential());
        ByteArrayOutputStream shown = new ByteArrayOutputStream();
        for (int i = 0; i < buffers.size(); i++) {
            if (buffers.get(i).shown()) {
                shown.writeBytes(memory.get(i).toArray(ValueLayout.JAVA_BYTE));
            }
        }
        return shown.toByteArray();
    }
}
