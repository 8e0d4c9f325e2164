package dev.tilewright.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.MissingRequirementException;
import dev.tilewright.Thorough;
import dev.tilewright.gpu.device.CudaException;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.ptx.Target;
import dev.tilewright.recording.RandomEncodeCalls;
import dev.tilewright.tensormap.TensorMap;
import dev.tilewright.tensormap.TensorMapEncoder;
import dev.tilewright.tensormap.TensorMapException;
import dev.tilewright.tensormap.TensorMapMismatchException;
import dev.tilewright.tensormap.TiledTensorMap;
import dev.tilewright.tensormap.call.EncodeCall;
import dev.tilewright.tensormap.call.Im2colCall;
import dev.tilewright.tensormap.call.Im2colWideCall;
import dev.tilewright.tensormap.call.TiledCall;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How calls reach the driver and what becomes of its answers, without one. */
class DriverTensorMapEncoderTest {
    private static final TiledTensorMap MATRIX =
            TiledTensorMap.denseInnermostFirst(TensorDataType.FLOAT32, List.of(100L, 60L), List.of(32, 8),
            Swizzle.B128);

    private final StandInDriver driver = new StandInDriver();
    private final DriverTensorMapEncoder encoder = driver.encoder(0);

    @Test
    void argumentsArriveAsTheyWereGivenInCallsOfSeed7() {
        TensorMapEncoder both = TensorMapEncoder.comparing(TensorMapEncoder.java(), encoder);
        RandomEncodeCalls calls = new RandomEncodeCalls(7);
        int oneIn = Thorough.of(6, 1);
        int accepted = 0;
        int asked = 0;
        for (int i = 0; i < 20_000; i++) {
            EncodeCall call = calls.next();
            if (!Thorough.takes(i, oneIn)) {
                continue;
            }
            driver.last = null;
            try {
                String bytes = both.encode(call, Target.SM_90).hex();
                assertEquals(call, driver.last);
                assertEquals(bytes, encoder.encode(TensorMap.of(call), call.address(), Target.SM_90).hex());
                assertEquals(call, driver.last);
                accepted++;
            } catch (TensorMapException e) {
                assertEquals(DriverTensorMapEncoder.canAsk(call), driver.last != null);
            }
            asked += driver.last == null ? 0 : 1;
        }
        assertTrue(accepted > 3_000 / oneIn && asked > accepted + 3_000 / oneIn, accepted + " of " + asked);
    }

    @Test
    void whatItsParametersCannotHoldIsRefusedWithoutAsking() {
        TiledCall fine = MATRIX.at(4096);
        assertTrue(DriverTensorMapEncoder.canAsk(fine));
        // 2^32 + 8 would arrive as 8, and be accepted.
        assertRefusedUnasked(with(fine, fine.strides(), List.of(32L, (1L << 32) + 8), fine.swizzle()));
        assertRefusedUnasked(with(fine, fine.strides(), fine.box(), (1L << 32) + 3));
        // Too short a list would be read beyond its end.
        assertRefusedUnasked(with(fine, fine.strides(), List.of(32L), fine.swizzle()));
        assertRefusedUnasked(with(fine, List.of(), fine.box(), fine.swizzle()));
        // Huge as unsigned numbers: the driver can be asked, and refuses.
        assertTrue(DriverTensorMapEncoder.canAsk(with(fine, List.of(-16L), List.of(32L, -1L), -1)));
        assertThrows(TensorMapException.class, () -> encoder.encode(with(fine, List.of(-16L), List.of(32L, -1L), 3),
                Target.SM_90));
        assertEquals(1, driver.calls);
    }

    @Test
    void cornersAreSigned() {
        Im2colCall call = new Im2colCall(7, 4096, List.of(32L, 20L, 30L), List.of(128L, 2560L), List.of(-4L),
                List.of(-3L), 32, 16, List.of(1L, 2L, 1L), 0, 3, 1, 1);
        assertEquals(TensorMapEncoder.java().encode(call, Target.SM_90), encoder.encode(call, Target.SM_90));
        assertEquals(call, driver.last);
        assertRefusedUnasked(new Im2colCall(7, 4096, call.dims(), call.strides(), List.of((1L << 32) - 4), call.upper(),
                32, 16, call.elementStrides(), 0, 3, 1, 1));
    }

    private static TiledCall with(TiledCall c, List<Long> strides, List<Long> box, long swizzle) {
        return new TiledCall(c.dataType(), c.address(), c.dims(), strides, box, c.elementStrides(), c.interleave(),
                swizzle, c.l2Promotion(), c.fill());
    }

    private void assertRefusedUnasked(EncodeCall call) {
        int before = driver.calls;
        assertFalse(DriverTensorMapEncoder.canAsk(call));
        TensorMapException e = assertThrows(TensorMapException.class, () -> encoder.encode(call, Target.SM_90));
        assertFalse(e.validation().ok(), e::getMessage);
        assertEquals(before, driver.calls);
    }

    @Test
    void aRefusalCarriesEveryViolation() {
        TiledTensorMap wrong =
                TiledTensorMap.denseInnermostFirst(TensorDataType.FLOAT32, List.of(101L, 60L), List.of(64, 300),
                Swizzle.B128);
        byte[] bytes = new byte[TensorMapEncoder.BYTES];
        assertEquals("""
                cuTensorMapEncodeTiled refuses this tensor map: 4 errors and 3 warnings for sm_90a (indices count from \
                the \
                innermost dimension)
                  error: address is 0x1008 and must be a multiple of 16: start at 0x1000 with the box's coordinates \
                shifted, \
                or copy the tensor to an aligned allocation (address-aligned)
                  error: stride[0] is 404 and must be a multiple of 16 bytes: pad it to 416 bytes (stride-aligned)
                """.lines().toList(), assertThrows(TensorMapException.class,
                        () -> encoder.encode(wrong, 4104, Target.SM_90A, MemorySegment.ofArray(bytes))).getMessage()
                                .lines().limit(3).toList());
        assertEquals(List.of("address-aligned", "stride-aligned", "box-range", "swizzle-span"),
                assertThrows(TensorMapException.class, () -> encoder.encode(wrong.at(4104), Target.SM_90A)).validation()
                        .errors().stream().map(v -> v.rule().id()).toList());
        assertEquals(-1, MemorySegment.ofArray(bytes).mismatch(MemorySegment.ofArray(new byte[bytes.length])));
    }

    @Test
    void aRefusalThatNoRuleExplainsShowsTheCall() {
        driver.answer = 1;
        assertEquals("cuTensorMapEncodeTiled refuses this tensor map, and no rule explains why (" + MATRIX.at(4096)
                + "): " + MATRIX.validate(Target.SM_90).report(), assertThrows(TensorMapException.class,
                        () -> encoder.encode(MATRIX, 4096, Target.SM_90)).getMessage());
        TensorMapMismatchException e = assertThrows(TensorMapMismatchException.class,
                () -> TensorMapEncoder.comparing(TensorMapEncoder.java(), encoder).encode(MATRIX, 4096, Target.SM_90));
        assertEquals("the driver refuses what pure Java accepts: " + MATRIX.at(4096), e.getMessage());
    }

    @Test
    void otherErrorsAreTheContexts() {
        driver.answer = 201;
        String message = "cuTensorMapEncodeTiled failed: CUDA_ERROR_INVALID_CONTEXT (201): invalid context";
        assertEquals(message, assertThrows(CudaException.class,
                () -> encoder.encode(MATRIX, 4096, Target.SM_90)).getMessage());
        assertEquals(message, assertThrows(CudaException.class,
                () -> encoder.encode(MATRIX.at(4096), Target.SM_90)).getMessage());
    }

    @Test
    void itKnowsTheTargetsOfItsGpu() {
        assertTrue(encoder.supports(Target.SM_90) && encoder.supports(Target.SM_90A));
        assertFalse(encoder.supports(Target.SM_100) || encoder.supports(Target.SM_80));
        assertEquals("the driver encodes tensor maps for the GPU that is there, sm_90a, not for sm_100",
                assertThrows(MissingRequirementException.class, () -> encoder.encode(MATRIX, 4096, Target.SM_100))
                .getMessage());
        assertEquals("a tensor map takes 128 bytes, the destination has 127",
                assertThrows(IllegalArgumentException.class,
                () -> encoder.encode(MATRIX, 4096, Target.SM_90, MemorySegment.ofArray(new byte[127]))).getMessage());
    }

    @Test
    void wideMapsSayWhy() {
        Im2colWideCall wide = new Im2colWideCall(7, 4096, List.of(32L, 20L, 30L), List.of(128L, 2560L), 0, 0, 32, 16,
                List.of(1L, 1L, 1L), 0, 0, 3, 0, 0);
        assertEquals(List.of("target-wide"), assertThrows(TensorMapException.class,
                () -> encoder.encode(wide, Target.SM_90))
                .validation().errors().stream().map(v -> v.rule().id()).toList());
        DriverTensorMapEncoder later = driver.encoder(1);
        String message = "wide im2col maps cannot be encoded here: cuTensorMapEncodeIm2colWide is not bound, and their "
                + "layout"
                + " is not known";
        assertEquals(message, assertThrows(MissingRequirementException.class,
                () -> later.encode(wide, Target.SM_100)).getMessage());
        assertEquals(message, assertThrows(MissingRequirementException.class,
                () -> later.encode(TensorMap.of(wide), 4096, Target.SM_100)).getMessage());
    }
}
