package dev.tilewright.tensormap;

import dev.tilewright.layout.Swizzle;
import java.util.Objects;

/**
 * The size of one box in shared memory, in bytes. Facts measured on an H200 (native-tests/recordings).
 *
 * @param rows rows of the box
 * @param rowBytes bytes of one row that are data
 * @param rowPitch bytes from one row's start to the next: the swizzle's span where there is one, else {@code rowBytes}
 * @param transactionBytes what {@code expect_tx} has to be told: all the data of the box, in bounds or not
 * @param sharedBytes shared memory taken, gaps included
 * @param alignment bytes that the box's first byte should be a multiple of, so that the pattern starts afresh: 128
 *     without a swizzle, else 256, 512 or 1024
 */
public record BoxFootprint(int rows, int rowBytes, int rowPitch, int transactionBytes, int sharedBytes, int alignment) {

    /** @throws ArithmeticException as {@link TensorMap#transactionBytes()} does */
    public static BoxFootprint of(TensorMap map) {
        Objects.requireNonNull(map, "map");
        int pitch = map.interleave() == Interleave.NONE ? map.swizzle().rowPitch(map.rowBytes()) : map.rowBytes();
        return new BoxFootprint(map.boxRows(), map.rowBytes(), pitch, map.transactionBytes(), map.sharedBytes(),
                map.swizzle() == Swizzle.NONE ? 128 : map.swizzle().period());
    }

    /** Bytes of shared memory between rows that a copy leaves untouched. */
    public int gapBytes() {
        return sharedBytes - transactionBytes;
    }
}
