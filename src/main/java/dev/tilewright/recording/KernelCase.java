package dev.tilewright.recording;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tilewright.BadRequestException;
import dev.tilewright.emit.CudaEmitter;
import dev.tilewright.json.JsonFields;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.commons.codec.digest.DigestUtils;

/**
 * A row of kind {@code kernel}: what a launch of a project's own kernel left in its buffers. The kernel is not in it,
 * only its hash, so that the project's tests replay it, and see that it has changed.
 *
 * @param name of the case, its own within the recording
 * @param kernel its name
 * @param program hash of the emitted source, comments left out: {@link #hash(TileProgram)}
 * @param launch hash of grid, cluster and arguments: {@link #hash(Launch)}
 * @param inputs what each buffer held before, in words
 * @param outputs what each held afterwards
 */
public record KernelCase(String name, String kernel, String program, String launch, List<String> inputs,
        List<Output> outputs) {
    /** The {@code kind} of the row. */
    public static final String KIND = "kernel";

    private static final Set<String> FIELDS = Set.of("kind", "name", "kernel", "program", "launch", "inputs",
            "outputs");
    private static final Set<String> OUTPUT_FIELDS = Set.of("length", "fnv", "bytes");

    /** What a buffer held afterwards. @param bytes all of them, where they were asked for */
    public record Output(long length, String fnv, Optional<byte[]> bytes) {

        /** @param kept whether the bytes themselves are kept */
        public static Output of(byte[] bytes, boolean kept) {
            return new Output(bytes.length, Fnv.text(bytes), kept ? Optional.of(bytes) : Optional.empty());
        }
    }

    public KernelCase {
        inputs = List.copyOf(inputs);
        outputs = List.copyOf(outputs);
    }

    /** The hash of what a program does: of its CUDA source, without the lines that only tell of it. */
    public static String hash(TileProgram program) {
        return DigestUtils.sha256Hex(CudaEmitter.emit(program).text().lines()
                .filter(line -> !line.strip().startsWith("//")).collect(Collectors.joining("\n")));
    }

    /** The hash of how a program is started. */
    public static String hash(Launch launch) {
        return DigestUtils.sha256Hex(launch.grid() + " " + launch.cluster() + " " + launch.arguments());
    }

    /** Adds the row to a recording. */
    public void write(RecordingWriter writer) {
        writer.row(row());
    }

    private ObjectNode row() {
        ObjectNode row = JsonNodeFactory.instance.objectNode().put("kind", KIND).put("name", name).put("kernel", kernel)
                .put("program", program).put("launch", launch);
        inputs.forEach(row.putArray("inputs")::add);
        ArrayNode list = row.putArray("outputs");
        for (Output output : outputs) {
            ObjectNode one = list.addObject().put("length", output.length()).put("fnv", output.fnv());
            output.bytes().ifPresent(bytes -> one.put("bytes", HexFormat.of().formatHex(bytes)));
        }
        return row;
    }

    /**
     * What a row says.
     *
     * @throws BadRequestException if a field is missing, is not known or is not what it has to be
     */
    public static KernelCase of(JsonFields row) {
        row.requireOnly(FIELDS, "a row of kind kernel");
        List<Output> outputs = new ArrayList<>();
        row.require("outputs").forEach(node -> {
            if (!(node instanceof ObjectNode object)) {
                throw JsonFields.wrong("outputs", "a list of objects", node);
            }
            outputs.add(output(new JsonFields(object)));
        });
        return new KernelCase(row.text("name"), row.text("kernel"), row.text("program"), row.text("launch"),
                row.require("inputs").valueStream().map(n -> n.asText()).toList(), outputs);
    }

    private static Output output(JsonFields fields) {
        fields.requireOnly(OUTPUT_FIELDS, "an output");
        try {
            return new Output(fields.integer("length"), fields.text("fnv"), fields.has("bytes")
                    ? Optional.of(HexFormat.of().parseHex(fields.text("bytes"))) : Optional.empty());
        } catch (IllegalArgumentException e) {
            throw JsonFields.wrong("bytes", "pairs of hexadecimal digits", fields.text("bytes"));
        }
    }

    /**
     * The cases of a recording, by name.
     *
     * @throws BadRequestException if it is no recording, or two cases have one name
     */
    public static Map<String, KernelCase> all(RecordingFile recording, String file) {
        Map<String, KernelCase> cases = new LinkedHashMap<>();
        for (RecordingFile.Line line : recording.rows()) {
            try {
                JsonFields row = JsonFields.parse(line.text(), "row", Integer.MAX_VALUE);
                if (!row.text("kind").equals(KIND)) {
                    continue;
                }
                KernelCase found = of(row);
                if (cases.put(found.name(), found) != null) {
                    throw new BadRequestException("there are two cases '" + found.name() + "'");
                }
            } catch (BadRequestException e) {
                throw new BadRequestException(file + ":" + line.number() + ": " + e.getMessage(), e);
            }
        }
        return cases;
    }
}
