package dev.tilewright.gpu.emulation;

import static dev.tilewright.gpu.emulation.Session.bytes;
import static dev.tilewright.gpu.emulation.Session.ok;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.gpu.emulation.state.ExecutionOrder;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Device memory, page-locked memory and copies of the emulated driver. */
class EmulatedMemoryTest {
    private static final int TOTAL = 1 << 20;

    private final Session s = new Session(ExecutionOrder.LAZY, TOTAL);

    @AfterEach
    void close() {
        s.close();
    }

    private long free() {
        MemorySegment numbers = s.arena.allocate(JAVA_LONG, 2);
        ok(s.cuda.cuMemGetInfo(numbers, numbers.asSlice(8)));
        assertEquals(TOTAL, numbers.get(JAVA_LONG, 8));
        return numbers.get(JAVA_LONG, 0);
    }

    @Test
    void addressesAreFarApartAndNeverReused() {
        long first = s.allocate(1000);
        long second = s.allocate(1);
        assertEquals(0, first % 256);
        assertEquals(0, second % 256);
        assertTrue(second - first > 1000 + 65_536);
        ok(s.cuda.cuMemFree(second));
        assertNotEquals(second, s.allocate(1));
    }

    @Test
    void freshMemoryIsNotZero() {
        assertArrayEquals(bytes(0xAB, 16), s.download(s.allocate(16), 16));
        assertEquals((byte) 0xAB, s.pinned(1).get(JAVA_BYTE, 0));
    }

    @Test
    void thereIsOnlySoMuch() {
        long most = s.allocate(TOTAL);
        assertEquals(0, free());
        assertEquals(2, s.refused(p -> s.cuda.cuMemAlloc(p, 1)));
        ok(s.cuda.cuMemFree(most));
        assertEquals(TOTAL, free());
        assertEquals(2, s.refused(p -> s.cuda.cuMemAlloc(p, TOTAL + 1)));
        assertEquals(2, s.refused(p -> s.cuda.cuMemAlloc(p, -1)));
        assertEquals(1, s.refused(p -> s.cuda.cuMemAlloc(p, 0)));
    }

    @Test
    void memoryIsFreedOnceAndFromItsBeginning() {
        long address = s.allocate(512);
        assertEquals(1, s.cuda.cuMemFree(address + 256));
        assertEquals(1, s.cuda.cuMemFree(0x1234));
        ok(s.cuda.cuMemFree(address));
        assertEquals(1, s.cuda.cuMemFree(address));
        assertEquals(1, s.cuda.cuMemsetD8Async(address, (byte) 1, 1, 0));
    }

    @Test
    void copiesStayWithinAnAllocation() {
        long address = s.allocate(16);
        MemorySegment host = s.arena.allocate(32);
        assertEquals(1, s.cuda.cuMemcpyHtoDAsync(address, host.address(), 17, 0));
        assertEquals(1, s.cuda.cuMemcpyHtoDAsync(address + 8, host.address(), 9, 0));
        assertEquals(1, s.cuda.cuMemcpyDtoHAsync(host.address(), address - 1, 1, 0));
        assertEquals(1, s.cuda.cuMemcpyDtoHAsync(0, address, 1, 0));
        assertEquals(1, s.cuda.cuMemcpyDtoHAsync(address, address, 1, 0));
        assertEquals(1, s.cuda.cuMemcpyDtoDAsync(address, host.address(), 1, 0));
        assertEquals(1, s.cuda.cuMemsetD8Async(address + 16, (byte) 0, 1, 0));
        ok(s.cuda.cuMemsetD8Async(address + 16, (byte) 0, 0, 0));
        MemorySegment pinned = s.pinned(8);
        assertEquals(1, s.cuda.cuMemcpyHtoDAsync(address, pinned.address(), 9, 0));
    }

    @Test
    void pageableMemoryHasBeenReadOnReturn() {
        long address = s.allocate(4);
        long stream = s.stream();
        MemorySegment host = s.arena.allocateFrom(JAVA_BYTE, (byte) 1, (byte) 2, (byte) 3, (byte) 4);
        ok(s.cuda.cuMemcpyHtoDAsync(address, host.address(), 4, stream));
        host.fill((byte) 9);
        assertArrayEquals(bytes(0xAB, 4), s.look(address, 4));
        assertArrayEquals(new byte[] {1, 2, 3, 4}, s.download(address, 4));
    }

    @Test
    void pinnedMemoryIsReadAndWrittenLater() {
        long address = s.allocate(4);
        long stream = s.stream();
        MemorySegment from = s.pinned(4).fill((byte) 1);
        MemorySegment to = s.pinned(4).fill((byte) 2);
        ok(s.cuda.cuMemcpyHtoDAsync(address, from.address(), 4, stream));
        ok(s.cuda.cuMemcpyDtoHAsync(to.address(), address, 4, stream));
        from.fill((byte) 7);
        assertEquals(2, to.get(JAVA_BYTE, 0));
        ok(s.cuda.cuStreamSynchronize(stream));
        assertArrayEquals(bytes(7, 4), to.toArray(JAVA_BYTE));
    }

    @Test
    void registeredMemoryIsPageLockedUntilItIsNot() {
        MemorySegment host = s.arena.allocate(4096, 4096);
        assertEquals(1, s.refused(p -> s.cuda.cuPointerGetAttribute(p, 2, host.address())));
        ok(s.cuda.cuMemHostRegister(host.address(), 4096, 0));
        assertEquals(712, s.cuda.cuMemHostRegister(host.address() + 100, 5, 0));
        assertEquals(1, s.number(p -> s.cuda.cuPointerGetAttribute(p, 2, host.address() + 4095)));
        assertEquals(1, s.refused(p -> s.cuda.cuPointerGetAttribute(p, 2, host.address() + 4096)));
        assertEquals(1, s.cuda.cuMemFreeHost(host.address()));
        assertEquals(713, s.cuda.cuMemHostUnregister(host.address() + 1));
        ok(s.cuda.cuMemHostUnregister(host.address()));
        assertEquals(713, s.cuda.cuMemHostUnregister(host.address()));
        assertEquals(1, s.cuda.cuMemHostRegister(0, 4096, 0));
        assertEquals(1, s.cuda.cuMemHostRegister(host.address(), 0, 0));
        assertEquals(1, s.cuda.cuMemHostRegister(host.address(), 1, 1 << 10));
    }

    @Test
    void pinnedMemoryIsFreedOnceAndAfterItsCopies() {
        MemorySegment pinned = s.pinned(8).fill((byte) 5);
        long address = s.allocate(8);
        long stream = s.nonBlocking();
        ok(s.cuda.cuMemcpyHtoDAsync(address, pinned.address(), 8, stream));
        assertEquals(713, s.cuda.cuMemHostUnregister(pinned.address()));
        ok(s.cuda.cuMemFreeHost(pinned.address()));
        assertEquals(1, s.cuda.cuMemFreeHost(pinned.address()));
        assertArrayEquals(bytes(5, 8), s.look(address, 8));
        assertEquals(1, s.refused(p -> s.cuda.cuMemHostAlloc(p, 0, 0)));
        assertEquals(1, s.refused(p -> s.cuda.cuMemHostAlloc(p, 1, 8)));
    }

    @Test
    void whatTheDriverKnowsOfAnAddress() {
        long address = s.allocate(100);
        MemorySegment pinned = s.pinned(10);
        assertEquals(2, s.number(p -> s.cuda.cuPointerGetAttribute(p, 2, address + 99)));
        assertEquals(1, s.refused(p -> s.cuda.cuPointerGetAttribute(p, 2, address + 100)));
        assertEquals(1, s.number(p -> s.cuda.cuPointerGetAttribute(p, 2, pinned.address())));
        assertEquals(s.context, s.value(p -> s.cuda.cuPointerGetAttribute(p, 1, address)));
        assertEquals(address + 7, s.value(p -> s.cuda.cuPointerGetAttribute(p, 3, address + 7)));
        assertEquals(1, s.refused(p -> s.cuda.cuPointerGetAttribute(p, 4, address)));
        assertEquals(pinned.address() + 1, s.value(p -> s.cuda.cuPointerGetAttribute(p, 4, pinned.address() + 1)));
        assertEquals(0, s.number(p -> s.cuda.cuPointerGetAttribute(p, 8, address)));
        assertEquals(0, s.number(p -> s.cuda.cuPointerGetAttribute(p, 9, address)));
        assertEquals(address, s.value(p -> s.cuda.cuPointerGetAttribute(p, 11, address + 5)));
        assertEquals(100, s.value(p -> s.cuda.cuPointerGetAttribute(p, 12, address + 5)));
        assertEquals(1, s.number(p -> s.cuda.cuPointerGetAttribute(p, 13, address)));
        assertEquals(1, s.refused(p -> s.cuda.cuPointerGetAttribute(p, 99, address)));
    }

    @Test
    void memoryOnAStream() {
        long stream = s.stream();
        long address = s.value(p -> s.cuda.cuMemAllocAsync(p, TOTAL, stream));
        s.fill(address, 3, TOTAL, stream);
        MemorySegment host = s.pinned(2);
        ok(s.cuda.cuMemcpyDtoHAsync(host.address(), address, 2, stream));
        ok(s.cuda.cuMemFreeAsync(address, stream));
        assertEquals(1, s.cuda.cuMemFreeAsync(address, stream));
        assertEquals(1, s.cuda.cuMemFree(address));
        assertEquals(1, s.cuda.cuMemsetD8Async(address, (byte) 0, 1, stream));
        assertEquals(0, free());
        // What is short waits for what is on its way out.
        long next = s.value(p -> s.cuda.cuMemAllocAsync(p, TOTAL, stream));
        assertArrayEquals(bytes(3, 2), host.toArray(JAVA_BYTE));
        ok(s.cuda.cuMemFree(next));
        assertEquals(TOTAL, free());
        assertEquals(1, s.cuda.cuMemFreeAsync(s.allocate(1), stream));
    }

    @Test
    void poolsAreThereAndSettable() {
        long pool = s.value(p -> s.cuda.cuDeviceGetDefaultMemPool(p, 0));
        ok(s.cuda.cuMemPoolSetAttribute(pool, 4, s.argument(-1L)));
        ok(s.cuda.cuMemPoolTrimTo(pool, 0));
        assertEquals(1, s.cuda.cuMemPoolSetAttribute(pool, 99, s.argument(0L)));
        assertEquals(1, s.cuda.cuMemPoolTrimTo(0, 0));
    }

    @Test
    void leaksAreNamed() {
        long address = s.allocate(64);
        MemorySegment pinned = s.pinned(10);
        long stream = s.stream();
        long event = s.event();
        assertEquals(List.of("primary context of device 0, retained 1 times",
                "64 bytes of device memory at 0x" + Long.toHexString(address),
                "10 bytes of pinned host memory at 0x" + Long.toHexString(pinned.address()), "stream", "event"),
                s.cuda.leaks());
        ok(s.cuda.cuStreamDestroy(stream));
        ok(s.cuda.cuEventDestroy(event));
        ok(s.cuda.cuMemFreeHost(pinned.address()));
        ok(s.cuda.cuDevicePrimaryCtxRelease(0));
        assertEquals(List.of("64 bytes of device memory at 0x" + Long.toHexString(address)
                + ", when the context was destroyed"), s.cuda.leaks());
    }
}
