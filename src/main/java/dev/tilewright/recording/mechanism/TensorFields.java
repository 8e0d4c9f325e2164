package dev.tilewright.recording.mechanism;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.tensormap.Im2colTensorMap;
import dev.tilewright.tensormap.Interleave;
import dev.tilewright.tensormap.L2Promotion;
import dev.tilewright.tensormap.OobFill;
import dev.tilewright.tensormap.TensorMap;
import dev.tilewright.tensormap.TiledTensorMap;
import java.util.List;

/** The fields of rows that a tensor map is in: the arguments of the driver's call, innermost dimension first. */
final class TensorFields {
    private TensorFields() {
    }

    static void write(ObjectNode row, TiledTensorMap map, int address) {
        row.put("mode", "tile").put("dtype", map.type().ordinal()).put("address", address);
        longs(row, "dim", map.dims());
        longs(row, "stride", map.strides());
        ints(row, "box", map.box());
        ints(row, "elementStride", map.elementStrides());
        choices(row, map.interleave(), map.swizzle(), map.l2Promotion(), map.fill());
    }

    static void write(ObjectNode row, Im2colTensorMap map, int address) {
        row.put("mode", "im2col").put("dtype", map.type().ordinal()).put("address", address);
        longs(row, "dim", map.dims());
        longs(row, "stride", map.strides());
        ints(row, "lower", map.lower());
        ints(row, "upper", map.upper());
        row.put("channels", map.channels()).put("pixels", map.pixels());
        ints(row, "elementStride", map.elementStrides());
        choices(row, map.interleave(), map.swizzle(), map.l2Promotion(), map.fill());
    }

    private static void choices(ObjectNode row, Interleave interleave, Swizzle swizzle, L2Promotion l2, OobFill fill) {
        row.put("interleave", interleave.ordinal()).put("swizzle", swizzle.ordinal()).put("l2", l2.ordinal())
                .put("oob", fill.ordinal());
    }

    static void longs(ObjectNode row, String name, List<Long> values) {
        ArrayNode list = row.putArray(name);
        values.forEach(list::add);
    }

    static void ints(ObjectNode row, String name, List<Integer> values) {
        ArrayNode list = row.putArray(name);
        values.forEach(list::add);
    }

    static TensorMap read(Fields row) {
        return row.text("mode").equals("im2col") ? im2col(row) : tiled(row);
    }

    static TiledTensorMap tiled(Fields row) {
        return new TiledTensorMap(row.numbered("dtype", TensorDataType.class), row.wides("dim"), row.wides("stride"),
                row.numbers("box"), row.numbers("elementStride"), row.numbered("interleave", Interleave.class),
                row.numbered("swizzle", Swizzle.class), row.numbered("l2", L2Promotion.class),
                row.numbered("oob", OobFill.class));
    }

    private static Im2colTensorMap im2col(Fields row) {
        return new Im2colTensorMap(row.numbered("dtype", TensorDataType.class), row.wides("dim"), row.wides("stride"),
                row.numbers("lower"), row.numbers("upper"), row.number("channels", 1, 256),
                row.number("pixels", 1, 1024), row.numbers("elementStride"),
                row.numbered("interleave", Interleave.class), row.numbered("swizzle", Swizzle.class),
                row.numbered("l2", L2Promotion.class), row.numbered("oob", OobFill.class));
    }
}
