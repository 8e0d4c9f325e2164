package dev.tilewright.tile.lower;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.tile.lower.layout.Coalescing;
import dev.tilewright.tile.lower.layout.Layout;
import dev.tilewright.tile.lower.layout.Layouts;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** A store whose neighbours in memory other threads have is preceded by an exchange; one whose own are is not. */
class CoalescingTest {

    @Test
    void aTransposedTileIsExchangedAndAPlainOneIsNot() {
        Random random = new Random(27);
        for (int i = 0; i < 200; i++) {
            int bytes = 1 << random.nextInt(4);
            int side = random.nextInt(Math.max(1, 5 - bytes));
            List<Integer> extents = List.of(32 << random.nextInt(3), 32 << random.nextInt(3));
            Layout plain = Layouts.blocked(extents, 5 + random.nextInt(3), side);
            Coalescing own = Coalescing.of(plain, extents, bytes, side);
            assertFalse(own.exchanged(), own::toString);
            assertEquals(plain, own.layout());
            Coalescing turned = Coalescing.of(plain.transposed(List.of(1, 0)), extents.reversed(), bytes, side);
            assertTrue(turned.exchanged(), turned::toString);
            assertEquals(own.before(), turned.after(), turned::toString);
            assertTrue(turned.before() >= 2 * turned.after(), turned::toString);
        }
    }

    @Test
    void bytesMovedAreThoseOfWholeSectors() {
        List<Integer> extents = List.of(64, 64);
        assertEquals(1.0, Coalescing.of(Layouts.blocked(extents, 7, 2), extents, 4, 2).before());
        // Each lane has a sector of its own, for 4 and for 2 of its bytes.
        Layout turned = Layouts.blocked(extents, 7, 0).transposed(List.of(1, 0));
        assertEquals(8.0, Coalescing.of(turned, extents, 4, 0).before());
        assertEquals(16.0, Coalescing.of(turned, extents, 2, 0).before());
    }
}
