package dev.tilewright.tensormap.rules;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.layout.Swizzle;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.ptx.Target;
import dev.tilewright.tensormap.Im2colTensorMap;
import dev.tilewright.tensormap.Im2colTensorMapBuilder;
import dev.tilewright.tensormap.Im2colWideTensorMap;
import dev.tilewright.tensormap.Im2colWideTensorMapBuilder;
import dev.tilewright.tensormap.Interleave;
import dev.tilewright.tensormap.TensorMapException;
import dev.tilewright.tensormap.TiledTensorMap;
import dev.tilewright.tensormap.TiledTensorMapBuilder;
import dev.tilewright.tensormap.Validation;
import dev.tilewright.tensormap.call.EncodeCall;
import dev.tilewright.tensormap.call.Im2colWideCall;
import dev.tilewright.tensormap.call.TiledCall;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every rule, broken once, with the whole message. */
class TensorMapRulesTest {

    private record Broken(EncodeCall call, Target target, String message) {
    }

    private static TiledTensorMapBuilder floats() {
        return TiledTensorMap.innermostFirst(TensorDataType.FLOAT32).shape(64, 64, 64).box(8, 8, 8);
    }

    private static Im2colTensorMapBuilder image() {
        return Im2colTensorMap.innermostFirst(TensorDataType.FLOAT16).shape(64, 56, 56, 8).channels(64).pixels(64);
    }

    private static Im2colWideTensorMapBuilder wideImage() {
        return Im2colWideTensorMap.innermostFirst(TensorDataType.FLOAT16).shape(64, 56, 56, 8).channels(64).pixels(64)
                .swizzle(Swizzle.B128);
    }

    /** A valid tiled call but for what is given: type, dims, strides, box, interleave, swizzle. */
    private static TiledCall raw(long type, List<Long> dims, List<Long> strides, List<Long> box, long interleave,
            long swizzle) {
        return new TiledCall(type, 4096, dims, strides, box, java.util.Collections.nCopies(dims.size(), 1L), interleave,
                swizzle, 0, 0);
    }

    private static TiledCall packed(long type, long dim, long stride, long box, long interleave, long swizzle) {
        return raw(type, List.of(dim, 64L, 64L), List.of(stride, stride * 64), List.of(box, 8L, 8L), interleave,
                swizzle);
    }

    private static TiledCall withEnums(long type, long interleave, long swizzle, long l2, long fill) {
        return new TiledCall(type, 4096, List.of(64L, 64L, 64L), List.of(256L, 16384L), List.of(8L, 8L, 8L),
                List.of(1L, 1L, 1L), interleave, swizzle, l2, fill);
    }

    private static List<Broken> broken() {
        Target h = Target.SM_90;
        Target b = Target.SM_100;
        return List.of(
                new Broken(floats().at(4096), Target.SM_80,
                "target is sm_80 and must be sm_90 or later: use a copy that"
                        + " does without a tensor map there (cp.async) (target-tma)"),
                new Broken(wideImage().at(4096), h, "target is sm_90 and must be sm_100 or later: use an im2col map"
                        + " (target-wide)"),
                new Broken(withEnums(16, 0, 0, 0, 0), h, "dtype is 16 and must be in [0, 15]: use 0 (UINT8) to 12"
                        + " (TFLOAT32_FTZ) (dtype-known)"),
                new Broken(packed(13, 64, 64, 32, 0, 0), h,
                "dtype is 13 and must be in [0, 12] for sm_90: move the packed"
                        + " data as UINT8 (0) (dtype-packed-target)"),
                new Broken(withEnums(2, 3, 0, 0, 0), h, "interleave is 3 and must be in [0, 2]: use 0 (none), 1 (16B) "
                + "or 2"
                        + " (32B) (interleave-known)"),
                new Broken(withEnums(2, 0, 7, 0, 0), h, "swizzle is 7 and must be in [0, 6]: use 0 (none), 1 (32B), 2 "
                + "(64B)"
                        + " or 3 (128B) (swizzle-known)"),
                new Broken(withEnums(2, 0, 4, 0, 0), h, "swizzle is 4 (128B, 32-byte atoms) and must be in [0, 3] for "
                + "sm_90:"
                        + " use 3 (128B) (swizzle-atom-target)"),
                new Broken(withEnums(2, 0, 0, -1, 0), h, "l2 is -1 and must be in [0, 3]: use 0 (none), 1 (64B), 2 "
                + "(128B)"
                        + " or 3 (256B) (l2-known)"),
                new Broken(withEnums(2, 0, 0, 0, 2), h, "oob is 2 and must be in [0, 1]: use 0 (zeros) or 1 (NaN, for "
                + "float"
                        + " types) (oob-known)"),
                new Broken(withEnums(2, 0, 0, 0, 1), h, "oob is 1 and must be 0 (zeros) for UINT32: fill with zeros, "
                + "or use"
                        + " a float type (6 to 12) (oob-float)"),
                new Broken(wideMode(2), b, "wideMode is 2 and must be in [0, 1]: use 0 (W) or 1 (W128) "
                + "(wide-mode-known)"), new Broken(raw(7, List.of(), List.of(), List.of(), 0, 0), h,
                "rank is 0 and must be in [1, 5]: give the"
                        + " tensor's shape (rank-tile)"),
                new Broken(Im2colTensorMap.innermostFirst(TensorDataType.FLOAT16).shape(64, 56).channels(64).pixels(64)
                        .at(4096), h, "rank is 2 and must be in [3, 5]: use the shape NWC, NHWC or NDHWC "
                        + "(rank-im2col)"),
                new Broken(TiledTensorMap.innermostFirst(TensorDataType.FLOAT32).shape(64, 64).box(8, 8)
                        .interleave(Interleave.B16).at(4096), h, "rank is 2 and must be at least 3 with interleave: use"
                        + " interleave none, or add dimensions of extent 1 (rank-interleave)"),
                new Broken(floats().stridesInBytes(16, 256, 16384).at(4096), h,
                "stride is a list of 3 and must be a list of"
                        + " 2 for 3 dimensions: leave out the innermost stride, which is always one element "
                        + "(list-lengths)"),
                new Broken(floats().at(0x1008), h, "address is 0x1008 and must be a multiple of 16: start at 0x1000 "
                + "with"
                        + " the box's coordinates shifted, or copy the tensor to an aligned allocation "
                        + "(address-aligned)"),
                new Broken(floats().at(1L << 57), h, "address is 0x200000000000000 and must be below 2^57: pass a "
                + "device"
                        + " pointer (address-range)"),
                new Broken(floats().at(0), h, "address is null and should be a device pointer: bind the address "
                + "before a"
                        + " kernel uses the map (address-null)"),
                new Broken(floats().swizzle(Swizzle.B32).at(0x1010), h,
                "address is 0x1010 and should be a multiple of 128:"
                        + " align the allocation to stay within the documentation (address-swizzle-128)"),
                new Broken(floats().shape(64, 0, 64).at(4096), h, "dim[1] is 0 and must be in [1, 4294967296]: leave an"
                        + " empty tensor out, or make the extent at least 1 (dim-range)"),
                new Broken(packed(15, 100, 96, 128, 0, 0), b,
                "dim[0] is 100 and must be a multiple of 128: pad it to 128"
                        + " (dim-packed)"),
                new Broken(floats().shape(101, 64, 64).at(4096), h,
                "stride[0] is 404 and must be a multiple of 16 bytes:"
                        + " pad it to 416 bytes (strides [416, 26624]) (stride-aligned)"),
                new Broken(floats().stridesInBytes(256, 1L << 40).at(4096), h,
                "stride[1] is 1099511627776 and must be in"
                        + " [0, 1099511627760]: use several maps, each with an address of its own (stride-range)"),
                new Broken(floats().stridesInBytes(256, 0).at(4096), h,
                "stride[1] is 0 and should be at least 256 bytes,"
                        + " what the dimensions inside it cover: keep it if every index is meant to read the same "
                        + "elements"
                        + " (stride-overlap)"),
                new Broken(floats().box(8, 8, 257).at(4096), h,
                "box[2] is 257 and must be in [1, 256]: use 256 and cover"
                        + " the rest with more copies (box-range)"),
                new Broken(floats().box(9, 8, 8).at(4096), h,
                "box[0] is 9 and must be a multiple of 4 elements (16 bytes of"
                        + " FLOAT32): use 12 or 8 (inner-bytes)"),
                new Broken(packed(14, 128, 64, 64, 0, 0), b, "box[0] is 64 and must be 128 for 16U4_ALIGN16B: use 128"
                        + " (box-packed)"),
                new Broken(floats().elementStrides(1, 9, 1).at(4096), h, "elementStride[1] is 9 and must be in [1, 8]:"
                        + " multiply the tensor's stride instead (element-stride-range)"),
                new Broken(floats().shape(256, 256, 256).box(64, 64, 64).at(4096), h,
                "box is 1048576 bytes and must be at"
                        + " most 233472 bytes: the largest box[2] that fits is 14 (box-bytes)"),
                new Broken(image().lowerCorner(0, -129).at(4096), h,
                "lower[1] is -129 and must be in [-128, 127]: use fewer"
                        + " spatial dimensions, or crop or pad the tensor (corner-range)"),
                new Broken(image().lowerCorner(5, 0).upperCorner(-51, 0).at(4096), h, "lower[0] is 5 and must be below"
                        + " dim[1] + upper = 56 + -51: use at most 4, or a larger upper corner (bounding-box)"),
                new Broken(image().channels(264).at(4096), h,
                "channels is 264 and must be in [1, 256]: use 256 and more"
                        + " copies (channels-range)"),
                new Broken(image().pixels(0).at(4096), h, "pixels is 0 and must be in [1, 1024]: take at least one"
                        + " (pixels-range)"),
                new Broken(floats().box(12, 8, 8).swizzle(Swizzle.B32).at(4096), h, "box[0] is 12 and must be at most 8"
                        + " elements (32 bytes) for swizzle 1 (32B): use 8, or use swizzle 64B or 128B (swizzle-span)"),
                new Broken(wideImage().channels(16).swizzle(Swizzle.B32).at(4096), b, "swizzle is 1 (32B) and must be 2"
                        + " (64B), 3 (128B) or 4 (128B, 32-byte atoms): use 3 (128B) (swizzle-wide)"),
                new Broken(wideImage().interleave(Interleave.B16).at(4096), b,
                "interleave is 1 and must be 0 (none) in a"
                        + " wide map: use 0 (interleave-wide)"),
                new Broken(packed(15, 128, 96, 128, 1, 0), b,
                "interleave is 1 and must be 0 (none) for 16U6_ALIGN16B: use"
                        + " 0 (interleave-packed)"),
                new Broken(packed(14, 128, 64, 128, 0, 6), b,
                "swizzle is 6 (128B, 64-byte atoms) and must be one of [0, 3,"
                        + " 4] for 16U4_ALIGN16B: use 3 (128B) (swizzle-packed)"),
                new Broken(floats().interleave(Interleave.B32).at(4096), b,
                "swizzle is 0 (none) and must be 1 (32B) with"
                        + " interleave 32B: use 1 (swizzle-interleave-32)"),
                new Broken(floats().interleave(Interleave.B32).at(4096), h,
                "swizzle is 0 (none) and should be 1 (32B) with"
                        + " interleave 32B: use 1 (swizzle-interleave-32-sm90)"),
                new Broken(floats().box(8, 65, 8).at(4096), h, "box[1] is 65 and should be at most dim[1] = 64: use a"
                        + " smaller box; the part outside moves fill (box-beyond-tensor)"),
                new Broken(floats().elementStrides(2, 1, 1).at(4096), h, "elementStride[0] is 2 and should be 1 without"
                        + " interleave: use 1: the copy takes every element of dimension 0 (element-stride-ignored)"),
                new Broken(floats().elementStrides(1, 3, 1).at(4096), h, "box[1] is 8 and should be a multiple of"
                        + " elementStride[1] = 3: use 9, which moves the same elements (element-stride-remainder)"),
                new Broken(floats().swizzle(Swizzle.B32).at(4096), h,
                "swizzle is 1 (32B) and should be used with shared"
                        + " buffers aligned to 256 bytes: align each buffer and each stage to 256 (swizzle-base)"),
                new Broken(floats().swizzle(Swizzle.B64).at(4096), h,
                "box[0] is 8 and should be 16 elements to fill the 64"
                        + " bytes between rows: use 16, or swizzle 32B; 32 bytes of each row stay untouched"
                        + " (swizzle-gap)"),
                new Broken(floats().shape(66, 64, 64).stridesInElements(80, 8000).at(4096), h,
                "dim[0] is 66 and should be a"
                        + " multiple of 4 elements if the map is stored through: keep the bytes up to the next "
                        + "multiple of 16"
                        + " free; loads are not affected (store-clip)"),
                new Broken(floats().shape(256, 256, 256).box(64, 128, 8).at(4096), Target.SM_120,
                "box is 262144 bytes of"
                        + " shared memory and should be at most 101376 bytes for sm_120: take a smaller box"
                        + " (shared-memory)"));
    }

    private static Im2colWideCall wideMode(long mode) {
        Im2colWideCall w = wideImage().at(4096);
        return new Im2colWideCall(w.dataType(), w.address(), w.dims(), w.strides(), w.lowerWidth(), w.upperWidth(),
                w.channels(), w.pixels(), w.elementStrides(), w.interleave(), mode, w.swizzle(), w.l2Promotion(),
                w.fill());
    }

    @Test
    void everyRuleSaysWhatIsWrong() {
        assertAll(broken().stream().map(b -> () -> {
            Validation v = Validation.of(b.call(), b.target());
            List<String> messages = Stream.concat(v.errors().stream(), v.warnings().stream()).map(Violation::message)
                    .toList();
            assertTrue(messages.contains(b.message()), () -> b.message() + "\nis not among\n"
                    + String.join("\n", messages));
        }));
    }

    @Test
    void everyErrorExampleBreaksThatRuleAlone() {
        assertAll(broken().stream().map(b -> () -> {
            Set<String> ids = new HashSet<>();
            Validation.of(b.call(), b.target()).errors().forEach(e -> ids.add(e.rule().id()));
            String id = b.message().substring(b.message().lastIndexOf('(') + 1, b.message().length() - 1);
            boolean error = TensorMapRules.byId(id).severity() == Severity.ERROR;
            assertEquals(error ? Set.of(id) : Set.of(), ids);
        }));
    }

    @Test
    void everyRuleHasAnExample() {
        List<String> without = new ArrayList<>(TensorMapRules.all().stream().map(Rule::id).toList());
        broken().forEach(b -> without.removeIf(id -> b.message().endsWith("(" + id + ")")));
        assertEquals(List.of(), without);
    }

    @Test
    void everyRuleIsDocumented() {
        Set<String> ids = new HashSet<>();
        for (Rule rule : TensorMapRules.all()) {
            assertTrue(ids.add(rule.id()), rule.id() + " is there twice");
            assertFalse(rule.text().isBlank());
            assertFalse(rule.source().isBlank());
        }
        assertEquals("box-range (error, every target): each box extent is in [1, 256] [cuda.h, boxDim]",
                TensorMapRules.byId("box-range").toString());
        assertThrows(IllegalArgumentException.class, () -> TensorMapRules.byId("box"));
    }

    @Test
    void everythingIsReportedAtOnce() {
        TensorMapException e = assertThrows(TensorMapException.class, () -> TiledTensorMap
                .outermostFirst(TensorDataType.FLOAT32).shape(100, 1L << 33, 101).box(300, 3, 31)
                .elementStrides(1, 9, 1).swizzle(Swizzle.B64).build(Target.SM_90));
        assertEquals("""
                this tensor map cannot be encoded: 7 errors and 4 warnings for sm_90 (indices count from the innermost \
                dimension)
                  error: dim[1] is 8589934592 and must be in [1, 4294967296]: split the dimension in two (dim-range)
                  error: stride[0] is 404 and must be a multiple of 16 bytes: pad it to 416 bytes (stride-aligned)
                  error: stride[1] is 3470333575168 and must be in [0, 1099511627760]: use several maps, each with an \
                address of its own (stride-range)
                  error: box[2] is 300 and must be in [1, 256]: use 256 and cover the rest with more copies (box-range)
                  error: box[0] is 31 and must be a multiple of 4 elements (16 bytes of FLOAT32): use 32 or 28 \
                (inner-bytes)
                  error: elementStride[1] is 9 and must be in [1, 8]: multiply the tensor's stride instead \
                (element-stride-range)
                  error: box[0] is 31 and must be at most 16 elements (64 bytes) for swizzle 2 (64B): use 16, or use \
                swizzle 128B (swizzle-span)
                  warning: box[2] is 300 and should be at most dim[2] = 100: use a smaller box; the part outside moves \
                fill (box-beyond-tensor)
                  warning: box[1] is 3 and should be a multiple of elementStride[1] = 9: use 9, which moves the same \
                elements (element-stride-remainder)
                  warning: swizzle is 2 (64B) and should be used with shared buffers aligned to 512 bytes: align each \
                buffer and each stage to 512 (swizzle-base)
                  warning: dim[0] is 101 and should be a multiple of 4 elements if the map is stored through: \
                keep the bytes up to the next multiple of 16 free; loads are not affected (store-clip)""",
                e.getMessage());
        assertEquals(7, e.validation().errors().size());
    }

    @Test
    void suggestionsDo() {
        assertTrue(floats().shape(256, 256, 256).box(64, 64, 14).validate(Target.SM_90).ok());
        assertFalse(floats().shape(256, 256, 256).box(64, 64, 15).validate(Target.SM_90).ok());
        assertTrue(floats().shape(101, 64, 64).stridesInBytes(416, 26624).validate(Target.SM_90).ok());
        assertTrue(image().lowerCorner(4, 0).upperCorner(-51, 0).validate(Target.SM_90).ok());
    }

    @Test
    void transposedStridesDoNotOverlap() {
        Validation v = floats().shape(64, 8, 16).stridesInBytes(256 * 16, 256).validate(Target.SM_90);
        assertEquals(List.of(), v.warnings());
    }
}
