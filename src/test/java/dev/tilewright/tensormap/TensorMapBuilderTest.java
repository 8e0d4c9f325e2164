package dev.tilewright.tensormap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tilewright.layout.Swizzle;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.ptx.Target;
import dev.tilewright.tensormap.call.TiledCall;
import java.util.List;
import org.junit.jupiter.api.Test;

class TensorMapBuilderTest {

    @Test
    void outermostFirstIsWhatNumPyShapesAre() {
        TiledTensorMap map = TiledTensorMap.outermostFirst(TensorDataType.BFLOAT16).shape(1024, 4096).box(32, 64)
                .swizzle(Swizzle.B128).l2Promotion(L2Promotion.B256).fill(OobFill.NAN).build(Target.SM_90);
        assertEquals(new TiledTensorMap(TensorDataType.BFLOAT16, List.of(4096L, 1024L), List.of(8192L), List.of(64, 32),
                List.of(1, 1), Interleave.NONE, Swizzle.B128, L2Promotion.B256, OobFill.NAN), map);
    }

    @Test
    void stridesInElementsOrBytesWithOrWithoutTheInnermost() {
        TiledTensorMapBuilder matrix = TiledTensorMap.outermostFirst(TensorDataType.FLOAT32).shape(16, 8).box(4, 4);
        List<Long> bytes = List.of(48L);
        assertEquals(bytes, matrix.stridesInElements(12, 1).at(16).strides());
        assertEquals(bytes, matrix.stridesInElements(12).at(16).strides());
        assertEquals(bytes, matrix.stridesInBytes(48, 4).at(16).strides());
        assertEquals(bytes, matrix.stridesInBytes(48).at(16).strides());
        assertEquals(List.of("list-lengths"), matrix.stridesInElements(1, 16).validate(Target.SM_90).errors().stream()
                .map(v -> v.rule().id()).filter(id -> !id.startsWith("stride")).toList());
    }

    @Test
    void overflowingStridesAreViolations() {
        TensorMapException e = assertThrows(TensorMapException.class, () -> TiledTensorMap
                .outermostFirst(TensorDataType.FLOAT64).shape(2, 1L << 40, 1L << 40).box(1, 1, 2).build(Target.SM_90));
        assertEquals(List.of("dim-range", "dim-range", "stride-aligned", "stride-range", "stride-range"),
                e.validation().errors().stream().map(v -> v.rule().id()).toList());
    }

    @Test
    void im2colReadsTheShapeOfAnImage() {
        Im2colTensorMap map = Im2colTensorMap.outermostFirst(TensorDataType.FLOAT16).shape(8, 48, 56, 64)
                .lowerCorner(-1, -2).upperCorner(-1, 0).channels(64).pixels(128).swizzle(Swizzle.B128)
                .build(Target.SM_90);
        assertEquals(List.of(64L, 56L, 48L, 8L), map.dims());
        assertEquals(List.of(128L, 7168L, 344064L), map.strides());
        assertEquals(List.of(-2, -1), map.lower());
        assertEquals(List.of(0, -1), map.upper());
        assertEquals(16384, map.transactionBytes());
    }

    @Test
    void wideMapsAreForLaterTargets() {
        Im2colWideTensorMapBuilder wide = Im2colWideTensorMap.outermostFirst(TensorDataType.FLOAT16)
                .shape(8, 48, 56, 64)
                .widthCorners(-1, -1).channels(64).pixels(9999).wideMode(Im2colWideMode.W128).swizzle(Swizzle.B128);
        Im2colWideTensorMap map = wide.build(Target.SM_100);
        assertEquals(128, map.boxRows());
        assertEquals(map, TensorMap.of(wide.at(64)));
        assertEquals("target-wide", wide.validate(Target.SM_90).errors().getFirst().rule().id());
        assertThrows(dev.tilewright.MissingRequirementException.class, () -> map.encode(Target.SM_100, 4096));
    }

    @Test
    void interleavedTensorsAreDenseInSlices() {
        TiledCall call = TiledTensorMap.innermostFirst(TensorDataType.UINT8).shape(7, 5, 3).box(16, 1, 1)
                .interleave(Interleave.B32).at(64);
        assertEquals(List.of(224L, 1120L), call.strides());
    }

    @Test
    void aMatrixSaysWhatWasChosen() {
        RowMajorMatrix matrix = RowMajorMatrix.of(TensorDataType.FLOAT16, 1000, 4096, 64, 32, Target.SM_90);
        assertEquals(Swizzle.B64, matrix.map().swizzle());
        assertEquals(List.of(4096L, 1000L), matrix.map().dims());
        assertEquals(List.of(
                "row stride 8192 bytes: 4096 columns of 2 bytes, no padding",
                "every element of the box is taken: element strides 1",
                "interleave none, L2 promotion none, out of bounds zeros",
                "swizzle 64B: rows of the box are 64 bytes"), matrix.choices());
        assertEquals(Swizzle.NONE, RowMajorMatrix.of(TensorDataType.FLOAT16, 1000, 4096, 64, 128, Target.SM_90).map()
                .swizzle());
    }

    @Test
    void aMatrixWithOddRowsSaysHowToPad() {
        TensorMapException e = assertThrows(TensorMapException.class,
                () -> RowMajorMatrix.of(TensorDataType.FLOAT16, 1000, 4095, 64, 32, Target.SM_90));
        assertEquals("stride[0] is 8190 and must be a multiple of 16 bytes: pad it to 8192 bytes (stride-aligned)",
                e.validation().errors().getFirst().message());
    }
}
