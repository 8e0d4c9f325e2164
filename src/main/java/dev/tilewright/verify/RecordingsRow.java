package dev.tilewright.verify;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tilewright.BadRequestException;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.tensormap.Im2colTensorMap;
import dev.tilewright.tensormap.Interleave;
import dev.tilewright.tensormap.L2Promotion;
import dev.tilewright.tensormap.OobFill;
import dev.tilewright.tensormap.TiledTensorMap;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.stream.StreamSupport;

/**
 * One row of a recording. Lists have the innermost dimension first; enums are the numbers of cuda.h.
 *
 * <p>Rows of tensor maps and copies have {@code kind} ({@code encode}, {@code load} or {@code store}) and {@code mode}
 * ({@code tile} or {@code im2col}) and the arguments of the tensor map. A load or store adds {@code address} (the
 * tensor's byte offset in the data window), {@code seed} (of the window) and {@code coord}. A load says how many bytes
 * its barrier expected ({@code tx}) and what shared memory then held: a hash of the first {@code smem} bytes,
 * and the first bytes themselves where they are few. A store says what was done ({@code op}), the seed of what shared
 * memory held, and a hash of the whole window afterwards.
 *
 * @param place file and line, for messages
 */
public record RecordingsRow(String place, ObjectNode fields) {

    public String kind() {
        return fields.get("kind").textValue();
    }

    /** {@code tile} or {@code im2col}; empty where the row does not say. */
    public String mode() {
        return fields.path("mode").asText();
    }

    /** What a store row did: {@code store}, or a reduction such as {@code add}. Empty in other rows. */
    public String op() {
        return fields.path("op").asText();
    }

    /** What a reduction did. @throws BadRequestException if it is none */
    AtomicOp reduceOp() {
        return constant("op", AtomicOp.class);
    }

    /** A field that names a constant, in any case. @throws BadRequestException if it does not */
    <E extends Enum<E>> E constant(String field, Class<E> type) {
        String text = text(field);
        return Arrays.stream(type.getEnumConstants()).filter(c -> c.name().equalsIgnoreCase(text)).findFirst()
                .orElseThrow(() -> new BadRequestException(place + ": \"" + field + "\" must be one of "
                        + Arrays.toString(type.getEnumConstants()) + ", got " + text));
    }

    /** A text that the row must have. @throws BadRequestException if it has not */
    String text(String field) {
        return require(field).asText();
    }

    /** Bytes that the row must have. @throws BadRequestException if it has not */
    byte[] hex(String field) {
        try {
            return HexFormat.of().parseHex(text(field));
        } catch (IllegalArgumentException e) {
            throw new BadRequestException(place + ": \"" + field + "\" must be pairs of hex digits", e);
        }
    }

    public boolean isInterleaved() {
        return fields.path("interleave").asInt() != 0;
    }

    /** The tensor map of a tile-mode row. */
    public TiledTensorMap tiledMap() {
        return new TiledTensorMap(named("dtype", TensorDataType.values()),
                longs("dim"),
                longs("stride"),
                ints("box"),
                ints("elementStride"),
                named("interleave", Interleave.values()),
                named("swizzle", Swizzle.values()),
                named("l2", L2Promotion.values()),
                named("oob", OobFill.values()));
    }

    /** The tensor map of an im2col row. */
    public Im2colTensorMap im2colMap() {
        return new Im2colTensorMap(named("dtype", TensorDataType.values()),
                longs("dim"),
                longs("stride"),
                ints("lower"),
                ints("upper"),
                number("channels", 256),
                number("pixels", 1024),
                ints("elementStride"),
                named("interleave", Interleave.values()),
                named("swizzle", Swizzle.values()),
                named("l2", L2Promotion.values()),
                named("oob", OobFill.values()));
    }

    /** The instruction's im2col offsets, in elements; none in a row of another mode. */
    public int[] offsets() {
        return ints("offset").stream().mapToInt(Integer::intValue).toArray();
    }

    /** The instruction's coordinates, in elements. */
    public int[] coordinates() {
        return ints("coord").stream().mapToInt(Integer::intValue).toArray();
    }

    /** The hash of the bytes afterwards: FNV-1a, 64 bits. */
    public long hash() {
        try {
            return Long.parseUnsignedLong(require("fnv").asText(), 16);
        } catch (NumberFormatException e) {
            throw new BadRequestException(place + ": \"fnv\" must be a 64-bit number in hex", e);
        }
    }

    /** The first bytes of shared memory after a load, where the row has them. */
    public Optional<byte[]> bytes() {
        if (!fields.has("bytes")) {
            return Optional.empty();
        }
        return Optional.of(hex("bytes"));
    }

    /** A number that the row must have. @throws BadRequestException if it has not */
    public long number(String field) {
        return whole(field, require(field));
    }

    /** A number that the row must have, from 0 to a limit. @throws BadRequestException if it has not */
    public int number(String field, int most) {
        long number = number(field);
        if (number < 0 || number > most) {
            throw new BadRequestException(
                    place + ": \"" + field + "\" must be in [0, " + most + "], got " + number);
        }
        return (int) number;
    }

    private List<Long> longs(String field) {
        return StreamSupport.stream(require(field).spliterator(), false).map(node -> whole(field, node)).toList();
    }

    private List<Integer> ints(String field) {
        try {
            return longs(field).stream().map(Math::toIntExact).toList();
        } catch (ArithmeticException e) {
            throw new BadRequestException(place + ": \"" + field + "\" must be 32-bit numbers, got " + require(field),
                    e);
        }
    }

    private long whole(String field, JsonNode node) {
        if (!node.isIntegralNumber() || !node.canConvertToLong()) {
            throw new BadRequestException(place + ": \"" + field + "\" must be whole, got " + node);
        }
        return node.longValue();
    }

    private <T> T named(String field, T[] values) {
        return values[number(field, values.length - 1)];
    }

    private JsonNode require(String field) {
        JsonNode node = fields.get(field);
        if (node == null) {
            throw new BadRequestException(place + ": a " + kind() + " row must have \"" + field + "\"");
        }
        return node;
    }
}
