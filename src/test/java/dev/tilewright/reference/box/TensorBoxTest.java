package dev.tilewright.reference.box;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tilewright.OrdinaryTries;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.reference.TestData;
import dev.tilewright.tensormap.Interleave;
import dev.tilewright.tensormap.L2Promotion;
import dev.tilewright.tensormap.OobFill;
import dev.tilewright.tensormap.TiledTensorMap;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Boxes of every kind against an oracle that works byte by byte, and what is refused. */
class TensorBoxTest {

    @Property(tries = 600)
    void aLoadPutsEveryByteWhereItBelongs(@ForAll("copies") RandomCopy copy) {
        byte[] tensor = TestData.bytes(copy.tensorBytes(), 3);
        byte[] expected = new byte[copy.address() + copy.oracle().sharedBytes()];
        Arrays.fill(expected, (byte) 0xCD);
        byte[] actual = expected.clone();
        copy.oracle().load(tensor, expected, copy.address());
        copy.box().load(MemorySegment.ofArray(tensor), copy.coordinates(), copy.offsets(), actual, copy.address());
        assertArrayEquals(expected, actual);
    }

    @Property(tries = 600)
    void aStoreChangesWhatTheBoxCoversAndNothingElse(@ForAll("stores") RandomCopy copy) {
        byte[] shared = TestData.bytes(copy.address() + copy.oracle().sharedBytes(), 4);
        byte[] expected = TestData.bytes(copy.tensorBytes(), 5);
        byte[] actual = expected.clone();
        copy.oracle().store(expected, shared, copy.address());
        copy.box().store(MemorySegment.ofArray(actual), copy.coordinates(), shared, copy.address());
        assertArrayEquals(expected, actual);
    }

    @Property(tries = 500)
    void aReductionChangesWhatTheBoxCoversAndNothingElse(@ForAll("reductions") RandomCopy copy) {
        byte[] shared = TestData.bytes(copy.address() + copy.oracle().sharedBytes(), 4);
        byte[] expected = TestData.bytes(copy.tensorBytes(), 5);
        byte[] actual = expected.clone();
        long mask = -1L >>> 64 - 8 * copy.map().type().bytes();
        copy.oracle().reduce(expected, shared, copy.address(), (old, value) -> old + value & mask);
        copy.box().reduce(AtomicOp.ADD, MemorySegment.ofArray(actual), copy.coordinates(), shared, copy.address());
        assertArrayEquals(expected, actual);
    }

    @Property(tries = 400)
    void whatIsStoredIsWhatWasLoaded(@ForAll("stores") RandomCopy copy) {
        if (copy.map().type().roundsToTf32()) {
            return;
        }
        byte[] tensor = TestData.bytes(copy.tensorBytes(), 6);
        byte[] shared = new byte[copy.address() + copy.oracle().sharedBytes()];
        copy.box().load(MemorySegment.ofArray(tensor), copy.coordinates(), new int[copy.offsets().length], shared,
                copy.address());
        byte[] back = tensor.clone();
        copy.box().store(MemorySegment.ofArray(back), copy.coordinates(), shared, copy.address());
        // Only the bytes from a row's end to the next multiple of 16 are not what was loaded: they were filled.
        byte[] tail = tensor.clone();
        copy.oracle().store(tail, shared, copy.address());
        assertArrayEquals(tail, back);
        if (copy.map().dims().getFirst() * copy.map().type().bytes() % 16 == 0) {
            assertArrayEquals(tensor, back);
        }
    }

    @Property(tries = 500)
    void theBytesCountedAreThoseOfTheElements(@ForAll("copies") RandomCopy copy) {
        assertEquals(copy.oracle().dataBytes(), copy.box().transactionBytes(copy.offsets()));
        assertEquals(copy.oracle().sharedBytes(), copy.box().sharedBytes(copy.offsets()));
    }

    @Property(tries = 150)
    @OrdinaryTries(25)
    void memoryThatEndsWithTheLastByteReadIsEnough(@ForAll("copies") RandomCopy copy) {
        byte[] shared = new byte[copy.address() + copy.oracle().sharedBytes()];
        MemorySegment tensor = MemorySegment.ofArray(new byte[copy.tensorBytes()]);
        int end = 0;
        for (int enough = copy.tensorBytes(); end < enough;) {
            int middle = (end + enough) / 2;
            if (reads(copy, tensor.asSlice(0, middle), shared)) {
                enough = middle;
            } else {
                end = middle + 1;
            }
        }
        byte[] different = new byte[copy.tensorBytes()];
        Arrays.fill(different, Math.max(0, end - 1), different.length, (byte) 1);
        byte[] seen = shared.clone();
        copy.box().load(MemorySegment.ofArray(different), copy.coordinates(), copy.offsets(), seen, copy.address());
        byte[] without = shared.clone();
        copy.box().load(tensor, copy.coordinates(), copy.offsets(), without, copy.address());
        // Where rounding does not hide it, the last byte that must be there is one that counts, and none behind it
        // does.
        if (!copy.map().type().roundsToTf32()) {
            assertEquals(end > 0, !Arrays.equals(seen, without));
            if (end > 0) {
                different[end - 1] = 0;
                copy.box().load(MemorySegment.ofArray(different), copy.coordinates(), copy.offsets(), seen,
                        copy.address());
                assertArrayEquals(without, seen);
            }
        }
    }

    private static boolean reads(RandomCopy copy, MemorySegment tensor, byte[] shared) {
        try {
            copy.box().load(tensor, copy.coordinates(), copy.offsets(), shared, copy.address());
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    @Test
    void aStoreWritesPastTheRowToTheNextMultipleOf16Bytes() {
        TiledTensorMap map = map(TensorDataType.UINT8, List.of(5L, 2L), List.of(32L), List.of(16, 2), Swizzle.NONE);
        byte[] shared = new byte[32];
        Arrays.fill(shared, (byte) 1);
        byte[] tensor = new byte[64];
        new TensorBox(map).store(MemorySegment.ofArray(tensor), new int[] {0, 0}, shared, 0);
        byte[] expected = new byte[64];
        Arrays.fill(expected, 0, 16, (byte) 1);
        Arrays.fill(expected, 32, 48, (byte) 1);
        assertArrayEquals(expected, tensor);
    }

    @Test
    void memoryThatEndsBeforeThatIsReported() {
        TiledTensorMap map = map(TensorDataType.UINT8, List.of(5L, 2L), List.of(32L), List.of(16, 2), Swizzle.NONE);
        MemorySegment tensor = MemorySegment.ofArray(new byte[37]);
        new TensorBox(map).load(tensor, new int[] {0, 0}, new byte[32], 0);
        assertRefused("the box at coordinates [0, 0] writes its row at [0, 1]: bytes 32 to 47 of a tensor whose "
                + "memory has 37 bytes"
                + " (a store writes rows up to the next multiple of 16 bytes)",
                () -> new TensorBox(map).store(tensor, new int[] {0, 0}, new byte[32], 0));
    }

    @Test
    void memoryThatIsTooSmallIsReported() {
        TiledTensorMap map = map(TensorDataType.FLOAT32, List.of(8L, 4L), List.of(32L), List.of(4, 2), Swizzle.NONE);
        MemorySegment tensor = MemorySegment.ofArray(new byte[100]);
        new TensorBox(map).load(tensor, new int[] {4, 1}, new byte[32], 0);
        assertRefused("the box at coordinates [4, 2] reads its row at [4, 3]: bytes 112 to 127 of a tensor whose "
                + "memory has 100 bytes",
                () -> new TensorBox(map).load(tensor, new int[] {4, 2}, new byte[32], 0));
    }

    @Test
    void aBoxOutsideTheTensorTouchesNoMemory() {
        TiledTensorMap map = map(TensorDataType.UINT8, List.of(16L, 8L, 8L), List.of(16L, 128L), List.of(16, 2, 2),
                Swizzle.NONE);
        MemorySegment none = MemorySegment.ofArray(new byte[0]);
        for (int[] at : new int[][] {{-16, 7, 7}, {16, 7, 7}, {0, -2, 7}, {0, 8, 7}, {0, 7, -2}, {0, 7, 8}}) {
            byte[] shared = new byte[64];
            Arrays.fill(shared, (byte) 1);
            new TensorBox(map).load(none, at, shared, 0);
            assertArrayEquals(new byte[64], shared);
            if (Arrays.stream(at).allMatch(c -> c >= 0)) {
                new TensorBox(map).store(none, at, shared, 0);
            }
        }
    }

    @Test
    void theFirstCoordinateIsAMultipleOf16Bytes() {
        TiledTensorMap map = map(TensorDataType.FLOAT16, List.of(64L), List.of(), List.of(8), Swizzle.NONE);
        assertRefused("coordinate 0 is -3, -6 bytes into the row, which must be a multiple of 16: the hardware faults "
                + "with "
                + "ILLEGAL_INSTRUCTION", () -> new TensorBox(map)
                .load(MemorySegment.ofArray(new byte[128]), new int[] {-3}, new byte[16], 0));
    }

    @Test
    void theSharedAddressIsAMultipleOf128() {
        TiledTensorMap map = map(TensorDataType.FLOAT16, List.of(64L), List.of(), List.of(8), Swizzle.NONE);
        assertRefused("the box lies at shared address 64, which must be a multiple of 128",
                () -> new TensorBox(map).load(MemorySegment.ofArray(new byte[128]), new int[] {0}, new byte[128], 64));
    }

    @Test
    void theBoxFitsInSharedMemory() {
        TiledTensorMap map = map(TensorDataType.FLOAT16, List.of(64L, 2L), List.of(128L), List.of(8, 2), Swizzle.B128);
        assertRefused("a box of 256 bytes at shared address 128 does not fit in 383 bytes",
                () -> new TensorBox(map).load(MemorySegment.ofArray(new byte[256]), new int[] {0, 0}, new byte[383],
                128));
    }

    @Test
    void aRowFitsInTheSwizzle() {
        TiledTensorMap map = map(TensorDataType.FLOAT32, List.of(64L), List.of(), List.of(12), Swizzle.B32);
        assertRefused("a row of the box has 48 bytes, swizzle 32B takes at most 32", () -> new TensorBox(map));
    }

    @Test
    void thereAreAsManyCoordinatesAsDimensions() {
        TiledTensorMap map = map(TensorDataType.UINT8, List.of(16L), List.of(), List.of(16), Swizzle.NONE);
        assertRefused("a tensor of rank 1 takes 1 coordinates, got 2",
                () -> new TensorBox(map).load(MemorySegment.ofArray(new byte[16]), new int[] {0, 0}, new byte[16], 0));
    }

    private static void assertRefused(String message, Executable use) {
        assertEquals(message, assertThrows(IllegalArgumentException.class, use).getMessage());
    }

    private static TiledTensorMap map(
            TensorDataType type, List<Long> dims, List<Long> strides, List<Integer> box, Swizzle swizzle) {
        return new TiledTensorMap(type, dims, strides, box, dims.stream().map(_ -> 1).toList(), Interleave.NONE,
                swizzle, L2Promotion.NONE, OobFill.ZERO);
    }

    @Provide
    Arbitrary<RandomCopy> copies() {
        return Arbitraries.randomValue(RandomCopy::any);
    }

    @Provide
    Arbitrary<RandomCopy> stores() {
        return Arbitraries.randomValue(random -> RandomCopy.store(random, TensorDataType.values()));
    }

    @Provide
    Arbitrary<RandomCopy> reductions() {
        return Arbitraries.randomValue(random -> RandomCopy.store(random,
                TensorDataType.UINT32, TensorDataType.INT32, TensorDataType.UINT64));
    }
}
