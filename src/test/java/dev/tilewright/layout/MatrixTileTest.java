package dev.tilewright.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.OrdinaryTries;
import dev.tilewright.reference.box.TensorBox;
import dev.tilewright.tensormap.TiledTensorMap;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tiles and the descriptors of what instructions read of them, against copies and against each other. */
class MatrixTileTest {
    private static final Swizzle[] SWIZZLES = {Swizzle.NONE, Swizzle.B32, Swizzle.B64, Swizzle.B128};

    /** A tile that can be read. */
    private static MatrixTile drawn(SplittableRandom random) {
        Swizzle swizzle = SWIZZLES[random.nextInt(4)];
        MatrixMajor major = MatrixMajor.values()[random.nextInt(2)];
        int bytes = major == MatrixMajor.MN ? 2 : 1 << random.nextInt(3);
        int step = 32 / bytes;
        int perSpan = Math.max(1, swizzle.span() / bytes);
        while (true) {
            int mn = 8 * random.nextInt(1, 33);
            int k = step * random.nextInt(1, 9);
            int row = major == MatrixMajor.K ? k : mn;
            if ((row <= perSpan || row % perSpan == 0) && mn * k * bytes < MatrixDescriptor.LIMIT) {
                return new MatrixTile(mn, k, bytes, major, swizzle);
            }
        }
    }

    @Property(tries = 500)
    @OrdinaryTries(200)
    void everyElementIsFoundThroughEveryDescriptor(@ForAll @LongRange long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        MatrixTile tile = drawn(random);
        int start = tile.alignment() * random.nextInt(20);
        int mnStep = tile.major() == MatrixMajor.MN ? tile.panelBytes() / tile.elementBytes() : 8;
        int kStep = 32 / tile.elementBytes();
        int mn = mnStep * random.nextInt(Math.ceilDiv(tile.mn(), mnStep));
        int k = kStep * random.nextInt(tile.k() / kStep);
        MatrixDescriptor descriptor = tile.descriptor(start, mn, k);
        assertEquals(descriptor.encode(), tile.descriptor(0).encode() + (start + tile.startOf(mn, k) >> 4));
        for (int i = mn; i < tile.mn(); i++) {
            for (int j = k; j < k + kStep; j++) {
                int offset = start + tile.offsetOf(i, j);
                int found = descriptor.addressOf(i - mn, j - k, tile.elementBytes(), tile.major());
                if (offset != found) {
                    assertEquals(offset, found, tile + " " + i + " " + j);
                }
            }
        }
    }

    /** Copies of boxes as wide as a panel lay the tile: the copy is the reference's, held against recordings. */
    @Property(tries = 100)
    @OrdinaryTries(40)
    void tensorCopiesLayTheTile(@ForAll @LongRange long seed) {
        MatrixTile tile = drawn(new SplittableRandom(seed));
        boolean kMajor = tile.major() == MatrixMajor.K;
        int width = kMajor ? tile.k() : tile.mn();
        int height = kMajor ? tile.mn() : tile.k();
        if (height > 256) {
            return;
        }
        // An element of one byte does not hold its number: it is told from others by one digit of it a copy.
        int bytes = tile.elementBytes();
        for (int digit = 0; digit < 3; digit++) {
            byte[] global = new byte[width * height * bytes];
            for (int i = 0; i < width * height; i++) {
                global[i * bytes] = (byte) (i >> 8 * digit);
            }
            TiledTensorMap map = TiledTensorMap.denseInnermostFirst(
                    bytes == 1 ? TensorDataType.UINT8 : bytes == 2 ? TensorDataType.UINT16 : TensorDataType.UINT32,
                    List.of((long) width, (long) height), List.of(tile.panelElements(), height), tile.swizzle());
            byte[] shared = new byte[tile.bytes() + 1024];
            for (int panel = 0; panel < tile.panels(); panel++) {
                TensorBox.tile(map).load(MemorySegment.ofArray(global), new int[] {panel * tile.panelElements(), 0},
                        new int[0], shared, panel * tile.panelStride());
            }
            for (int i = 0; i < width * height; i++) {
                int column = i % width;
                int row = i / width;
                int at = kMajor ? tile.offsetOf(row, column) : tile.offsetOf(column, row);
                if (shared[at] != (byte) (i >> 8 * digit)) {
                    assertEquals((byte) (i >> 8 * digit), shared[at], tile + " element " + i);
                }
            }
        }
    }

    @Test
    void theUsualTileOfBf16() {
        MatrixTile tile = new MatrixTile(128, 64, 2, MatrixMajor.K, Swizzle.B128);
        assertEquals(16384, tile.bytes());
        assertEquals(1024, tile.alignment());
        assertEquals(64, tile.panelElements());
        assertEquals(1, tile.panels());
        assertEquals(new MatrixDescriptor(2048 + 64, 16, 1024, 0, Swizzle.B128), tile.descriptor(2048, 0, 32));
        assertEquals(8192, tile.startOf(64, 0));
    }

    @Test
    void aTransposedTileLiesInPanels() {
        MatrixTile tile = new MatrixTile(256, 64, 2, MatrixMajor.MN, Swizzle.B128);
        assertEquals(4, tile.panels());
        assertEquals(new MatrixDescriptor(0, 8192, 1024, 0, Swizzle.B128), tile.descriptor(0));
        assertEquals(2 * 1024, tile.startOf(0, 16));
        assertEquals(8192, tile.startOf(64, 0));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "12 | 64 | 2 | K | B128 | a tile's mn must be a multiple of 8, got 12",
        "64 | 24 | 2 | K | B128 | a tile's k must be a multiple of 16 elements of 2 bytes, got 24",
        "64 | 96 | 2 | K | B128 | a row of 192 bytes is no whole number of spans of 128 bytes: choose a narrower "
                + "swizzle",
        "64 | 64 | 4 | MN | B128 | 16-bit types only, got elements of 4 bytes: lay them K-major",
        "64 | 64 | 1 | MN | NONE | 16-bit types only, got elements of 1 byte: lay them K-major",
        "64 | 64 | 8 | K | B128 | wgmma reads elements of 1, 2 or 4 bytes, got 8",
        "64 | 64 | 2 | K | B128_ATOM_32B | a matrix descriptor has no swizzle 128B_ATOM_32B: choose none",
        "1024 | 256 | 2 | K | B128 | larger than a matrix descriptor reaches",
        // 64 KiB of elements, in rows of 16 bytes that lie 128 bytes apart.
        "8 | 4096 | 2 | MN | B128 | larger than a matrix descriptor reaches",
    })
    void whatTheInstructionCannotReadIsRefused(int mn, int k, int bytes, MatrixMajor major, Swizzle swizzle,
            String words) {
        String message = assertThrows(IllegalArgumentException.class,
                () -> new MatrixTile(mn, k, bytes, major, swizzle)).getMessage();
        assertTrue(message.contains(words), message);
    }

    @Test
    void rowsThatNoDescriptorReadsAreRefused() {
        assertEquals(new MatrixTile(64, 64, 2, MatrixMajor.K, Swizzle.B128),
                MatrixTile.ofRows(64, 64, 2, MatrixMajor.K, Swizzle.B128, 128));
        String message = assertThrows(IllegalArgumentException.class,
                () -> MatrixTile.ofRows(64, 128, 2, MatrixMajor.K, Swizzle.B128, 256)).getMessage();
        assertEquals("wgmma reads rows that are 128 bytes apart with swizzle 128B, and these of 256 bytes are 256 "
                + "apart: "
                + "bring the tile in panels of 128 bytes, a copy each (boxes of 64 elements)", message);
        message = assertThrows(IllegalArgumentException.class,
                () -> MatrixTile.ofRows(64, 32, 2, MatrixMajor.K, Swizzle.NONE, 64)).getMessage();
        assertTrue(message.endsWith("or copy it with the swizzle of 64 bytes"), message);
    }

    @ParameterizedTest
    @CsvSource({"512, 0, 0, must start at a multiple of 1024 bytes", "0, 4, 0, starts at a multiple of 8 rows",
        "0, 0, 8, starts at a multiple of 16 k", "0, 64, 0, is outside of the tile"})
    void operandsStartWhereTheyCan(int start, int mn, int k, String words) {
        MatrixTile tile = new MatrixTile(64, 64, 2, MatrixMajor.K, Swizzle.B128);
        String message = assertThrows(IllegalArgumentException.class, () -> tile.descriptor(start, mn, k)).getMessage();
        assertTrue(message.contains(words), message);
    }
}
