package dev.tilewright.tensormap.sm90;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.layout.Swizzle;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.MapEdit;
import dev.tilewright.ptx.Target;
import dev.tilewright.tensormap.DecodedTensorMap;
import dev.tilewright.tensormap.Interleave;
import dev.tilewright.tensormap.L2Promotion;
import dev.tilewright.tensormap.OobFill;
import dev.tilewright.tensormap.TensorMapDescriptor;
import dev.tilewright.tensormap.TensorMapEncoder;
import dev.tilewright.tensormap.TiledTensorMap;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** A field that is replaced decodes to the description in which it is different, and to nothing else. */
class Sm90ReplaceTest {
    private static final TiledTensorMap MAP = new TiledTensorMap(TensorDataType.FLOAT32, List.of(64L, 100L, 7L),
            List.of(256L, 25600L), List.of(16, 8, 2), List.of(1, 2, 1), Interleave.NONE, Swizzle.NONE, L2Promotion.B128,
            OobFill.NAN);

    private static TiledTensorMap with(TensorDataType type, List<Long> dims, List<Long> strides, List<Integer> box,
            List<Integer> steps, Swizzle swizzle, OobFill fill) {
        return new TiledTensorMap(type, dims, strides, box, steps, MAP.interleave(), swizzle, MAP.l2Promotion(), fill);
    }

    private static TiledTensorMap with(TensorDataType type) {
        return with(type, MAP.dims(), MAP.strides(), MAP.box(), MAP.elementStrides(), MAP.swizzle(), MAP.fill());
    }

    static Stream<Arguments> edits() {
        long far = 0x7F12_3456_7890L;
        return Stream.of(
                Arguments.of(new MapEdit.GlobalAddress(Expr.of(far)), MAP, far),
                Arguments.of(new MapEdit.GlobalDim(0, Integer.MAX_VALUE), dims(Integer.MAX_VALUE, 100, 7),
                4096), Arguments.of(new MapEdit.GlobalDim(1, 1), dims(64, 1, 7), 4096),
                Arguments.of(new MapEdit.GlobalDim(2, -1), dims(64, 100, (1L << 32) - 1), 4096),
                Arguments.of(new MapEdit.GlobalStride(0, 512), strides(512, 25600), 4096),
                Arguments.of(new MapEdit.GlobalStride(1, (1L << 40) - 16), strides(256, (1L << 40) - 16),
                4096), Arguments.of(new MapEdit.BoxDim(0, 256), box(256, 8, 2), 4096),
                Arguments.of(new MapEdit.BoxDim(2, 1), box(16, 8, 1), 4096),
                Arguments.of(new MapEdit.ElementStride(2, 8), steps(1, 2, 8), 4096),
                Arguments.of(new MapEdit.ElementType(TensorDataType.TFLOAT32), with(TensorDataType.TFLOAT32), 4096),
                Arguments.of(new MapEdit.ElementType(TensorDataType.TFLOAT32_FTZ), with(TensorDataType.TFLOAT32_FTZ),
                4096), Arguments.of(new MapEdit.ElementType(TensorDataType.BFLOAT16), with(TensorDataType.BFLOAT16),
                4096), Arguments.of(new MapEdit.ElementType(TensorDataType.FLOAT32_FTZ),
                with(TensorDataType.FLOAT32_FTZ), 4096), Arguments.of(new MapEdit.SwizzleMode(Swizzle.B64),
                with(MAP.type(), MAP.dims(), MAP.strides(), MAP.box(),
                        MAP.elementStrides(), Swizzle.B64, MAP.fill()), 4096),
                Arguments.of(new MapEdit.FillMode(OobFill.ZERO), with(MAP.type(), MAP.dims(), MAP.strides(), MAP.box(),
                        MAP.elementStrides(), MAP.swizzle(), OobFill.ZERO), 4096));
    }

    private static TiledTensorMap dims(long... dims) {
        return with(MAP.type(), Arrays.stream(dims).boxed().toList(), MAP.strides(), MAP.box(), MAP.elementStrides(),
                MAP.swizzle(), MAP.fill());
    }

    private static TiledTensorMap strides(long... strides) {
        return with(MAP.type(), MAP.dims(), Arrays.stream(strides).boxed().toList(), MAP.box(), MAP.elementStrides(),
                MAP.swizzle(), MAP.fill());
    }

    private static TiledTensorMap box(Integer... box) {
        return with(MAP.type(), MAP.dims(), MAP.strides(), List.of(box), MAP.elementStrides(), MAP.swizzle(),
                MAP.fill());
    }

    private static TiledTensorMap steps(Integer... steps) {
        return with(MAP.type(), MAP.dims(), MAP.strides(), MAP.box(), List.of(steps), MAP.swizzle(), MAP.fill());
    }

    @ParameterizedTest
    @EnumSource
    void roundingToTf32Stays(TensorDataType type) {
        TiledTensorMap tf32 = with(TensorDataType.TFLOAT32);
        byte[] bytes = TensorMapEncoder.java().encode(tf32, 4096, Target.SM_90A).bytes();
        Sm90Replace.apply(MemorySegment.ofArray(bytes), new MapEdit.ElementType(type).form(), 0);
        byte[] expected = TensorMapEncoder.java().encode(tf32, 4096, Target.SM_90A).bytes();
        int format = Sm90Layout.format(type);
        expected[0x08] = (byte) (expected[0x08] & 0x7F | format << 7);
        expected[0x09] = (byte) (expected[0x09] & ~7 | format >> 1);
        assertArrayEquals(expected, bytes);
    }

    @ParameterizedTest
    @MethodSource("edits")
    void theDescriptionHasTheNewValue(MapEdit edit, TiledTensorMap expected, long address) {
        byte[] bytes = TensorMapEncoder.java().encode(MAP, 4096, Target.SM_90A).bytes();
        Sm90Replace.apply(MemorySegment.ofArray(bytes), edit.form(),
                edit.value().map(e -> ((Expr.Const) e).value()).orElse(0L));
        DecodedTensorMap decoded = TensorMapDescriptor.of(bytes).decode();
        assertEquals(expected, decoded.map());
        assertEquals(address, decoded.address());
    }
}
