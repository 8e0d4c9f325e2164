package dev.tilewright.oracle;

import dev.tilewright.program.Argument;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Step;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A small kernel that was drawn.
 *
 * @param what what it is made of
 */
record Sample(String what, int threads, int cluster, int blocks, List<SharedRegion> regions, List<Step> body) {
    static final Parameter.Pointer SOURCE = new Parameter.Pointer("source", false);
    static final Parameter.Pointer RESULT = new Parameter.Pointer("result", true);
    static final Parameter.Pointer FLAGS = new Parameter.Pointer("flags", true);
    private static final String EDITED = " | ";
    static final int SOURCE_BYTES = 1024;
    static final int RESULT_BYTES = 2048;
    static final int FLAG_BYTES = 256;

    /** This sample after an edit, which may have broken it. */
    Sample with(String edit, List<Step> other) {
        return new Sample(what + EDITED + edit, threads, cluster, blocks, regions, other);
    }

    boolean isEdited() {
        return what.contains(EDITED);
    }

    /** @throws IllegalArgumentException if it is no program */
    Launch launch() {
        Map<Parameter, Argument> arguments = new LinkedHashMap<>(Map.of(SOURCE, new Argument.Buffer(0), RESULT,
                new Argument.Buffer(1), FLAGS, new Argument.Buffer(2)));
        TensorPart.arguments(body).forEach(arguments::put);
        List<Parameter> parameters = new ArrayList<>(List.of(SOURCE, RESULT, FLAGS));
        arguments.keySet().stream().filter(p -> !parameters.contains(p)).forEach(parameters::add);
        TileProgram program = new TileProgram("drawn", "a small kernel", threads, cluster, parameters,
                new SharedLayout(regions), body);
        return Launch.of(program, blocks, arguments);
    }

    /** What the buffers hold at first: in the source each word is another, the rest is zeros. */
    static List<byte[]> memory() {
        byte[] source = new byte[SOURCE_BYTES];
        for (int i = 0; i < SOURCE_BYTES / 4; i++) {
            source[4 * i] = (byte) i;
            source[4 * i + 1] = (byte) (i + 1);
            source[4 * i + 2] = 77;
        }
        return List.of(source, new byte[RESULT_BYTES], new byte[FLAG_BYTES]);
    }
}
