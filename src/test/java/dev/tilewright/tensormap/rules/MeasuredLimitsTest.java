package dev.tilewright.tensormap.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.layout.TensorDataType;
import dev.tilewright.ptx.Target;
import dev.tilewright.tensormap.Im2colTensorMap;
import dev.tilewright.tensormap.Im2colTensorMapBuilder;
import dev.tilewright.tensormap.Interleave;
import dev.tilewright.tensormap.TiledTensorMap;
import dev.tilewright.tensormap.Validation;
import dev.tilewright.tensormap.call.Im2colCall;
import dev.tilewright.tensormap.call.TiledCall;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Ends of ranges that no document states, as an H200's driver was seen to draw them. */
class MeasuredLimitsTest {

    @ParameterizedTest(name = "address {0}: accepted {1}")
    @CsvSource({"0x0, true", "0x1fffffffffffff0, true", "0x200000000000000, false", "0x8000000000000000, false"})
    void address(String address, boolean accepted) {
        TiledCall call = TiledTensorMap.innermostFirst(TensorDataType.UINT32).shape(64, 64).box(16, 2)
                .at(Long.parseUnsignedLong(address.substring(2), 16));
        assertEquals(accepted, Validation.of(call, Target.SM_90).ok());
    }

    /** The sum dim + upper wraps in 32 bits and is compared with lower as it is: other ways of writing it fail here. */
    @ParameterizedTest(name = "dim {0}, upper {1}, lower {2}: accepted {3}")
    @CsvSource({
        "2147483649, -1, -1, false", "2147483646, 2, 8, false", "2147483740, -110, -128, true",
        "2147483648, 2, 2255, false", "2147473019, 32767, -16162, false", "4294967296, 3, 2, true",
        "4294967296, 0, 0, false", "4026479381, 0, -3, false"})
    void boundingBox(long dim, long upper, long lower, boolean accepted) {
        int rank = Math.abs(lower) > 128 || Math.abs(upper) > 128 ? 3 : 4;
        Im2colTensorMapBuilder map = Im2colTensorMap.innermostFirst(TensorDataType.UINT32).channels(16).pixels(8);
        if (rank == 3) {
            map.shape(64, dim, 64).stridesInBytes(256, 1 << 20).lowerCorner(lower).upperCorner(upper);
        } else {
            map.shape(64, dim, 64, 64).stridesInBytes(256, 1 << 20, 1 << 21).lowerCorner(lower, 0)
                    .upperCorner(upper, 0);
        }
        assertEquals(accepted, map.validate(Target.SM_90).ok());
    }

    @ParameterizedTest(name = "interleave {0}: a box of W {1} x H {2} with lower corner 100 along {3}, accepted {4}")
    @CsvSource({"NONE, 64, 200, 0, false", "NONE, 64, 200, 1, true", "B16, 64, 200, 1, false"})
    void interleavedSpatialDimensionsStartAtZero(Interleave interleave, long w, long h, int corner, boolean accepted) {
        Im2colCall call = Im2colTensorMap.innermostFirst(TensorDataType.UINT32).shape(300, w, h, 4)
                .stridesInBytes(4800, 1 << 20, 1 << 26).interleave(interleave)
                .lowerCorner(corner == 0 ? 100 : 0, corner == 1 ? 100 : 0).channels(16).pixels(8).at(4096);
        assertEquals(accepted, Validation.of(call, Target.SM_90).ok());
    }

    @ParameterizedTest(name = "box[1] {0} of 912 bytes: accepted {1}")
    @CsvSource({"256, true", "257, false"})
    void boxBytes(long rows, boolean accepted) {
        TiledCall call = TiledTensorMap.innermostFirst(TensorDataType.UINT32).shape(1024, 1024).box(228, rows).at(4096);
        assertEquals(accepted, Validation.of(call, Target.SM_90).ok());
        TiledCall three = new TiledCall(0, 4096, List.of(4096L, 64L, 64L), List.of(4096L, 4096L),
                List.of(256L, 57L, 16L), List.of(1L, 1L, 1L), 0, 0, 0, 0);
        assertEquals(true, Validation.of(three, Target.SM_90).ok());
    }
}
