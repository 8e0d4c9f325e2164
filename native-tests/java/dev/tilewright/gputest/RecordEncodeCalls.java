package dev.tilewright.gputest;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tilewright.gpu.CudaDriver;
import dev.tilewright.gpu.CudaError;
import dev.tilewright.gpu.DriverTensorMapEncoder;
import dev.tilewright.gpu.Drivers;
import dev.tilewright.ptx.Target;
import dev.tilewright.tensormap.Interleave;
import dev.tilewright.tensormap.TensorMapEncoder;
import dev.tilewright.tensormap.TensorMapException;
import dev.tilewright.tensormap.call.EncodeCall;
import dev.tilewright.tensormap.call.Im2colCall;
import dev.tilewright.tensormap.call.Im2colWideCall;
import dev.tilewright.tensormap.call.RandomEncodeCalls;
import dev.tilewright.tensormap.call.TiledCall;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.zip.GZIPOutputStream;

/**
 * Records what a Hopper GPU's driver answers to random encode calls with an interleave, as {@code encode} rows that
 * {@link dev.tilewright.verify.EncodeReplay} reads. Calls are sorted by mode, interleave and the driver's own answer, and
 * the first {@value #OF_EACH} of each sort are kept: chance alone has few that are accepted.
 */
public final class RecordEncodeCalls {
    private static final int OF_EACH = 500;
    /** Tiled and im2col, 16 and 32 bytes, accepted and refused. */
    private static final int SORTS = 2 * 2 * 2;
    /** Far more than it takes: ends the run where a sort never occurs. */
    private static final int MOST_DRAWN = 5_000_000;
    private static final long SEED = 20261121;

    private static final ObjectMapper JSON = new ObjectMapper();

    private RecordEncodeCalls() {
    }

    /** @param args the file to write, gzip */
    public static void main(String[] args) throws IOException {
        if (args.length != 1) {
            System.err.println("usage: RecordEncodeCalls FILE.jsonl.gz");
            System.exit(2);
        }
        try (CudaDriver gpu = Drivers.gpu()) {
            if (gpu.target().major() != 9) {
                System.err.println(gpu.name() + " is " + gpu.target() + ", the recordings are for sm_90");
                System.exit(3);
            }
            System.out.println(gpu.name());
            record(gpu.driverTensorMapEncoder(), Path.of(args[0]));
        }
    }

    /** @param encoder the driver's, or one that stands in for it */
    static void record(TensorMapEncoder encoder, Path file) throws IOException {
        RandomEncodeCalls calls = new RandomEncodeCalls(SEED);
        Map<String, Integer> kept = new TreeMap<>();
        int rows = 0;
        int accepted = 0;
        try (BufferedWriter out = new BufferedWriter(new OutputStreamWriter(
                new GZIPOutputStream(Files.newOutputStream(file)), StandardCharsets.UTF_8))) {
            for (int drawn = 0; drawn < MOST_DRAWN && rows < SORTS * OF_EACH; drawn++) {
                EncodeCall call = calls.next();
                // What the driver's parameters cannot hold is refused without it: that would be no recording.
                if (!isInterleaved(call) || !DriverTensorMapEncoder.canAsk(call)) {
                    continue;
                }
                Optional<String> map = encode(encoder, call);
                String sort = call.mode() + ", interleave " + call.interleave() + (map.isPresent() ? ", accepted" : ", refused");
                if (kept.getOrDefault(sort, 0) < OF_EACH) {
                    kept.merge(sort, 1, Integer::sum);
                    rows++;
                    accepted += map.isPresent() ? 1 : 0;
                    out.write(JSON.writeValueAsString(row(call, map)));
                    out.write('\n');
                }
            }
        }
        kept.forEach((sort, count) -> System.out.println(sort + ": " + count));
        System.out.println(rows + " calls recorded, " + accepted + " of them accepted");
    }

    private static boolean isInterleaved(EncodeCall call) {
        return call.interleave() == Interleave.B16.cudaValue() || call.interleave() == Interleave.B32.cudaValue();
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
        ObjectNode row = JSON.createObjectNode();
        row.put("kind", "encode").put("mode", call.mode()).put("dtype", call.dataType()).put("rank", call.rank());
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
