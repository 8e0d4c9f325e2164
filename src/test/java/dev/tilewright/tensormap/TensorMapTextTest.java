package dev.tilewright.tensormap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.layout.Swizzle;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.ptx.Target;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What people read of a map: the whole text, and the numbers behind it. */
class TensorMapTextTest {

    @Test
    void tiled() {
        assertEquals("""
                kind             tile, 2 dimensions, lists below start with the innermost
                type             BFLOAT16, 2 bytes
                shape            4104 x 100
                strides          8208 bytes
                box              48 x 64
                element strides  1 x 3
                modes            swizzle 128B, interleave none, L2 promotion 128B, out of bounds zeros
                bytes per box    2112 (22 rows of 96)
                expect_tx        2112, also where the box is out of bounds
                shared memory    2816 bytes, of which 704 in gaps: rows start 128 apart
                alignment        shared base a multiple of 1024; first coordinate a multiple of 8
                boxes to cover   86 x 2
                out of bounds    dim[0]: the last box has 24 of 48; dim[1]: the last box has 12 of 22
                warning          box[1] is 64 and should be a multiple of elementStride[1] = 3: use 66, which moves \
                the same elements (element-stride-remainder)
                warning          swizzle is 3 (128B) and should be used with shared buffers aligned to 1024 bytes: \
                align each buffer and each stage to 1024 (swizzle-base)
                warning          box[0] is 48 and should be 64 elements to fill the 128 bytes between rows: use 64, or \
                no swizzle; 32 bytes of each row stay untouched (swizzle-gap)
                """, TiledTensorMap.outermostFirst(TensorDataType.BFLOAT16).shape(100, 4104).box(64, 48)
                .elementStrides(3, 1).swizzle(Swizzle.B128).l2Promotion(L2Promotion.B128).build(Target.SM_90)
                .describe());
    }

    @Test
    void im2col() {
        assertEquals("""
                kind             im2col, 4 dimensions, lists below start with the innermost
                type             TFLOAT32, 4 bytes; loads round to TF32 (10 mantissa bits)
                shape            32 x 56 x 48 x 8
                strides          128, 7168, 344064 bytes
                bounding box     [-1, 54] x [-1, 46]
                one copy         64 pixels of 32 channels
                modes            swizzle none, interleave none, L2 promotion none, out of bounds NaN
                bytes per box    8192 (64 rows of 128)
                expect_tx        8192, also where the box is out of bounds
                shared memory    8192 bytes, no gaps
                alignment        shared base a multiple of 128; first coordinate a multiple of 4
                """, Im2colTensorMap.outermostFirst(TensorDataType.TFLOAT32).shape(8, 48, 56, 32).lowerCorner(-1, -1)
                .upperCorner(-1, -1).channels(32).pixels(64).fill(OobFill.NAN).build(Target.SM_90).describe());
    }

    @Test
    void wide() {
        assertTrue(Im2colWideTensorMap.outermostFirst(TensorDataType.FLOAT16).shape(8, 48, 56, 64).widthCorners(-1, 2)
                .channels(64).pixels(64).swizzle(Swizzle.B128).build(Target.SM_100).describe()
                .contains("bounding box     [-1, 57] along W\none copy         64 pixels of 64 channels, mode W\n"));
    }

    @Test
    void anInvalidMapShowsItsErrorsInsteadOfNumbers() {
        TiledTensorMap bad = new TiledTensorMap(TensorDataType.UINT8, List.of(64L), List.of(),
                List.of(Integer.MAX_VALUE), List.of(0), Interleave.NONE, Swizzle.NONE, L2Promotion.NONE, OobFill.ZERO);
        String text = bad.describe();
        assertTrue(text.contains("error            box[0] is 2147483647 and must be in [1, 256]"), text);
        assertTrue(!text.contains("expect_tx"), text);
    }

    /** Against interleave-load recordings: slices of 32 bytes, dimension rank - 2 moves one step. */
    @Test
    void interleavedFootprint() {
        TiledTensorMap map = TiledTensorMap.innermostFirst(TensorDataType.FLOAT32_FTZ).shape(8, 17, 18)
                .stridesInBytes(256, 4352).box(28, 8, 24).interleave(Interleave.B32).swizzle(Swizzle.B32)
                .build(Target.SM_90);
        assertEquals(new BoxFootprint(24, 896, 896, 21504, 21504, 256), BoxFootprint.of(map));
    }

    @Test
    void edges() {
        TiledTensorMap map = TiledTensorMap.innermostFirst(TensorDataType.UINT8).shape(100, 10, 7)
                .stridesInBytes(112, 1120)
                .box(32, 5, 8).elementStrides(1, 2, 3).build(Target.SM_90);
        assertEquals(List.of(new EdgeReport(0, 4, 32, 4), new EdgeReport(1, 2, 3, 3), new EdgeReport(2, 1, 3, 3)),
                EdgeReport.of(map));
        assertTrue(EdgeReport.of(map).getFirst().isPartial());
    }
}
