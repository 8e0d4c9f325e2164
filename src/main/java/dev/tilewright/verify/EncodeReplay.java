package dev.tilewright.verify;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tilewright.BadRequestException;
import dev.tilewright.ptx.Target;
import dev.tilewright.tensormap.TensorMapDescriptor;
import dev.tilewright.tensormap.TensorMapEncoder;
import dev.tilewright.tensormap.TensorMapException;
import dev.tilewright.tensormap.call.EncodeCall;
import dev.tilewright.tensormap.call.Im2colCall;
import dev.tilewright.tensormap.call.TiledCall;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Holds an encoder against recorded driver calls ({@code "kind":"encode"}): it has to refuse what the driver refused
 * and give the same 128 bytes for what it accepted. Rows of other kinds are left to others.
 *
 * <p>One replay takes any number of files or single rows and adds up.
 */
public final class EncodeReplay {

    /** Disagreements that are kept; the others are only counted. */
    public static final int SHOWN = 20;

    /**
     * How rows of one sort went.
     *
     * @param rows rows seen
     * @param agreed rows where encoder and recording say the same
     * @param accepted rows that the driver accepted
     */
    public record Count(long rows, long agreed, long accepted) {
        private Count plus(boolean agrees, boolean accepts) {
            return new Count(rows + 1, agreed + (agrees ? 1 : 0), accepted + (accepts ? 1 : 0));
        }
    }

    /** A row where they differ: its file and line, and how. */
    public record Disagreement(String place, String what) {
        @Override
        public String toString() {
            return place + ": " + what;
        }
    }

    private final TensorMapEncoder encoder;
    private final Target target;
    private final Map<String, Count> counts = new TreeMap<>();
    private final List<Disagreement> disagreements = new ArrayList<>();

    /** Replays against an encoder, for the target that the recordings were made on. */
    public EncodeReplay(TensorMapEncoder encoder, Target target) {
        this.encoder = encoder;
        this.target = target;
    }

    /** Replays against the encoder in Java, for sm_90. */
    public EncodeReplay() {
        this(TensorMapEncoder.java(), Target.SM_90);
    }

    /** The recorded calls that come with the project, below the folder that property {@code tilewright.root} names. */
    public static Path recordedCalls() {
        return Path.of(System.getProperty("tilewright.root", "."), "native-tests", "recordings", "encode.jsonl.gz");
    }

    /**
     * Replays the encode rows of a file, one JSON object a line, gzip or plain.
     *
     * @throws BadRequestException if the file cannot be read or a line is no row, naming file, line and field
     */
    public EncodeReplay file(Path file) {
        Recordings.forEach(file, file.toString(), row -> {
            if (row.kind().equals("encode")) {
                RowShape.check(row);
                row(row.place(), row.fields()).ifPresent(what -> disagreed(row.place(), what));
            }
        });
        return this;
    }

    private void disagreed(String place, String what) {
        if (disagreements.size() < SHOWN) {
            disagreements.add(new Disagreement(place, what));
        }
    }

    /**
     * Replays and counts one row. Any number of threads may do so.
     *
     * @param place what messages call it
     * @return what encoder and recording say differently, or nothing
     * @throws BadRequestException if a field is missing or not of its kind
     */
    public Optional<String> row(String place, JsonNode row) {
        EncodeCall call;
        boolean accepted;
        String recorded;
        try {
            call = call(row);
            accepted = integer(row, "result") == 0;
            recorded = accepted ? field(row, "map").asText() : "";
        } catch (BadRequestException e) {
            throw new BadRequestException(place + ": " + e.getMessage(), e);
        }
        String difference = difference(call, accepted, recorded);
        String sort = call.mode() + ", interleave " + call.interleave();
        synchronized (counts) {
            counts.put(sort, counts.getOrDefault(sort, new Count(0, 0, 0)).plus(difference == null, accepted));
        }
        return Optional.ofNullable(difference);
    }

    /** What the encoder says otherwise than the recording; null if nothing. */
    private String difference(EncodeCall call, boolean accepted, String recorded) {
        TensorMapDescriptor encoded;
        try {
            encoded = encoder.encode(call, target);
        } catch (TensorMapException e) {
            return accepted ? "accepted by the driver, refused by " + encoder.name() + ": " + e.getMessage() : null;
        }
        if (!accepted) {
            return "refused by the driver, accepted by " + encoder.name();
        }
        String hex = encoded.hex();
        if (hex.equalsIgnoreCase(recorded)) {
            return null;
        }
        int at = 0;
        while (at < Math.min(hex.length(), recorded.length())
                && Character.toLowerCase(recorded.charAt(at)) == hex.charAt(at)) {
            at++;
        }
        return "first differing byte 0x%02x: the driver has %s, %s %s".formatted(
                at / 2, byteAt(recorded, at), encoder.name(), byteAt(hex, at));
    }

    private static String byteAt(String hex, int digit) {
        int start = digit & ~1;
        return start + 2 <= hex.length() ? hex.substring(start, start + 2) : "nothing";
    }

    /** Rows by mode and interleave, such as {@code "tile, interleave 0"}. */
    public Map<String, Count> counts() {
        return Map.copyOf(counts);
    }

    public long rows() {
        return counts.values().stream().mapToLong(Count::rows).sum();
    }

    public long agreed() {
        return counts.values().stream().mapToLong(Count::agreed).sum();
    }

    /** The first {@value #SHOWN} rows that differ. */
    public List<Disagreement> disagreements() {
        return List.copyOf(disagreements);
    }

    /** A line for each sort of rows, the disagreements, and the sum. */
    public String report() {
        StringBuilder text = new StringBuilder();
        counts.forEach((sort, c) -> text.append("encode ").append(sort).append(": ").append(c.rows()).append(" rows (")
                .append(c.accepted()).append(" accepted), agreed ").append(c.agreed()).append('\n'));
        disagreements.forEach(d -> text.append(d).append('\n'));
        return text.append("replayed ").append(rows()).append(" agreed ").append(agreed()).append(" disagreed ")
                .append(rows() - agreed()).append('\n').toString();
    }

    /**
     * The call that a row records.
     *
     * @throws BadRequestException if a field is missing or not of its kind
     */
    public static EncodeCall call(JsonNode row) {
        String mode = field(row, "mode").asText();
        long type = integer(row, "dtype");
        long address = address(row);
        List<Long> dims = integers(row, "dim");
        List<Long> strides = integers(row, "stride");
        List<Long> steps = integers(row, "elementStride");
        long interleave = integer(row, "interleave");
        long swizzle = integer(row, "swizzle");
        long l2 = integer(row, "l2");
        long fill = integer(row, "oob");
        return switch (mode) {
            case "tile" ->
                    new TiledCall(type, address, dims, strides, integers(row, "box"), steps, interleave, swizzle, l2,
                    fill);
            case "im2col" ->
                    new Im2colCall(type, address, dims, strides, integers(row, "lower"), integers(row, "upper"),
                    integer(row, "channels"), integer(row, "pixels"), steps, interleave, swizzle, l2, fill);
            default -> throw new BadRequestException("field 'mode' must be tile or im2col, got '" + mode + "'");
        };
    }

    private static JsonNode field(JsonNode row, String name) {
        JsonNode value = row.get(name);
        if (value == null || value.isNull()) {
            throw new BadRequestException("field '" + name + "' is missing");
        }
        return value;
    }

    private static long integer(JsonNode row, String name) {
        return integer(name, field(row, name));
    }

    /** A pointer may use all 64 bits, unsigned. */
    private static long address(JsonNode row) {
        JsonNode value = field(row, "address");
        return value.isIntegralNumber() && value.bigIntegerValue().bitLength() <= 64
                ? value.bigIntegerValue().longValue()
                : integer("address", value);
    }

    private static List<Long> integers(JsonNode row, String name) {
        JsonNode list = field(row, name);
        if (!list.isArray()) {
            throw new BadRequestException("field '" + name + "' must be a list of integers, got " + list);
        }
        List<Long> values = new ArrayList<>(list.size());
        for (int i = 0; i < list.size(); i++) {
            values.add(integer(name + "[" + i + "]", list.get(i)));
        }
        return values;
    }

    /** Integers beyond 64 bits become the largest or smallest there is: out of every range either way. */
    private static long integer(String name, JsonNode value) {
        if (!value.isIntegralNumber()) {
            throw new BadRequestException("field '" + name + "' must be an integer, got " + value);
        }
        return value.canConvertToLong() ? value.longValue()
                : value.bigIntegerValue().signum() < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
    }
}
