package dev.tilewright.recording;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tilewright.BadRequestException;
import dev.tilewright.json.JsonFields;
import java.util.List;
import java.util.Set;

/**
 * The first line of a recording: where its rows come from.
 *
 * @param format of the file, at most {@link #NEWEST}
 * @param device what the device calls itself
 * @param computeCapability such as {@code 9.0}; empty for the reference executor
 * @param driver version of the NVIDIA driver; empty where there is none
 * @param cuda the newest CUDA that the driver knows; empty where there is none
 * @param tool version of Tilewright
 * @param seed what its cases were drawn from
 * @param kinds of its rows, sorted
 */
public record RecordingHeader(int format, String device, String computeCapability, String driver, String cuda,
        String tool, long seed, List<String> kinds) {
    /** The format that is written, and the newest that is read. */
    public static final int NEWEST = 1;
    /** The {@code kind} of the line. */
    static final String KIND = "recording";

    private static final Set<String> FIELDS = Set.of("kind", "format", "device", "computeCapability", "driver", "cuda",
            "tilewright", "seed", "kinds");

    public RecordingHeader {
        kinds = List.copyOf(kinds);
    }

    /** A header of the newest format, by this version of Tilewright. */
    public RecordingHeader(DeviceDescription device, long seed, List<String> kinds) {
        this(NEWEST, device.name(), device.computeCapability(), device.driver(), device.cuda(), ToolVersion.TEXT, seed,
                kinds);
    }

    ObjectNode line() {
        ObjectNode line = JsonNodeFactory.instance.objectNode().put("kind", KIND).put("format", format)
                .put("device", device).put("computeCapability", computeCapability).put("driver", driver)
                .put("cuda", cuda).put("tilewright", tool).put("seed", seed);
        kinds.forEach(line.putArray("kinds")::add);
        return line;
    }

    /**
     * What a first line says.
     *
     * @param file what messages call the file
     * @throws BadRequestException if the format is newer than {@link #NEWEST}, or a field is missing
     */
    static RecordingHeader of(JsonFields line, String file) {
        long format = line.integer("format");
        if (format < 1 || format > NEWEST) {
            throw new BadRequestException("the recording " + file + " is of format " + format
                    + ", and this version reads formats up to " + NEWEST + ": use the version of Tilewright that made "
                    + "it ("
                    + JsonFields.oneLine(line.object().path("tilewright").asText("not named")) + "), or a newer one");
        }
        line.requireOnly(FIELDS, "the first line of a recording");
        List<String> kinds = line.require("kinds").valueStream().map(k -> k.asText()).toList();
        return new RecordingHeader((int) format, line.text("device"), line.text("computeCapability"),
                line.text("driver"), line.text("cuda"), line.text("tilewright"), line.integer("seed"), kinds);
    }

    /** {@code NVIDIA H200 (compute capability 9.0, driver 580.95, CUDA 13.0)}. */
    public String origin() {
        return computeCapability.isEmpty() ? device : device + " (compute capability " + computeCapability
                + (driver.isEmpty() ? "" : ", driver " + driver) + ", CUDA " + cuda + ")";
    }
}
