package dev.tilewright.program;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tilewright.layout.MatrixMajor;
import dev.tilewright.layout.MatrixTile;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.program.expression.SharedRegion;
import org.junit.jupiter.api.Test;

/** A tile whose pattern would be shifted has no descriptor. */
class MatrixTilePlaceTest {
    private static final MatrixTile TILE = new MatrixTile(16, 32, 2, MatrixMajor.K, Swizzle.B64);

    private static void describe(int alignment, int offset) {
        new SharedRegion.Buffer("tile", 4096, alignment).at(offset).descriptor(TILE);
    }

    @Test
    void aBufferIsAlignedAsItsTileMustBe() {
        assertDoesNotThrow(() -> describe(512, 0));
        assertDoesNotThrow(() -> describe(1024, 1536));
        assertEquals("a tile with swizzle 64B must start at a multiple of 512 bytes, and shared buffer 'tile' has an "
                + "alignment "
                + "of 128: give it the tile's, MatrixTile.alignment()",
                assertThrows(IllegalArgumentException.class, () -> describe(128, 0)).getMessage());
    }

    @Test
    void aTileStartsAtAMultipleOfItsAlignment() {
        assertEquals("a tile with swizzle 64B must start at a multiple of 512 bytes, got byte 32 of 'tile'; a part of "
                + "a tile "
                + "starts there by MatrixTile.startOf",
                assertThrows(IllegalArgumentException.class, () -> describe(512, 32)).getMessage());
    }
}
