package dev.tilewright.cli.tensormap;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tilewright.BadRequestException;
import dev.tilewright.cli.option.CudaEnum;
import dev.tilewright.json.JsonFields;
import dev.tilewright.tensormap.call.EncodeCall;
import dev.tilewright.tensormap.call.Im2colCall;
import dev.tilewright.tensormap.call.Im2colWideCall;
import dev.tilewright.tensormap.call.TiledCall;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.Set;

/**
 * A tensor map's description as JSON: the fields of a recorded encode call, lists with the innermost dimension first.
 * What such a row says of the call's outcome ({@code result}, {@code map}) may be there and is not looked at.
 */
public final class MapDescription {
    private static final List<String> COMMON = List.of("mode", "dtype", "rank", "address", "dim", "stride",
            "elementStride", "interleave", "swizzle", "l2", "oob");
    private static final List<String> RECORDED = List.of("kind", "result", "map");

    /** The most entries of a list: far more than a tensor has dimensions. */
    private static final int ENTRIES = 16;

    private MapDescription() { }

    /**
     * Reads a description. Left out, the strides are a dense tensor's, element strides are 1, the address is 0, and
     * interleave, swizzle, L2 promotion and fill are none; nothing else may be left out but the rank.
     *
     * @throws BadRequestException in one sentence that names the field
     */
    public static EncodeCall read(String json) {
        return read(json, 0);
    }

    /** Reads a description whose address may be left out. @param otherwise the address where none is given */
    public static EncodeCall read(String json, long otherwise) {
        JsonFields fields = JsonFields.parse(json, "description", ENTRIES);
        String mode = fields.text("mode").toLowerCase(Locale.ROOT);
        switch (mode) {
            case "tile", "tiled" -> known(fields, "a tile description", "box");
            case "im2col" -> known(fields, "an im2col description", "lower", "upper", "channels", "pixels");
            case "im2col-wide" -> known(fields, "a wide im2col description", "lower", "upper", "channels", "pixels",
                    "wideMode");
            default -> throw JsonFields.wrong("mode", "tile, im2col or im2col-wide", "\"" + fields.text("mode") + "\"");
        }
        if (fields.has("kind") && !fields.text("kind").equals("encode")) {
            throw JsonFields.wrong("kind", "encode, or left out", "\"" + fields.text("kind") + "\"");
        }
        long type = enumValue(fields, "dtype", CudaEnum.DATA_TYPE);
        List<Long> dims = fields.integers("dim");
        if (fields.has("rank") && fields.integer("rank") != dims.size()) {
            throw JsonFields.wrong("rank", "the number of dimensions in 'dim', which is " + dims.size(),
                    fields.integer("rank"));
        }
        long address = fields.has("address") ? fields.address("address") : otherwise;
        long interleave = constant(fields, "interleave", CudaEnum.INTERLEAVE);
        List<Long> strides = fields.has("stride") ? fields.integers("stride") : DenseStrides.of(type, interleave, dims);
        List<Long> steps = fields.has("elementStride") ? fields.integers("elementStride")
                : Collections.nCopies(dims.size(), 1L);
        long swizzle = constant(fields, "swizzle", CudaEnum.SWIZZLE);
        long l2 = constant(fields, "l2", CudaEnum.L2_PROMOTION);
        long fill = constant(fields, "oob", CudaEnum.OOB_FILL);
        return switch (mode) {
            case "im2col" ->
                    new Im2colCall(type, address, dims, strides, fields.integers("lower"), fields.integers("upper"),
                    fields.integer("channels"), fields.integer("pixels"), steps, interleave, swizzle, l2, fill);
            case "im2col-wide" ->
                    new Im2colWideCall(type, address, dims, strides, fields.only("lower"), fields.only("upper"),
                    fields.integer("channels"), fields.integer("pixels"), steps, interleave,
                    constant(fields, "wideMode", CudaEnum.WIDE_MODE), swizzle, l2, fill);
            default -> new TiledCall(type, address, dims, strides, fields.integers("box"), steps, interleave, swizzle,
                    l2, fill);
        };
    }

    private static void known(JsonFields fields, String what, String... own) {
        Set<String> known = new LinkedHashSet<>(COMMON);
        known.addAll(Arrays.asList(own));
        known.addAll(RECORDED);
        fields.requireOnly(known, what);
    }

    /** An enum that is none, 0, where it is left out. */
    private static long constant(JsonFields fields, String name, CudaEnum type) {
        return fields.has(name) ? enumValue(fields, name, type) : 0;
    }

    /** An enum's integer or name. */
    private static long enumValue(JsonFields fields, String name, CudaEnum type) {
        JsonNode value = fields.require(name);
        if (value.isIntegralNumber()) {
            return fields.integer(name);
        }
        OptionalLong named = value.isTextual() ? type.value(value.textValue()) : OptionalLong.empty();
        return named.orElseThrow(() -> JsonFields.wrong(name, type.choices(), value));
    }
}
