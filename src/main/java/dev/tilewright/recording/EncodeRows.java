package dev.tilewright.recording;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tilewright.gpu.CudaError;
import dev.tilewright.gpu.DriverTensorMapEncoder;
import dev.tilewright.ptx.Target;
import dev.tilewright.tensormap.TensorMapEncoder;
import dev.tilewright.tensormap.TensorMapException;
import dev.tilewright.tensormap.call.EncodeCall;
import dev.tilewright.tensormap.call.Im2colCall;
import dev.tilewright.tensormap.call.Im2colWideCall;
import dev.tilewright.tensormap.call.TiledCall;
import java.math.BigInteger;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** {@code encode}: calls by chance of the driver's functions that encode tensor maps, with what they answer. */
public final class EncodeRows {
    /** The {@code kind} of its rows. */
    public static final String KIND = "encode";
    /** Chance has fewer calls that are accepted than refused: of either so many in turn, or what is drawn after this. */
    private static final int PATIENCE = 10_000;

    private EncodeRows() {
    }

    /** Adds rows of calls, about half of which are accepted. @param encoder the driver's, or one that stands in for it */
    public static void record(TensorMapEncoder encoder, int cases, long seed, RecordingWriter out) {
        Objects.requireNonNull(encoder, "encoder");
        Objects.requireNonNull(out, "out");
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
            out.row(row(call, map));
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

    private static ObjectNode row(EncodeCall call, Optional<String> map) {
        ObjectNode row = JsonNodeFactory.instance.objectNode();
        row.put("kind", KIND).put("mode", call.mode()).put("dtype", call.dataType()).put("rank", call.rank());
        row.put("address", new BigInteger(Long.toUnsignedString(call.address())));
        list(row, "dim", call.dims());
        list(row, "stride", call.strides());
        switch (call) {
            case TiledCall tiled -> list(row, "box", tiled.box());
            case Im2colCall im2col -> {
                list(row, "lower", im2col.lower());
                list(row, "upper", im2col.upper());
                row.put("channels", im2col.channels()).put("pixels", im2col.pixels());
            }
            case Im2colWideCall wide -> throw new IllegalArgumentException("no row for " + wide);
        }
        list(row, "elementStride", call.elementStrides());
        return row.put("interleave", call.interleave()).put("swizzle", call.swizzle()).put("l2", call.l2Promotion())
                .put("oob", call.fill()).put("result", map.isPresent() ? CudaError.SUCCESS : CudaError.INVALID_VALUE)
                .put("map", map.orElse(""));
    }

    private static void list(ObjectNode row, String name, List<Long> values) {
        ArrayNode list = row.putArray(name);
        values.forEach(list::add);
    }
}
