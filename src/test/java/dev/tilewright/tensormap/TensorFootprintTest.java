package dev.tilewright.tensormap;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.layout.Swizzle;
import dev.tilewright.layout.TensorDataType;
import java.util.List;
import org.junit.jupiter.api.Test;

class TensorFootprintTest {

    private static TiledTensorMap map(List<Long> dims, List<Long> strides, Interleave interleave) {
        List<Integer> ones = dims.stream().map(_ -> 1).toList();
        return new TiledTensorMap(TensorDataType.FLOAT16, dims, strides, ones, ones, interleave, Swizzle.NONE,
                L2Promotion.NONE, OobFill.ZERO);
    }

    @Test
    void itGoesFromTheFirstElementToTheLast() {
        assertEquals(10, TensorFootprint.bytes(map(List.of(5L), List.of(), Interleave.NONE)));
        assertEquals(2 * 32 + 10, TensorFootprint.bytes(map(List.of(5L, 3L), List.of(32L), Interleave.NONE)));
        assertEquals(3 * 64 + 2 * 32 + 10,
                TensorFootprint.bytes(map(List.of(5L, 3L, 4L), List.of(32L, 64L), Interleave.NONE)));
    }

    @Test
    void overlappingRowsAndOneOfManyTakeWhatTheyTake() {
        assertEquals(16 + 2000, TensorFootprint.bytes(map(List.of(1000L, 2L), List.of(16L), Interleave.NONE)));
        assertEquals(10, TensorFootprint.bytes(map(List.of(5L, 1L), List.of(1L << 39), Interleave.NONE)));
    }

    @Test
    void interleavedTensorsAreMadeOfSlices() {
        assertEquals(64 + 7 * 16, TensorFootprint.bytes(map(List.of(7L, 2L, 1L), List.of(64L, 64L), Interleave.B16)));
        assertEquals(64 + 7 * 32, TensorFootprint.bytes(map(List.of(7L, 2L, 1L), List.of(64L, 64L), Interleave.B32)));
    }

    @Test
    void whatIsMoreThanAllMemoryIsTheLargestNumber() {
        assertEquals(Long.MAX_VALUE, TensorFootprint.bytes(map(List.of(5L, 1L << 32, 1L << 32),
                List.of(1L << 39, 1L << 39), Interleave.NONE)));
    }
}
