package dev.tilewright.recording.mechanism;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tilewright.gpu.DriverTensorMapEncoder;
import dev.tilewright.gpu.device.CudaError;
import dev.tilewright.json.JsonFields;
import dev.tilewright.ptx.Target;
import dev.tilewright.recording.RandomEncodeCalls;
import dev.tilewright.recording.RecordingWriter;
import dev.tilewright.tensormap.TensorMapEncoder;
import dev.tilewright.tensormap.TensorMapException;
import dev.tilewright.tensormap.call.EncodeCall;
import java.util.HexFormat;
import java.util.Optional;
import java.util.Set;
import org.apache.commons.lang3.StringUtils;

/**
 * {@code encode}: calls by chance of the driver's functions that encode tensor maps, with what they answer. The encoder
 * in Java has to refuse what the driver refused, and to give the same 128 bytes for what it accepted.
 */
public final class EncodeRows implements RowKind {
    /** The {@code kind} of its rows. */
    public static final String KIND = "encode";
    /**
     * Fewer calls are accepted than refused by chance, so accepted and refused ones are drawn in turn; after this many
     * draws whatever was drawn last is taken.
     */
    private static final int PATIENCE = 10_000;

    EncodeRows() { }

    /**
     * Adds rows of calls, about half of which are accepted. @param encoder the driver's, or one that stands in for it
     */
    public static void record(TensorMapEncoder encoder, int cases, long seed, RecordingWriter out) {
        RandomEncodeCalls calls = new RandomEncodeCalls(seed);
        for (int i = 0; i < cases; i++) {
            boolean wanted = i % 2 == 0;
            EncodeCall call;
            Optional<String> map;
            int drawn = 0;
            do {
                call = calls.next();
                // What the driver's parameters cannot hold is refused without it: that would be no recording.
                while (!DriverTensorMapEncoder.canAsk(call)) {
                    call = calls.next();
                }
                map = encode(encoder, call);
            } while (map.isPresent() != wanted && ++drawn < PATIENCE);
            ObjectNode row = JsonNodeFactory.instance.objectNode().put("kind", KIND);
            MapRow.write(row, call);
            out.row(row.put("rank", call.rank())
                    .put("result", map.isPresent() ? CudaError.SUCCESS : CudaError.INVALID_VALUE)
                    .put("map", map.orElse("")));
        }
    }

    /** The map's hexadecimal digits; nothing for CUDA_ERROR_INVALID_VALUE. Every other error ends the run. */
    private static Optional<String> encode(TensorMapEncoder encoder, EncodeCall call) {
        try {
            return Optional.of(encoder.encode(call, Target.SM_90A).hex());
        } catch (TensorMapException e) {
            return Optional.empty();
        }
    }

    /** The call that a row records. @throws dev.tilewright.BadRequestException if a field is missing or no integer */
    public static EncodeCall call(JsonFields row) {
        return MapRow.call(row);
    }

    @Override
    public String counted(JsonFields row) {
        return KIND + " " + row.text("mode");
    }

    @Override
    public Set<String> fields(JsonFields row) {
        return MapRow.names(row, "result", "map");
    }

    @Override
    public Optional<String> difference(JsonFields row) {
        EncodeCall call = call(row);
        boolean accepted = row.bits("result") == 0;
        String recorded = accepted || row.has("map") ? HexFormat.of().formatHex(row.hex("map")) : "";
        TensorMapEncoder encoder = TensorMapEncoder.java();
        String hex;
        try {
            hex = encoder.encode(call, Target.SM_90).hex();
        } catch (TensorMapException e) {
            return accepted ? Optional.of("accepted by the driver, refused by " + encoder.name() + ": "
                    + e.getMessage()) : Optional.empty();
        }
        if (!accepted) {
            return Optional.of("refused by the driver, accepted by " + encoder.name());
        }
        int at = StringUtils.indexOfDifference(hex, recorded) / 2;
        return hex.equals(recorded) ? Optional.empty()
                : Optional.of("first differing byte 0x%02x: the driver has %s, %s %s".formatted(at,
                        digits(recorded, at), encoder.name(), digits(hex, at)));
    }

    private static String digits(String hex, int at) {
        return 2 * at < hex.length() ? hex.substring(2 * at, 2 * at + 2) : "nothing";
    }
}
