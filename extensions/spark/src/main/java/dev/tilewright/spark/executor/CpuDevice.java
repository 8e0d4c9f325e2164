package dev.tilewright.spark.executor;

import dev.tilewright.spark.batch.Group;
import dev.tilewright.spark.batch.RowShapes;
import dev.tilewright.spark.batch.Work;
import dev.tilewright.tile.CpuLaunch;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** The executor of the tile language, on the cores that a task has. */
final class CpuDevice implements Device {
    private static final long ALIGNMENT = 64;

    private final long bound;
    private final int cores;

    CpuDevice(long bound, int cores) {
        this.bound = bound == 0 ? Long.MAX_VALUE : bound;
        this.cores = cores;
    }

    @Override
    public long bound() {
        return bound;
    }

    @Override
    public DeviceSlot slot(long bytes) {
        return new CpuSlot(bytes);
    }

    @Override
    public Resident load(Mapping mapping) {
        return new CpuResident(mapping);
    }

    @Override
    public boolean isLost() {
        return false;
    }

    @Override
    public void close() { }

    private record CpuResident(Mapping mapping) implements Resident {
        @Override
        public long bytes() {
            return 0;
        }

        @Override
        public void free() { }
    }

    private final class CpuSlot implements DeviceSlot {
        private final Arena arena = Arena.ofShared();
        private final MemorySegment memory;

        CpuSlot(long bytes) {
            memory = arena.allocate(bytes, ALIGNMENT);
        }

        @Override
        public MemorySegment memory() {
            return memory;
        }

        @Override
        public void start(Resident resident, RowShapes shapes, Work work) {
            Mapping mapping = resident.mapping();
            memory.asSlice(work.readBytes(), work.bytes() - work.readBytes()).fill((byte) 0);
            for (Group group : work.groups()) {
                CpuLaunch launch = mapping.kernel().onCpu().cores(cores)
                        .arithmetic(mapping.kernel().arithmetic(mapping.target()));
                mapping.places(group, shapes, (tensor, _, shape) -> launch.set(tensor,
                        work.segment(tensor, group, memory), shape));
                mapping.weights(tensor -> launch.set(tensor.name(), mapping.weight(tensor).elements(),
                        mapping.weight(tensor).shape()));
                mapping.task().scalars().forEach(launch::scalar);
                launch.run();
            }
        }

        @Override
        public void await() { }

        @Override
        public void free() {
            arena.close();
        }
    }
}
