package dev.tilewright.reference.state;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.layout.Swizzle;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.reference.box.TensorBox;
import dev.tilewright.reference.box.TensorMemory;
import dev.tilewright.reference.fault.Fault;
import dev.tilewright.tensormap.Interleave;
import dev.tilewright.tensormap.L2Promotion;
import dev.tilewright.tensormap.OobFill;
import dev.tilewright.tensormap.TiledTensorMap;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.math.BigInteger;
import java.util.List;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * Boxes of maps of any extent, stride and address, held to addresses worked out in whole numbers and cut to 64 bits:
 * every byte comes from the piece of memory that has its address, and a box of which one has none is refused.
 */
class TensorMemoryTest {
    private static final int PIECE = 4096;
    private static final int ROW = 32;
    private static final int ROWS = 4;
    private static final BigInteger ALL = BigInteger.ONE.shiftLeft(64);

    private final List<MemorySegment> pieces = List.of(piece(1), piece(2), piece(3));
    private final DeviceAddresses addresses = new DeviceAddresses(
            List.of(new GlobalMemory("a", pieces.get(0)), new GlobalMemory("b", pieces.get(1)),
                    new GlobalMemory("c", pieces.get(2))));

    private static MemorySegment piece(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        byte[] bytes = new byte[PIECE];
        random.nextBytes(bytes);
        return MemorySegment.ofArray(bytes);
    }

    @Property(tries = 500)
    void everyByteComesFromItsAddress(@ForAll long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        long step = addresses.of(pieces.get(1)) - addresses.of(pieces.get(0));
        long near = List.of(0L, 16L, 32L, 1024L, step, step - 1024).get(random.nextInt(6));
        List<Long> strides = List.of(near, stride(random), stride(random));
        TiledTensorMap map = new TiledTensorMap(TensorDataType.UINT8, List.of(ROW - 7L + random.nextInt(20),
                dim(random), dim(random), 1L << 32),
                strides, List.of(ROW, ROWS, 1, 1), List.of(1, 1 + random.nextInt(2), 1, 1), Interleave.NONE,
                        Swizzle.NONE, L2Promotion.NONE,
                OobFill.ZERO);
        int[] at = {16 * random.nextInt(-1, 2), coordinate(random, map, 1), coordinate(random, map, 2),
                random.nextInt(Integer.MAX_VALUE)};
        long target = addresses.of(pieces.get(random.nextInt(3))) + 16L * random.nextInt(PIECE / 16);
        long base = BigInteger.valueOf(target).subtract(distance(map, at, 0)).longValue();
        byte[] expected = expected(map, at, base);
        TensorBox box = new TensorBox(map);
        TensorMemory memory = addresses.around(base);
        byte[] shared = new byte[ROW * ROWS];
        if (expected == null) {
            Fault f = assertThrows(Fault.class, () -> box.checkLoad(memory, at, new int[0]));
            assertTrue(f.getMessage().startsWith("the box at coordinates [" + at[0] + ", " + at[1] + ", " + at[2]
                    + ", " + at[3]
                    + "] reads its row at [" + at[0] + ", "), f.getMessage());
            return;
        }
        box.checkLoad(memory, at, new int[0]);
        box.loadChecked(memory, at, new int[0], shared, 0);
        assertArrayEquals(expected, shared);
        byte[][] before = pieces.stream().map(p -> p.toArray(ValueLayout.JAVA_BYTE)).toArray(byte[][]::new);
        try {
            box.checkStore(memory, at);
        } catch (Fault cutAtTheLastChunk) {
            return;
        }
        // What was loaded, stored again, changes nothing; a chunk at the row's end is stored as a whole.
        box.storeChecked(memory, at, shared, 0);
        byte[] again = new byte[ROW * ROWS];
        box.loadChecked(memory, at, new int[0], again, 0);
        assertArrayEquals(expected, again);
        for (int i = 0; i < before.length; i++) {
            MemorySegment.copy(before[i], 0, pieces.get(i), ValueLayout.JAVA_BYTE, 0, PIECE);
        }
    }

    private static long stride(SplittableRandom random) {
        return switch (random.nextInt(3)) {
            case 0 -> 16L * random.nextInt(1 << 20);
            case 1 -> (1L << random.nextInt(33, 40)) - 16L * random.nextInt(256);
            default -> random.nextLong(1L << 40) & -16;
        };
    }

    private static long dim(SplittableRandom random) {
        return random.nextBoolean() ? 1 + random.nextInt(8) : 1L << random.nextInt(20, 33);
    }

    /** Mostly in the tensor. */
    private static int coordinate(SplittableRandom random, TiledTensorMap map, int d) {
        long most = Math.min(Integer.MAX_VALUE, map.dims().get(d));
        return random.nextInt(4) == 0 ? random.nextInt(-ROWS, 3) : (int) Math.max(0, most - 1 - random.nextInt(6));
    }

    /** Bytes from the map's address to the box's row, in whole numbers. */
    private static BigInteger distance(TiledTensorMap map, int[] at, int row) {
        BigInteger sum = BigInteger.valueOf(at[0]);
        for (int d = 1; d < at.length; d++) {
            long place = at[d] + (d == 1 ? (long) row * map.elementStrides().get(1) : 0);
            sum = sum.add(BigInteger.valueOf(place).multiply(BigInteger.valueOf(map.strides().get(d - 1))));
        }
        return sum;
    }

    /** What a load leaves; null if it touches what no piece has. */
    private byte[] expected(TiledTensorMap map, int[] at, long base) {
        byte[] box = new byte[ROW * ROWS];
        int rows = Math.ceilDiv(ROWS, map.elementStrides().get(1));
        for (int row = 0; row < rows; row++) {
            long place = at[1] + (long) row * map.elementStrides().get(1);
            boolean inside = place >= 0 && place < map.dims().get(1) && at[2] >= 0 && at[2] < map.dims().get(2)
                    && at[3] >= 0;
            BigInteger start = BigInteger.valueOf(base).add(distance(map, at, row));
            for (int i = 0; i < ROW && inside; i++) {
                if (at[0] + i >= 0 && at[0] + i < map.dims().getFirst()) {
                    Byte b = at(start.add(BigInteger.valueOf(i)).mod(ALL));
                    if (b == null) {
                        return null;
                    }
                    box[row * ROW + i] = b;
                }
            }
        }
        return box;
    }

    private Byte at(BigInteger address) {
        for (MemorySegment piece : pieces) {
            BigInteger offset = address.subtract(BigInteger.valueOf(addresses.of(piece)));
            if (offset.signum() >= 0 && offset.compareTo(BigInteger.valueOf(PIECE)) < 0) {
                return piece.get(ValueLayout.JAVA_BYTE, offset.longValueExact());
            }
        }
        return null;
    }

    @Property(tries = 20)
    void aPlaceBehindAPieceIsNamedByIt(@ForAll("sizes") int bytes) {
        TensorMemory memory = addresses.around(addresses.of(pieces.get(1)));
        assertEquals("bytes " + (PIECE - 16) + " to " + (PIECE - 17 + bytes) + " of 'b', which has 4096 bytes",
                memory.elsewhere().describe(PIECE - 16, bytes));
    }

    @net.jqwik.api.Provide
    net.jqwik.api.Arbitrary<Integer> sizes() {
        return net.jqwik.api.Arbitraries.integers().between(17, 256);
    }
}
