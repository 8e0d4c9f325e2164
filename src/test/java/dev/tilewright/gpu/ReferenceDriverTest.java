package dev.tilewright.gpu;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.builder.BulkCopy;
import dev.tilewright.builder.TileKernel;
import dev.tilewright.layout.ElementType;
import dev.tilewright.ptx.Target;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The reference backend is as strict as a GPU: what would go wrong there goes wrong here, with a sentence. */
class ReferenceDriverTest {
    private static final TileKernel KERNEL = BulkCopy.of(ElementType.U8).tile(64).build();

    private final ReferenceDriver driver = new ReferenceDriver();
    private final Arena arena = Arena.ofConfined();

    @AfterEach
    void close() {
        arena.close();
    }

    private static void refused(String message, Runnable wrong) {
        assertEquals(message, assertThrows(IllegalArgumentException.class, wrong::run).getMessage());
    }

    private static void gone(String message, Runnable wrong) {
        assertEquals(message, assertThrows(IllegalStateException.class, wrong::run).getMessage());
    }

    private byte[] contents(DeviceBuffer buffer) {
        MemorySegment host = arena.allocate(buffer.bytes());
        driver.download(buffer, host);
        return host.toArray(JAVA_BYTE);
    }

    @Test
    void saysWhatItIs() {
        assertEquals(Backend.REFERENCE, driver.backend());
        assertEquals("reference", driver.backend().toString());
        assertTrue(driver.definesResults());
        assertEquals("the reference executor", driver.name());
        assertEquals(Target.SM_90A, driver.target());
        assertEquals(232448, driver.sharedMemoryPerBlock());
    }

    @Test
    void freshMemoryIsNotZero() {
        byte[] expected = new byte[1000];
        Arrays.fill(expected, (byte) 0xAB);
        try (DeviceBuffer buffer = driver.allocate(1000)) {
            assertArrayEquals(expected, contents(buffer));
        }
    }

    @Property(tries = 100)
    void buffersLieApartAtMultiplesOf256(@ForAll @IntRange(max = 5000) int a, @ForAll @IntRange(max = 5000) int b) {
        try (DeviceBuffer first = driver.allocate(a); DeviceBuffer second = driver.allocate(b)) {
            assertEquals(a, first.bytes());
            assertEquals(0, first.address() % 256);
            assertEquals(0, second.address() % 256);
            assertTrue(second.address() >= first.address() + a + 1, "even empty ones have addresses of their own");
        }
    }

    @Test
    void whatIsWrittenIsRead() {
        try (DeviceBuffer buffer = driver.allocate(5)) {
            driver.fill(buffer, (byte) 7);
            driver.upload(arena.allocateFrom(JAVA_BYTE, (byte) 1, (byte) 2), buffer);
            assertArrayEquals(new byte[] {1, 2, 7, 7, 7}, contents(buffer));
            MemorySegment part = arena.allocate(3);
            driver.download(buffer, part);
            assertArrayEquals(new byte[] {1, 2, 7}, part.toArray(JAVA_BYTE));
        }
    }

    @Test
    void buffersAreCopiedFromTheirFirstBytes() {
        try (DeviceBuffer from = driver.allocate(4); DeviceBuffer to = driver.allocate(5)) {
            driver.upload(arena.allocateFrom(JAVA_BYTE, (byte) 1, (byte) 2, (byte) 3, (byte) 4), from);
            driver.fill(to, (byte) 7);
            driver.copy(from, to, 3);
            assertArrayEquals(new byte[] {1, 2, 3, 7, 7}, contents(to));
            refused("a copy of 5 bytes does not fit device buffers of 4 and 5", () -> driver.copy(from, to, 5));
            refused("a copy of 5 bytes does not fit device buffers of 5 and 4", () -> driver.copy(to, from, 5));
            refused("a copy of -1 bytes does not fit device buffers of 4 and 5", () -> driver.copy(from, to, -1));
        }
    }

    @Test
    void workIsTimed() {
        double milliseconds = driver.time(() -> {
            long until = System.nanoTime() + 20_000_000;
            // It may return at any time.
            while (System.nanoTime() < until) {
                LockSupport.parkNanos(until - System.nanoTime());
            }
        });
        assertTrue(milliseconds >= 10, milliseconds + " ms");
    }

    @Test
    void sizesThatDoNotFit() {
        try (DeviceBuffer buffer = driver.allocate(4)) {
            refused("5 bytes of host memory do not fit a device buffer of 4", () -> driver.upload(arena.allocate(5), buffer));
            refused("5 bytes of host memory do not fit a device buffer of 4", () -> driver.download(buffer, arena.allocate(5)));
        }
        refused("a device buffer has at least 0 bytes, got -1", () -> driver.allocate(-1));
    }

    @Test
    void heapMemoryIsOutOfReach() {
        String message = "host memory must be off-heap: allocate it from an Arena, or map a file";
        MemorySegment heap = MemorySegment.ofArray(new byte[4]);
        try (DeviceBuffer buffer = driver.allocate(4)) {
            refused(message, () -> driver.upload(heap, buffer));
            refused(message, () -> driver.download(buffer, heap));
        }
    }

    @Test
    void aClosedBufferIsRefused() {
        String message = "the device buffer of 4 bytes is closed";
        DeviceBuffer buffer = driver.allocate(4);
        DeviceBuffer other = driver.allocate(4);
        buffer.close();
        buffer.close();
        gone(message, buffer::address);
        gone(message, () -> driver.fill(buffer, (byte) 1));
        gone(message, () -> driver.upload(arena.allocate(4), buffer));
        gone(message, () -> driver.download(buffer, arena.allocate(4)));
        LoadedKernel kernel = driver.load(KERNEL.program());
        gone(message, () -> driver.launch(kernel, KERNEL.launch(List.of(4L), 0), List.of(other, buffer)));
    }

    @Test
    void aClosedDriverIsRefused() {
        String message = "this driver is closed";
        DeviceBuffer buffer = driver.allocate(4);
        LoadedKernel kernel = driver.load(KERNEL.program());
        driver.close();
        gone(message, () -> driver.allocate(4));
        gone(message, () -> driver.upload(arena.allocate(4), buffer));
        gone(message, () -> driver.download(buffer, arena.allocate(4)));
        gone(message, () -> driver.fill(buffer, (byte) 0));
        gone(message, () -> driver.load(KERNEL.program()));
        gone(message, () -> driver.launch(kernel, KERNEL.launch(List.of(4L), 0), List.of(buffer, buffer)));
        gone(message, () -> driver.copy(buffer, buffer, 4));
        gone(message, driver::synchronize);
        gone(message, () -> driver.time(() -> { }));
    }

    @Test
    void anotherDriversThingsAreRefused() {
        try (ReferenceDriver other = new ReferenceDriver(); DeviceBuffer theirs = other.allocate(4); DeviceBuffer ours = driver.allocate(4)) {
            refused("the buffer belongs to another driver", () -> driver.fill(theirs, (byte) 0));
            refused("the buffer belongs to another driver", () -> driver.upload(arena.allocate(4), theirs));
            refused("the buffer belongs to another driver", () -> driver.copy(theirs, ours, 4));
            refused("the buffer belongs to another driver", () -> driver.copy(ours, theirs, 4));
            refused("the buffer belongs to another driver", () -> driver.download(theirs, arena.allocate(4)));
            LoadedKernel kernel = driver.load(KERNEL.program());
            refused("the buffer belongs to another driver",
                    () -> driver.launch(kernel, KERNEL.launch(List.of(4L), 0), List.of(ours, theirs)));
            refused("the kernel belongs to another driver",
                    () -> driver.launch(other.load(KERNEL.program()), KERNEL.launch(List.of(4L), 0), List.of(ours, ours)));
        }
    }

    @Test
    void aLaunchIsOfTheLoadedProgramWithAllItsBuffers() {
        TileKernel other = BulkCopy.of(ElementType.U8).tile(128).build();
        assertNotEquals(KERNEL.program(), other.program());
        LoadedKernel kernel = driver.load(KERNEL.program());
        try (DeviceBuffer buffer = driver.allocate(4)) {
            refused("the launch is of kernel 'bulk_copy', the loaded kernel is another program: 'bulk_copy'",
                    () -> driver.launch(kernel, other.launch(List.of(4L), 0), List.of(buffer, buffer)));
            refused("kernel 'bulk_copy' uses buffer 1, got 1 buffers",
                    () -> driver.launch(kernel, KERNEL.launch(List.of(4L), 0), List.of(buffer)));
        }
    }

    @Test
    void aProgramThatIsEqualIsTheSame() {
        LoadedKernel kernel = driver.load(KERNEL.program());
        TileKernel equal = BulkCopy.of(ElementType.U8).tile(64).build();
        try (DeviceBuffer from = driver.allocate(100); DeviceBuffer to = driver.allocate(100)) {
            driver.fill(from, (byte) 3);
            driver.launch(kernel, equal.launch(List.of(100L), 0), List.of(from, to));
            assertArrayEquals(contents(from), contents(to));
        }
        assertEquals(KERNEL.program(), kernel.program());
        assertTrue(kernel.residentBlocks() >= 1);
    }

    @Test
    void aLaunchOfNoBlocksDoesNothing() {
        try (DeviceBuffer from = driver.allocate(0); DeviceBuffer to = driver.allocate(4)) {
            driver.launch(driver.load(KERNEL.program()), KERNEL.launch(List.of(0L), 0), List.of(from, to));
            assertArrayEquals(new byte[] {(byte) 0xAB, (byte) 0xAB, (byte) 0xAB, (byte) 0xAB}, contents(to));
        }
    }
}
