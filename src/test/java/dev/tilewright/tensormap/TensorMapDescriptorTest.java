package dev.tilewright.tensormap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.BadRequestException;
import dev.tilewright.MissingRequirementException;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.ptx.Target;
import dev.tilewright.tensormap.call.EncodeCall;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Test;

class TensorMapDescriptorTest {

    private static final TiledTensorMap MAP = TiledTensorMap.outermostFirst(TensorDataType.FLOAT32).shape(128, 256)
            .box(16, 32).swizzle(Swizzle.B128).build(Target.SM_90);

    @Test
    void valueOfBytes() {
        TensorMapDescriptor one = MAP.encode(Target.SM_90, 4096);
        TensorMapDescriptor same = MAP.encode(Target.SM_90A, 4096);
        assertEquals(one, same);
        assertEquals(one.hashCode(), same.hashCode());
        assertEquals(one, TensorMapDescriptor.ofHex(one.hex()));
        assertNotEquals(one, MAP.encode(Target.SM_90, 8192));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment segment = one.allocate(arena);
            assertEquals(0, segment.address() % 128);
            assertEquals(one, TensorMapDescriptor.of(segment));
        }
        assertThrows(IllegalArgumentException.class, () -> TensorMapDescriptor.of(new byte[127]));
        assertThrows(IllegalArgumentException.class, () -> TensorMapDescriptor.of(MemorySegment.ofArray(new byte[64])));
        assertThrows(IllegalArgumentException.class, () -> TensorMapDescriptor.ofHex("00"));
        assertThrows(IllegalArgumentException.class, () -> TensorMapDescriptor.ofHex("zz".repeat(128)));
    }

    @Test
    void rebindingIsEncodingAgain() {
        TensorMapDescriptor one = MAP.encode(Target.SM_90, 4096);
        assertEquals(MAP.encode(Target.SM_90, 1L << 40), one.withAddress(1L << 40));
        MemorySegment bytes = MemorySegment.ofArray(one.bytes());
        for (long bad : new long[] {0, 8, 1L << 57, -16}) {
            assertThrows(IllegalArgumentException.class, () -> TensorMapAddress.rebind(bytes, bad));
        }
        assertEquals(4096, TensorMapAddress.of(bytes));
        TensorMapDescriptor slices = TiledTensorMap.innermostFirst(TensorDataType.UINT8).shape(8, 8, 8).box(16, 1, 1)
                .interleave(Interleave.B32).swizzle(Swizzle.B32).build(Target.SM_90).encode(Target.SM_90, 4096);
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> slices.withAddress(4112));
        assertEquals("a tensor map can be bound to a multiple of 32 bytes between 0 and 2^57, got 0x1010",
                e.getMessage());
    }

    @Test
    void onlyAWholeMapIsRebound() {
        for (int size : new int[] {0, 8, 127, 129}) {
            IllegalArgumentException e = assertThrows(IllegalArgumentException.class,
                    () -> TensorMapAddress.rebind(MemorySegment.ofArray(new byte[size]), 4096));
            assertEquals("a tensor map is 128 bytes, the segment has " + size, e.getMessage());
        }
    }

    @Test
    void layoutsThatAreNotKnownAreNotGuessed() {
        MissingRequirementException e = assertThrows(MissingRequirementException.class,
                () -> MAP.encode(Target.SM_100, 4096));
        assertEquals("how sm_100 lays out a tensor map is not known: only that of sm_90 is; encode with the driver on "
                + "such"
                + " a GPU", e.getMessage());
        assertThrows(TensorMapException.class, () -> MAP.encode(Target.SM_80, 4096));
        assertThrows(IllegalArgumentException.class,
                () -> TensorMapEncoder.java().encode(MAP, 4096, Target.SM_90, MemorySegment.ofArray(new byte[127])));
    }

    @Test
    void bitsBeyondTheLayoutAreNamed() {
        byte[] bytes = MAP.encode(Target.SM_90, 4096).bytes();
        bytes[0x0A] |= 0x20; // bit 21 of the word at 0x08, which drivers set for Blackwell
        bytes[0x40] ^= 1;
        DecodedTensorMap decoded = TensorMapDescriptor.of(bytes).decode();
        assertEquals(MAP, decoded.map());
        assertEquals(List.of(
                "the target it was made for: read by sm_90's layout, later ones differ in places not published",
                "what the bits 0x00200000 of the word at 0x08 mean: sm_90's driver leaves them 0x00000000",
                "why the byte count at 0x40 is 2049 where the box has 2048"), decoded.unknowns());
    }

    @Test
    void whatIsNoTensorMapIsRefused() {
        byte[] bytes = MAP.encode(Target.SM_90, 4096).bytes();
        bytes[0x08] |= 0x70;
        BadRequestException e = assertThrows(BadRequestException.class, () -> TensorMapDescriptor.of(bytes).decode());
        assertEquals("these bytes are no tensor map of sm_90: they have rank 8 in bits 4-6 of the word at 0x08; there "
                + "are 1"
                + " to 5", e.getMessage());
    }

    @Test
    void aDecodedMapThatTheDriverRefusesSaysSo() {
        DecodedTensorMap zeros = TensorMapDescriptor.of(new byte[128]).decode();
        assertEquals(List.of(1L), zeros.map().dims());
        assertTrue(zeros.describe().contains("who made it: sm_90's driver refuses such a map; 1 error"),
                zeros.describe());
    }

    @Test
    void theCacheEncodesOnceAndIsBounded() {
        TensorMapCache cache = new TensorMapCache(TensorMapEncoder.java(), Target.SM_90, 2);
        TensorMapDescriptor first = cache.get(MAP, 4096);
        for (int i = 0; i < 999; i++) {
            assertEquals(first, cache.get(MAP, 4096));
        }
        assertEquals(1, cache.misses());
        assertEquals(999, cache.hits());
        cache.get(MAP, 8192);
        cache.get(MAP, 4096);
        cache.get(MAP, 16384); // drops 8192, used longest ago
        assertEquals(2, cache.size());
        cache.get(MAP, 4096);
        assertEquals(3, cache.misses());
        cache.get(MAP, 8192);
        assertEquals(4, cache.misses());
        assertThrows(TensorMapException.class, () -> cache.get(MAP, 8));
        assertEquals(2, cache.size());
        assertThrows(IllegalArgumentException.class, () -> new TensorMapCache(TensorMapEncoder.java(), Target.SM_90,
                0));
    }

    /** An encoder that is wrong in one byte, or refuses everything. */
    private record Wrong(boolean refuses) implements TensorMapEncoder {
        @Override
        public String name() {
            return "the wrong one";
        }

        @Override
        public boolean supports(Target target) {
            return true;
        }

        @Override
        public void encode(EncodeCall call, Target target, MemorySegment destination) {
            if (refuses) {
                throw new TensorMapException("refused", Validation.of(call, target));
            }
            TensorMapEncoder.java().encode(call, target, destination);
            destination.set(java.lang.foreign.ValueLayout.JAVA_BYTE, 0x34, (byte) 0x7F);
        }
    }

    @Test
    void comparingTellsWhoDiffers() {
        TensorMapEncoder java = TensorMapEncoder.java();
        TensorMapEncoder agree = TensorMapEncoder.comparing(java, java);
        assertEquals(java.encode(MAP, 4096, Target.SM_90), agree.encode(MAP, 4096, Target.SM_90));
        assertThrows(TensorMapException.class, () -> agree.encode(MAP, 8, Target.SM_90));
        assertTrue(agree.supports(Target.SM_90) && !agree.supports(Target.SM_100));
        TensorMapMismatchException bytes = assertThrows(TensorMapMismatchException.class,
                () -> TensorMapEncoder.comparing(new Wrong(false), java).encode(MAP, 4096, Target.SM_90));
        assertTrue(bytes.getMessage().startsWith("the wrong one and pure Java differ from byte 0x34 on for TiledCall["),
                bytes.getMessage());
        TensorMapMismatchException refused = assertThrows(TensorMapMismatchException.class,
                () -> TensorMapEncoder.comparing(java, new Wrong(true)).encode(MAP, 4096, Target.SM_90));
        assertTrue(refused.getMessage().startsWith("the wrong one refuses what pure Java accepts: TiledCall["),
                refused.getMessage());
    }
}
