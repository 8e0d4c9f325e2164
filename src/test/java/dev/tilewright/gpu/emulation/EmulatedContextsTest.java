package dev.tilewright.gpu.emulation;

import static dev.tilewright.gpu.emulation.Session.bytes;
import static dev.tilewright.gpu.emulation.Session.ok;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tilewright.gpu.emulation.state.DeviceModel;
import dev.tilewright.gpu.emulation.state.ExecutionOrder;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Devices, contexts and peers of the emulated driver. */
class EmulatedContextsTest {

    private static EmulatedCuda two() {
        return new EmulatedCuda(ExecutionOrder.LAZY, DeviceModel.hopper(1 << 20),
                new DeviceModel("second", 9, 0, 4, 100 << 10, 1 << 16));
    }

    @Test
    void nothingIsAnsweredBeforeCuInit() {
        EmulatedCuda cuda = new EmulatedCuda();
        MemorySegment out = Arena.global().allocate(JAVA_LONG);
        assertEquals(3, cuda.cuDeviceGetCount(out));
        assertEquals(3, cuda.cuCtxSynchronize());
        ok(cuda.cuDriverGetVersion(out));
        assertEquals(1, cuda.cuInit(1));
        ok(cuda.cuInit(0));
        ok(cuda.cuDeviceGetCount(out));
    }

    @Test
    void devicesSayWhatTheyAre() {
        try (Session s = new Session(two())) {
            assertEquals(2, s.number(s.cuda::cuDeviceGetCount));
            assertEquals(1, s.number(p -> s.cuda.cuDeviceGet(p, 1)));
            assertEquals(101, s.refused(p -> s.cuda.cuDeviceGet(p, 2)));
            MemorySegment name = s.arena.allocate(16).fill((byte) 'x');
            ok(s.cuda.cuDeviceGetName(name, 4, 1));
            assertEquals("sec", name.getString(0));
            ok(s.cuda.cuDeviceGetPCIBusId(name, 16, 1));
            assertEquals("0000:11:00.0", name.getString(0));
            MemorySegment first = s.arena.allocate(16);
            MemorySegment second = s.arena.allocate(16);
            ok(s.cuda.cuDeviceGetUuid(first, 0));
            ok(s.cuda.cuDeviceGetUuid(second, 1));
            assertNotEquals(-1, first.mismatch(second));
            assertEquals(1 << 16, s.value(p -> s.cuda.cuDeviceTotalMem(p, 1)));
            assertEquals(132, s.number(p -> s.cuda.cuDeviceGetAttribute(p, 16, 0)));
            assertEquals(4, s.number(p -> s.cuda.cuDeviceGetAttribute(p, 16, 1)));
            assertEquals(100 << 10, s.number(p -> s.cuda.cuDeviceGetAttribute(p, 97, 1)));
            assertEquals(9, s.number(p -> s.cuda.cuDeviceGetAttribute(p, 75, 0)));
            assertEquals(1, s.refused(p -> s.cuda.cuDeviceGetAttribute(p, 5000, 0)));
        }
    }

    @Test
    void aThreadHasTheContextThatItWasGiven() throws InterruptedException {
        try (Session s = new Session()) {
            AtomicInteger result = new AtomicInteger();
            Thread other = Thread.ofPlatform().start(() -> result.set(s.cuda.cuCtxSynchronize()));
            other.join();
            assertEquals(201, result.get());
            ok(s.cuda.cuCtxSetCurrent(0));
            assertEquals(201, s.cuda.cuCtxSynchronize());
            assertEquals(0, s.value(s.cuda::cuCtxGetCurrent));
            assertEquals(201, s.cuda.cuCtxSetCurrent(12_345));
            ok(s.cuda.cuCtxSetCurrent(s.context));
            assertEquals(0, s.number(s.cuda::cuCtxGetDevice));
        }
    }

    @Test
    void theLastReleaseEndsTheContext() {
        try (Session s = new Session()) {
            assertEquals(s.context, s.retain(0));
            long address = s.allocate(16);
            ok(s.cuda.cuDevicePrimaryCtxRelease(0));
            s.fill(address, 1, 16, 0);
            ok(s.cuda.cuDevicePrimaryCtxRelease(0));
            assertEquals(709, s.cuda.cuCtxSynchronize());
            assertEquals(201, s.cuda.cuDevicePrimaryCtxRelease(0));
            // The next one has the same handle, and nothing of what was there.
            assertEquals(s.context, s.retain(0));
            assertEquals(1, s.cuda.cuMemsetD8Async(address, (byte) 1, 16, 0));
        }
    }

    @Test
    void peersCopyAndReachEachOtherWhereAllowed() {
        try (Session s = new Session(two())) {
            long second = s.retain(1);
            assertNotEquals(s.context, second);
            long here = s.allocate(8);
            s.fill(here, 6, 8, 0);
            ok(s.cuda.cuCtxSetCurrent(second));
            long there = s.allocate(8);
            assertEquals(400, s.cuda.cuEventRecord(s.event(), streamOf(s)));
            ok(s.cuda.cuCtxSetCurrent(s.context));
            assertEquals(1, s.number(p -> s.cuda.cuDeviceCanAccessPeer(p, 0, 1)));
            assertEquals(0, s.number(p -> s.cuda.cuDeviceCanAccessPeer(p, 0, 0)));
            assertEquals(1, s.cuda.cuMemcpyPeerAsync(there, s.context, here, s.context, 8, 0));
            assertEquals(201, s.cuda.cuMemcpyPeerAsync(there, 1, here, s.context, 8, 0));
            ok(s.cuda.cuMemcpyPeerAsync(there, second, here, s.context, 8, 0));
            ok(s.cuda.cuStreamSynchronize(0));
            assertEquals(1, s.cuda.cuMemFree(there));
            ok(s.cuda.cuCtxSetCurrent(second));
            assertArrayEquals(bytes(6, 8), s.download(there, 8));
            ok(s.cuda.cuCtxSetCurrent(s.context));
            ok(s.cuda.cuCtxEnablePeerAccess(second, 0));
            assertEquals(704, s.cuda.cuCtxEnablePeerAccess(second, 0));
            assertEquals(201, s.cuda.cuCtxEnablePeerAccess(s.context, 0));
            assertEquals(1, s.cuda.cuCtxEnablePeerAccess(second, 1));
        }
    }

    /** A stream of device 0, while device 1 is current. */
    private static long streamOf(Session s) {
        ok(s.cuda.cuCtxSetCurrent(s.context));
        long stream = s.stream();
        ok(s.cuda.cuCtxSetCurrent(s.retain(1)));
        ok(s.cuda.cuDevicePrimaryCtxRelease(1));
        return stream;
    }

    @Test
    void kernelsReachPeersOnlyOnceTheyMay() {
        for (boolean allowed : new boolean[] {true, false}) {
            try (Session s = new Session(two())) {
                long second = s.retain(1);
                ok(s.cuda.cuCtxSetCurrent(second));
                long there = s.allocate(128);
                ok(s.cuda.cuCtxSetCurrent(s.context));
                if (allowed) {
                    ok(s.cuda.cuCtxEnablePeerAccess(second, 0));
                }
                var add = EmulatedKernelsTest.add(1);
                ok(s.cuda.cuLaunchKernelEx(s.config(add, 1, 0).segment(), s.function(add),
                        s.arguments(s.argument(there)), 0));
                assertEquals(allowed ? 0 : 700, s.cuda.cuCtxSynchronize());
                // Another device's fault is its own.
                ok(s.cuda.cuCtxSetCurrent(second));
                ok(s.cuda.cuMemFree(there));
            }
        }
    }

    @Test
    void aLostGpuStaysLost() {
        try (Session s = new Session()) {
            s.allocate(16);
            assertThrows(IllegalArgumentException.class, () -> s.cuda.lose(0, 0, "nothing"));
            s.cuda.lose(0, 46, "fell off the bus");
            s.cuda.lose(0, 700, "later");
            assertEquals("fell off the bus", s.cuda.fault(0).orElseThrow());
            assertEquals(46, s.cuda.cuCtxSynchronize());
            assertEquals(46, s.refused(p -> s.cuda.cuStreamCreate(p, 0, 0)));
            assertEquals(s.context, s.value(s.cuda::cuCtxGetCurrent));
            ok(s.cuda.cuDevicePrimaryCtxRelease(0));
            assertEquals(List.of(), s.cuda.leaks());
        }
    }

    @Test
    void modelsThatCannotBe() {
        assertThrows(IllegalArgumentException.class, () -> DeviceModel.hopper(0));
        assertThrows(IllegalArgumentException.class, () -> new DeviceModel("x", 9, 0, 0, 0, 1));
        assertThrows(IllegalArgumentException.class, () -> new DeviceModel("x", 0, 0, 1, 0, 1));
    }
}
