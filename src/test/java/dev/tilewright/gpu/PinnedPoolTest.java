package dev.tilewright.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.gpu.emulation.EmulatedCuda;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Page-locked memory from one use to the next. */
class PinnedPoolTest {

    @Test
    void whatFitsIsTakenAgain() {
        try (Gpu gpu = Gpu.emulated()) {
            PinnedPool pool = gpu.pinnedPool();
            PinnedMemory first = pool.take(1000);
            PinnedMemory second = pool.take(1000);
            assertNotSame(first, second);
            assertTrue(gpu.isPageLocked(first.segment()));
            pool.give(first);
            assertEquals(1000, pool.kept());
            assertNotSame(first, pool.take(1001));
            assertNotSame(first, pool.take(499));
            assertSame(first, pool.take(500));
            assertEquals(0, pool.kept());
        }
    }

    @Test
    void onlySoMuchIsKept() {
        try (Gpu gpu = Gpu.emulated()) {
            PinnedPool pool = gpu.pinnedPool();
            PinnedMemory most = pool.take(PinnedPool.MOST_KEPT);
            PinnedMemory more = pool.take(1);
            pool.give(most);
            pool.give(more);
            assertEquals(PinnedPool.MOST_KEPT, pool.kept());
            assertTrue(most.isOpen());
            assertFalse(more.isOpen());
        }
    }

    @Test
    void whatIsNotThePoolsIsRefused() {
        try (Gpu gpu = Gpu.emulated(); Gpu other = Gpu.emulated(); PinnedMemory own = gpu.pinned(5)) {
            PinnedPool pool = gpu.pinnedPool();
            assertEquals("the memory of 5 bytes is not of this pool",
                    assertThrows(IllegalArgumentException.class, () -> pool.give(own)).getMessage());
            assertThrows(IllegalArgumentException.class, () -> pool.give(other.pinnedPool().take(5)));
            PinnedMemory twice = pool.take(7);
            pool.give(twice);
            assertEquals("the memory of 7 bytes is given back twice",
                    assertThrows(IllegalArgumentException.class, () -> pool.give(twice)).getMessage());
            assertThrows(IllegalArgumentException.class, () -> pool.take(0));
            PinnedMemory closed = pool.take(9);
            closed.close();
            pool.give(closed);
            assertEquals(7, pool.kept());
        }
    }

    @Test
    void allGoesWithTheGpu() {
        EmulatedCuda cuda = new EmulatedCuda();
        Gpu gpu = Gpu.options().choose(cuda, cuda).open();
        PinnedPool pool = gpu.pinnedPool();
        PinnedMemory out = pool.take(100);
        pool.give(pool.take(200));
        gpu.close();
        assertFalse(out.isOpen());
        assertEquals(List.of(), cuda.leaks());
        assertThrows(IllegalStateException.class, () -> pool.take(150));
    }
}
