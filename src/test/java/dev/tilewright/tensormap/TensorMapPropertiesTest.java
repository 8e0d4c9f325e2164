package dev.tilewright.tensormap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tilewright.BadRequestException;
import dev.tilewright.MissingRequirementException;
import dev.tilewright.OrdinaryTries;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.ptx.Target;
import dev.tilewright.recording.RandomEncodeCalls;
import dev.tilewright.tensormap.call.EncodeCall;
import dev.tilewright.tensormap.call.Im2colCall;
import dev.tilewright.tensormap.call.Im2colWideCall;
import dev.tilewright.tensormap.call.TiledCall;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.Size;

/** Any integers at all: violations or the right bytes, and never anything else. */
class TensorMapPropertiesTest {

    private static Arbitrary<Long> anyLong() {
        return Arbitraries.oneOf(Arbitraries.longs(), Arbitraries.longs().between(-2, 300),
                Arbitraries.of(1L << 31, 1L << 32, (1L << 32) + 1, 1L << 40, (1L << 40) - 16, 1L << 57, Long.MAX_VALUE,
                        Long.MIN_VALUE, -16L));
    }

    private static Arbitrary<List<Long>> anyList() {
        return anyLong().list().ofMaxSize(7);
    }

    @Provide
    Arbitrary<EncodeCall> anyCalls() {
        Arbitrary<long[]> scalars = anyLong().array(long[].class).ofSize(9);
        Arbitrary<EncodeCall> tiled = Combinators.combine(scalars, anyList(), anyList(), anyList(), anyList())
                .as((s, dims, strides, box, steps) -> new TiledCall(s[0], s[1], dims, strides, box, steps, s[2], s[3],
                s[4],
                        s[5]));
        Arbitrary<EncodeCall> im2col = Combinators.combine(scalars, anyList(), anyList(), anyList(), anyList(),
                anyList())
                .as((s, dims, strides, lower, upper, steps) -> new Im2colCall(s[0], s[1], dims, strides, lower, upper,
                s[6],
                        s[7], steps, s[2], s[3], s[4], s[5]));
        Arbitrary<EncodeCall> wide = Combinators.combine(scalars, scalars, anyList(), anyList(), anyList())
                .as((s, t, dims, strides, steps) -> new Im2colWideCall(s[0], s[1], dims, strides, t[0], t[1], s[6],
                s[7],
                        steps, s[2], s[8], s[3], s[4], s[5]));
        return Arbitraries.oneOf(tiled, im2col, wide);
    }

    @Provide
    Arbitrary<EncodeCall> likelyCalls() {
        return Arbitraries.longs().map(seed -> new RandomEncodeCalls(seed).next());
    }

    @Property(tries = 1_250, edgeCases = EdgeCasesMode.NONE)
    @OrdinaryTries(120)
    void anyIntegersGiveViolations(@ForAll("anyCalls") EncodeCall call) {
        holds(call);
    }

    @Property(tries = 5_000)
    @OrdinaryTries(500)
    void likelyIntegersGiveViolationsOrTheRightBytes(@ForAll("likelyCalls") EncodeCall call) {
        holds(call);
    }

    private static void holds(EncodeCall call) {
        for (Target target : Target.KNOWN) {
            Validation validation = Validation.of(call, target);
            assertFalse(validation.report().isBlank());
            byte[] bytes = new byte[128];
            Arrays.fill(bytes, (byte) 0x5A);
            byte[] before = bytes.clone();
            MemorySegment to = MemorySegment.ofArray(bytes);
            if (!validation.ok()) {
                TensorMapException e = assertThrows(TensorMapException.class,
                        () -> TensorMapEncoder.java().encode(call, target, to));
                assertEquals(validation, e.validation());
                assertEquals(MemorySegment.ofArray(before).mismatch(to), -1);
            } else if (target.major() != 9) {
                assertThrows(MissingRequirementException.class, () -> TensorMapEncoder.java().encode(call, target, to));
                assertEquals(MemorySegment.ofArray(before).mismatch(to), -1);
            } else {
                TensorMapEncoder.java().encode(call, target, to);
                assertEquals(call, TensorMapDescriptor.of(bytes).decode().call());
            }
        }
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void builtDescriptionsSayTheSameInBothOrders(@ForAll("likelyCalls") EncodeCall call) {
        if (!(call instanceof TiledCall tiled) || call.dataType() < 0
                || call.dataType() >= TensorDataType.values().length) {
            return;
        }
        TensorDataType type = TensorDataType.ofCudaValue((int) call.dataType());
        TiledCall inner = TiledTensorMap.innermostFirst(type).shape(array(tiled.dims())).box(array(tiled.box()))
                .stridesInBytes(array(tiled.strides())).at(16);
        TiledCall outer = TiledTensorMap.outermostFirst(type).shape(array(tiled.dims().reversed()))
                .box(array(tiled.box().reversed())).stridesInBytes(array(tiled.strides().reversed())).at(16);
        assertEquals(inner, outer);
        assertEquals(tiled.dims(), inner.dims());
        assertEquals(tiled.strides(), inner.strides());
    }

    private static long[] array(List<Long> list) {
        return list.stream().mapToLong(Long::longValue).toArray();
    }

    /** Any 128 bytes decode to a description that encodes to them, or say what they hold beyond it, or are refused. */
    @Property(edgeCases = EdgeCasesMode.NONE)
    void anyBytesDecodeOrAreRefused(@ForAll @Size(128) byte[] bytes) {
        TensorMapDescriptor descriptor = TensorMapDescriptor.of(bytes);
        DecodedTensorMap decoded;
        try {
            decoded = descriptor.decode();
        } catch (BadRequestException e) {
            return;
        }
        assertEquals(descriptor.address(), decoded.address());
        assertFalse(decoded.describe().isBlank());
    }
}
