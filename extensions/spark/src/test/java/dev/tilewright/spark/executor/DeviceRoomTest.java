package dev.tilewright.spark.executor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.gpu.device.CudaError;
import dev.tilewright.gpu.device.DeviceInfo;
import dev.tilewright.gpu.device.DeviceMemory;
import dev.tilewright.gpu.device.OutOfDeviceMemoryException;
import dev.tilewright.spark.batch.NoRoomException;
import dev.tilewright.spark.batch.RowShapes;
import dev.tilewright.spark.batch.Work;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Memory of a device is shared: never more than the bound, and nobody fails where waiting helps. */
class DeviceRoomTest {
    private static final long KIB = 1024;

    /** Counts bytes; gives out fewer than its bound where others have some. */
    private static final class Counting implements Device {
        private final AtomicLong bytes = new AtomicLong();
        private final AtomicLong most = new AtomicLong();
        private final long bound;
        private final long there;

        Counting(long bound, long there) {
            this.bound = bound;
            this.there = there;
        }

        @Override
        public long bound() {
            return bound;
        }

        @Override
        public DeviceSlot slot(long size) {
            if (bytes.get() + size > there) {
                throw new OutOfDeviceMemoryException("cuMemAlloc", new CudaError(2, "CUDA_ERROR_OUT_OF_MEMORY", ""),
                        new DeviceInfo(0, "a GPU", 9, 0, there, 1, 1), size, new DeviceMemory(0, there));
            }
            most.accumulateAndGet(bytes.addAndGet(size), Math::max);
            MemorySegment memory = Arena.ofAuto().allocate(size);
            return new DeviceSlot() {
                @Override
                public MemorySegment memory() {
                    return memory;
                }

                @Override
                public void start(Resident mapping, RowShapes shapes, Work work) { }

                @Override
                public void await() { }

                @Override
                public void free() {
                    bytes.addAndGet(-size);
                }
            };
        }

        @Override
        public Resident load(Mapping mapping) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean isLost() {
            return false;
        }

        @Override
        public void close() { }
    }

    @Test
    void manyThreadsStayWithinTheBound() throws Exception {
        Counting device = new Counting(1000 * KIB, 1000 * KIB);
        run(device);
        assertTrue(device.most.get() > 500 * KIB, "so many were used at once: " + device.most);
        assertTrue(device.most.get() <= 1000 * KIB, "more than the bound: " + device.most);
    }

    @Test
    void whereOthersHaveMemoryTooThreadsWait() throws Exception {
        Counting device = new Counting(1000 * KIB, 600 * KIB);
        run(device);
        assertTrue(device.most.get() <= 600 * KIB);
    }

    private static void run(Counting device) throws Exception {
        DeviceRoom room = new DeviceRoom(device);
        List<Future<?>> all = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
            for (int i = 0; i < 8; i++) {
                Random random = new Random(i);
                all.add(threads.submit(() -> {
                    for (int turn = 0; turn < 200; turn++) {
                        List<DeviceSlot> held = new ArrayList<>();
                        held.add(room.take(1 + random.nextLong(400 * KIB), () -> { }));
                        room.tryTake(1 + random.nextLong(400 * KIB)).ifPresent(held::add);
                        held.forEach(room::give);
                    }
                }));
            }
            for (Future<?> one : all) {
                one.get();
            }
        }
        assertEquals(0, room.inTasks());
        assertEquals(device.bytes.get(), room.used());
        room.close();
        assertEquals(0, device.bytes.get());
    }

    @Test
    void whatNeverFitsIsSaid() {
        DeviceRoom bounded = new DeviceRoom(new Counting(100 * KIB, 100 * KIB));
        assertEquals("a batch takes 204800 bytes, and all tasks of this executor may have 102400: raise "
                + "spark.tilewright.memory, or give shorter rows, or smaller batches of columns",
                assertThrows(NoRoomException.class, () -> bounded.take(200 * KIB, () -> { })).getMessage());
        DeviceRoom full = new DeviceRoom(new Counting(1000 * KIB, 100 * KIB));
        assertThrows(NoRoomException.class, () -> full.take(200 * KIB, () -> { }));
        // Batches of half the size are what the task tries next.
        full.give(full.take(64 * KIB, () -> { }));
    }

    @Test
    void whoHoldsSomeDoesNotWaitForEver() {
        DeviceRoom room = new DeviceRoom(new Counting(100 * KIB, 100 * KIB), 1_000_000);
        DeviceSlot first = room.take(64 * KIB, () -> { });
        assertTrue(assertThrows(NoRoomException.class, () -> room.take(64 * KIB, () -> { })).getMessage()
                .startsWith("a task whose kernels follow each other holds memory of a batch and found none"));
        room.give(first);
        room.give(room.take(64 * KIB, () -> { }));
    }

    @Test
    void whoIsKilledDoesNotWait() {
        DeviceRoom room = new DeviceRoom(new Counting(100 * KIB, 100 * KIB));
        DeviceSlot held = room.take(100 * KIB, () -> { });
        long[] calls = new long[1];
        assertThrows(IllegalStateException.class, () -> room.take(100 * KIB, () -> {
            if (calls[0]++ == 2) {
                throw new IllegalStateException("killed");
            }
        }));
        room.give(held);
        assertEquals(0, room.inTasks());
    }
}
