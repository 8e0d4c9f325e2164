package dev.tilewright.tensormap;

import java.util.List;
import java.util.Objects;

/**
 * How much memory a tensor takes that a map describes: from its first element's first byte to its last element's last.
 * A map may describe more than there is (no rule of the hardware forbids it, only what boxes touch has to be there), so
 * this is what an ordinary tensor needs, not what every copy does.
 */
public final class TensorFootprint {

    private TensorFootprint() { }

    /** Bytes from the tensor's address on; {@link Long#MAX_VALUE} where they are more than that. */
    public static long bytes(TensorMap map) {
        Objects.requireNonNull(map, "map");
        List<Long> dims = map.dims();
        try {
            long bytes = row(map, dims.getFirst());
            for (int d = 1; d < dims.size(); d++) {
                bytes = Math.addExact(bytes, Math.multiplyExact(Math.max(0, dims.get(d) - 1),
                        map.strides().get(d - 1)));
            }
            return bytes;
        } catch (ArithmeticException e) {
            return Long.MAX_VALUE;
        }
    }

    /** An interleaved tensor is made of slices of 16 or 32 bytes, whatever its element type (measured on an H200). */
    private static long row(TensorMap map, long count) {
        int unit = switch (map.interleave()) {
            case NONE -> map.type().bytes();
            case B16 -> 16;
            case B32 -> 32;
        };
        return Math.multiplyExact(count, unit);
    }
}
