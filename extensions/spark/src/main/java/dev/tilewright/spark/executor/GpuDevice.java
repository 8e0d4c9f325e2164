package dev.tilewright.spark.executor;

import dev.tilewright.gpu.ArrayKernel;
import dev.tilewright.gpu.Buffer;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.PinnedMemory;
import dev.tilewright.gpu.Stream;
import dev.tilewright.gpu.device.CudaException;
import dev.tilewright.gpu.device.OutOfDeviceMemoryException;
import dev.tilewright.spark.batch.Group;
import dev.tilewright.spark.batch.RowShapes;
import dev.tilewright.spark.batch.Work;
import dev.tilewright.tile.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashMap;
import java.util.Map;

/** One GPU, or an emulated one. */
final class GpuDevice implements Device {
    private static final double SHARE = 0.8;

    private final Gpu gpu;
    private final long bound;
    private volatile boolean lost;

    /** @throws CudaException if the context is lost already */
    GpuDevice(Gpu gpu, long bound) {
        this.gpu = gpu;
        // Asked for in any case: a context that was lost is opened all the same, and says so at its first call alone.
        long free = gpu.memory().free();
        this.bound = bound == 0 ? (long) (SHARE * free) : bound;
    }

    @Override
    public long bound() {
        return bound;
    }

    @Override
    public boolean isLost() {
        return lost;
    }

    /**
     * What becomes of a failure: it remembers that the context is gone, and says it in what can travel to the driver.
     */
    private RuntimeException failed(RuntimeException e) {
        if (!(e instanceof CudaException cuda) || e instanceof OutOfDeviceMemoryException) {
            return e;
        }
        lost |= cuda.contextIsLost();
        DeviceException told = new DeviceException(e.getMessage() + (lost ? "; the next task of this executor opens "
                + "the device anew" : ""));
        told.setStackTrace(e.getStackTrace());
        return told;
    }

    @Override
    public DeviceSlot slot(long bytes) {
        try {
            return new GpuSlot(bytes);
        } catch (RuntimeException e) {
            throw failed(e);
        }
    }

    @Override
    public Resident load(Mapping mapping) {
        String bits = mapping.kernel().signature(gpu.target()).bits();
        if (!bits.equals(mapping.task().bits())) {
            throw new IllegalStateException("kernel '" + mapping.kernel().name() + "' has other bits on " + gpu.name()
                    + " (" + gpu.target() + ") than on " + mapping.target() + ", which the application's results have: "
                    + "set spark.tilewright.target=" + gpu.target() + ", or name the kernel's arithmetic");
        }
        try {
            return new GpuResident(mapping);
        } catch (RuntimeException e) {
            throw failed(e);
        }
    }

    @Override
    public void close() {
        try {
            gpu.close();
        } catch (RuntimeException e) {
            if (!lost) {
                throw e;
            }
        }
    }

    private final class GpuResident implements Resident {
        private final Mapping mapping;
        private final ArrayKernel kernel;
        private final Map<String, Buffer<byte[]>> weights = new LinkedHashMap<>();

        GpuResident(Mapping mapping) {
            this.mapping = mapping;
            this.kernel = gpu.load(mapping.kernel());
            try {
                mapping.weights(this::upload);
            } catch (RuntimeException e) {
                free();
                throw e;
            }
        }

        private void upload(Tensor tensor) {
            weights.put(tensor.name(), gpu.upload(mapping.weight(tensor).bytes()));
        }

        @Override
        public Mapping mapping() {
            return mapping;
        }

        @Override
        public long bytes() {
            return weights.values().stream().mapToLong(Buffer::bytes).sum();
        }

        @Override
        public void free() {
            weights.values().forEach(Buffer::close);
            kernel.close();
        }
    }

    private final class GpuSlot implements DeviceSlot {
        private final PinnedMemory pinned;
        private final Buffer<byte[]> buffer;
        private final Stream stream;

        GpuSlot(long bytes) {
            buffer = gpu.bytes(bytes);
            try {
                pinned = gpu.pinnedPool().take(bytes);
            } catch (RuntimeException e) {
                buffer.close();
                throw e;
            }
            stream = gpu.nonBlockingStream();
        }

        @Override
        public MemorySegment memory() {
            return pinned.segment();
        }

        @Override
        public void start(Resident resident, RowShapes shapes, Work work) {
            try {
                long read = work.readBytes();
                long written = work.bytes() - read;
                if (read > 0 && work.sources().isEmpty()) {
                    stream.upload(memory().asSlice(0, read), buffer.slice(0, read));
                }
                work.sources().forEach((tensor, source) -> stream.upload(source, buffer.slice(
                        work.groups().getFirst().places().get(tensor).offset(), source.byteSize())));
                if (written > 0) {
                    stream.fill(buffer.slice(read, written), (byte) 0);
                }
                work.groups().forEach(group -> launch((GpuResident) resident, shapes, group));
                if (written > 0) {
                    stream.download(buffer.slice(read, written), memory().asSlice(read, written));
                }
            } catch (RuntimeException e) {
                throw failed(e);
            }
        }

        private void launch(GpuResident resident, RowShapes shapes, Group group) {
            ArrayKernel.GpuLaunch launch = resident.kernel.launch().on(stream);
            resident.mapping.places(group, shapes, (tensor, place, shape) -> launch.set(tensor,
                    buffer.slice(place.offset(), place.bytesOfRow() * group.rows()), shape));
            resident.weights.forEach((name, weight) -> launch.set(name, weight,
                    resident.mapping.task().weights().value().byName().get(name).shape()));
            resident.mapping.task().scalars().forEach(launch::scalar);
            launch.prepare().start();
        }

        @Override
        public void await() {
            try {
                stream.synchronize();
            } catch (RuntimeException e) {
                throw failed(e);
            }
        }

        @Override
        public void free() {
            try {
                stream.close();
                buffer.close();
                gpu.pinnedPool().give(pinned);
            } catch (RuntimeException e) {
                if (!lost) {
                    throw failed(e);
                }
            }
        }
    }
}
