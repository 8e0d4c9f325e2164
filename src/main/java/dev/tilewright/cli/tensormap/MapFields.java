package dev.tilewright.cli.tensormap;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.tilewright.tensormap.call.EncodeCall;
import dev.tilewright.tensormap.call.Im2colCall;
import dev.tilewright.tensormap.call.Im2colWideCall;
import dev.tilewright.tensormap.call.TiledCall;
import java.util.List;

/** The fields that {@link MapDescription#read} takes, all of them, in the order of the recordings. */
public sealed interface MapFields {
    record Tiled(String mode, long dtype, int rank, long address, List<Long> dim, List<Long> stride, List<Long> box,
            List<Long> elementStride, long interleave, long swizzle, long l2, long oob) implements MapFields { }

    record Im2col(String mode, long dtype, int rank, long address, List<Long> dim, List<Long> stride, List<Long> lower,
            List<Long> upper, long channels, long pixels, List<Long> elementStride, long interleave, long swizzle,
            long l2, long oob) implements MapFields { }

    record Im2colWide(String mode, long dtype, int rank, long address, List<Long> dim, List<Long> stride,
            @JsonProperty("lower") long lowerWidth, @JsonProperty("upper") long upperWidth, long channels, long pixels,
            long wideMode, List<Long> elementStride, long interleave, long swizzle, long l2, long oob)
            implements MapFields { }

    static MapFields of(EncodeCall call) {
        return switch (call) {
            case TiledCall c -> new Tiled(c.mode(), c.dataType(), c.rank(), c.address(), c.dims(), c.strides(), c.box(),
                    c.elementStrides(), c.interleave(), c.swizzle(), c.l2Promotion(), c.fill());
            case Im2colCall c -> new Im2col(c.mode(), c.dataType(), c.rank(), c.address(), c.dims(), c.strides(),
                    c.lower(), c.upper(), c.channels(), c.pixels(), c.elementStrides(), c.interleave(), c.swizzle(),
                    c.l2Promotion(), c.fill());
            case Im2colWideCall c -> new Im2colWide(c.mode(), c.dataType(), c.rank(), c.address(), c.dims(),
                    c.strides(), c.lowerWidth(), c.upperWidth(), c.channels(), c.pixels(), c.wideMode(),
                    c.elementStrides(), c.interleave(), c.swizzle(), c.l2Promotion(), c.fill());
        };
    }
}
