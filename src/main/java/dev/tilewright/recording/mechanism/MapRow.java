package dev.tilewright.recording.mechanism;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tilewright.BadRequestException;
import dev.tilewright.json.JsonFields;
import dev.tilewright.tensormap.TensorMap;
import dev.tilewright.tensormap.call.EncodeCall;
import dev.tilewright.tensormap.call.Im2colCall;
import dev.tilewright.tensormap.call.Im2colWideCall;
import dev.tilewright.tensormap.call.TiledCall;
import java.math.BigInteger;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The fields of rows that a tensor map is in: the arguments of the driver's call, innermost dimension first. */
final class MapRow {
    private static final Set<String> COMMON = Set.of("kind", "mode", "dtype", "rank", "address", "dim", "stride",
            "elementStride", "interleave", "swizzle", "l2", "oob");
    private static final Set<String> TILED = Set.of("box");
    private static final Set<String> IM2COL = Set.of("lower", "upper", "channels", "pixels");

    /** The most entries of a list: far more than a tensor has dimensions. */
    private static final int ENTRIES = 16;

    private MapRow() { }

    /** The names of a map's fields, and others. */
    static Set<String> names(JsonFields row, String... others) {
        Set<String> names = new HashSet<>(COMMON);
        names.addAll(isIm2col(row) ? IM2COL : TILED);
        names.addAll(List.of(others));
        return names;
    }

    private static boolean isIm2col(JsonFields row) {
        return switch (row.text("mode")) {
            case "tile" -> false;
            case "im2col" -> true;
            default -> throw new BadRequestException("field 'mode' must be tile or im2col, got '"
                    + JsonFields.oneLine(row.text("mode")) + "'");
        };
    }

    static void write(ObjectNode row, EncodeCall call) {
        row.put("mode", call.mode()).put("dtype", call.dataType())
                .put("address", new BigInteger(Long.toUnsignedString(call.address())));
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
        row.put("interleave", call.interleave()).put("swizzle", call.swizzle()).put("l2", call.l2Promotion())
                .put("oob", call.fill());
    }

    static void list(ObjectNode row, String name, List<? extends Number> values) {
        ArrayNode list = row.putArray(name);
        values.forEach(value -> list.add(value.longValue()));
    }

    /** The call that a row records. @throws dev.tilewright.BadRequestException if a field is missing or no integer */
    static EncodeCall call(JsonFields row) {
        List<Long> dims = row.bits("dim", ENTRIES);
        if (row.has("rank") && row.integer("rank") != dims.size()) {
            throw JsonFields.wrong("rank", "the number of dimensions in 'dim', which is " + dims.size(),
                    row.require("rank"));
        }
        long type = row.bits("dtype");
        long address = row.bits("address");
        List<Long> strides = row.bits("stride", ENTRIES);
        List<Long> steps = row.bits("elementStride", ENTRIES);
        long interleave = row.bits("interleave");
        long swizzle = row.bits("swizzle");
        long l2 = row.bits("l2");
        long fill = row.bits("oob");
        return isIm2col(row) ? new Im2colCall(type, address, dims, strides, row.bits("lower", ENTRIES),
                row.bits("upper", ENTRIES), row.bits("channels"), row.bits("pixels"), steps, interleave, swizzle, l2,
                fill)
                : new TiledCall(type, address, dims, strides, row.bits("box", ENTRIES), steps, interleave, swizzle, l2,
                        fill);
    }

    /** The map of a copy, whose address is a place in the data. */
    static TensorMap map(JsonFields row) {
        return TensorMap.of(call(row));
    }
}
