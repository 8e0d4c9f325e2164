package dev.tilewright.gpu.streaming;

import dev.tilewright.Counted;
import dev.tilewright.Progress;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.layout.Saturating;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * What the threads of one run share: the slabs that are left, from which every thread takes the next one, so that a
 * faster GPU takes more; what went wrong first; and how far the run is.
 */
final class Job {
    /** Beyond what any buffer has. */
    private static final long MOST_BYTES = 1L << 62;

    private final Rows rows;
    private final long rowsPerSlab;
    private final long slabs;
    private final int slots;
    private final int workers;
    private final List<GpuRoom> rooms;
    private long deviceBytesOfSlot;
    private long hostBytesOfSlot;
    private final SlabWork work;
    private final Progress progress;
    private final List<Gpu> gpus;
    private final List<Lane<HostSource.Reader>> inputs = new ArrayList<>();
    private final List<Lane<HostTarget.Writer>> outputs = new ArrayList<>();
    private final AtomicLong next = new AtomicLong();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final long[] slabsOfGpu;
    private long rowsDone;

    /**
     * A source or a target.
     *
     * @param direct its memory, if every one of the GPUs reaches it by itself; null if threads copy
     */
    record Lane<F extends AutoCloseable>(F file, long rowBytes, MemorySegment direct) {

        boolean isStaged() {
            return direct == null;
        }

        /** Where rows lie for the GPU. @param staging of a slot; null if there is no detour */
        MemorySegment rows(long first, long count, MemorySegment staging) {
            return isStaged() ? staging.asSlice(0, count * rowBytes)
                    : direct.asSlice(first * rowBytes, count * rowBytes);
        }
    }

    /** Opens sources and targets. @throws IOException if one cannot be opened; none is left open then */
    Job(List<Gpu> gpus, Rows rows, StreamSizes sizes, SlabWork work, Progress progress) throws IOException {
        this.gpus = gpus;
        this.rows = rows;
        this.work = work;
        this.progress = progress;
        this.slabsOfGpu = new long[gpus.size()];
        try {
            for (Rows.In in : rows.inputs()) {
                MemorySegment direct = direct(in.source().memory(), "the source");
                inputs.add(new Lane<>(in.source().open(), in.rowBytes(), direct));
            }
            for (Rows.Out out : rows.outputs()) {
                MemorySegment direct = direct(out.target().memory(), "the result");
                outputs.add(new Lane<>(out.target().open(), out.rowBytes(), direct));
            }
        } catch (IOException | RuntimeException | Error e) {
            closeFiles(e);
            throw e;
        }
        int stagedBuffers = (int) lanes().filter(Lane::isStaged).count();
        boolean staged = stagedBuffers > 0;
        this.rowsPerSlab = rows.perSlab(sizes.bytes(stagedBuffers, rows.count() * rows.widest(), gpus.size()));
        this.slabs = Math.ceilDiv(rows.count(), rowsPerSlab);
        this.slots = (int) Math.min(Math.min(sizes.slots(staged, gpus.size()), slabs), Integer.MAX_VALUE);
        this.workers = Math.min(sizes.threads(staged, gpus.size()), slots);
        lanes().forEach(lane -> {
            long bytes = slotBytes(lane);
            deviceBytesOfSlot = Saturating.add(deviceBytesOfSlot, bytes);
            hostBytesOfSlot = Saturating.add(hostBytesOfSlot, lane.isStaged() ? bytes : 0);
        });
        long device = Saturating.multiply(slots, deviceBytesOfSlot);
        long host = Saturating.multiply(slots, hostBytesOfSlot);
        if (Math.max(device, host) > MOST_BYTES) {
            IllegalArgumentException e = new IllegalArgumentException(slots + " slots of " + deviceBytesOfSlot
                    + " bytes are more than any GPU has: choose fewer slots or smaller slabs");
            closeFiles(e);
            throw e;
        }
        this.rooms = gpus.stream().map(gpu -> new GpuRoom(gpu, device, host)).toList();
    }

    private Stream<Lane<?>> lanes() {
        return Stream.concat(inputs.stream(), outputs.stream());
    }

    /** What a slot's buffer of a source or a target takes. */
    long slotBytes(Lane<?> lane) {
        return GpuRoom.aligned(rowsPerSlab * lane.rowBytes());
    }

    /** The memory of a GPU's slots. @param gpu its place in the list */
    GpuRoom room(int gpu) {
        return rooms.get(gpu);
    }

    long deviceBytesOfSlot() {
        return deviceBytesOfSlot;
    }

    long hostBytesOfSlot() {
        return hostBytesOfSlot;
    }

    /** Memory that every one of the GPUs reaches by itself needs no detour; else null. */
    private MemorySegment direct(MemorySegment memory, String what) {
        if (memory == null || memory.byteSize() == 0) {
            return null;
        }
        MemoryCopy.requireOpen(memory, what);
        if (gpus.stream().allMatch(gpu -> gpu.isPageLocked(memory))) {
            return memory;
        }
        MemoryCopy.requireShared(memory, what);
        return null;
    }

    List<Lane<HostSource.Reader>> inputs() {
        return inputs;
    }

    List<Lane<HostTarget.Writer>> outputs() {
        return outputs;
    }

    Rows rows() {
        return rows;
    }

    long rowsPerSlab() {
        return rowsPerSlab;
    }

    /** Slots of each GPU. */
    int slots() {
        return slots;
    }

    /** Threads of each GPU. */
    int workers() {
        return workers;
    }

    List<Gpu> gpus() {
        return gpus;
    }

    SlabWork work() {
        return work;
    }

    /** The next slab's number; -1 if there is none left, or the run is ending. */
    long take() {
        if (isEnding()) {
            return -1;
        }
        long index = next.getAndIncrement();
        return index < slabs ? index : -1;
    }

    /** Something went wrong: no thread begins anything new. What was wrong first is what the caller gets. */
    void fail(Throwable e) {
        if (!failure.compareAndSet(null, e)) {
            Throwable first = failure.get();
            if (first != e && !(first instanceof CancellationException)) {
                first.addSuppressed(e);
            }
        }
    }

    void cancel() {
        failure.compareAndSet(null, new CancellationException("the run was cancelled"));
    }

    /** How far it came, for a caller that waited for its end. */
    synchronized CancellationException cancelled(CancellationException cause) {
        CancellationException cancelled = new CancellationException("the run was cancelled after " + rowsDone + " of "
                + Counted.of(rows.count(), "row"));
        cancelled.initCause(cause);
        return cancelled;
    }

    boolean isEnding() {
        return failure.get() != null;
    }

    /** A slab is where it belongs. */
    synchronized void finished(int gpu, long slabRows) {
        slabsOfGpu[gpu]++;
        rowsDone += slabRows;
        long all = Math.max(rows.bytesIn(), rows.bytesOut());
        progress.at("streaming", rowsDone == rows.count() ? all : all / rows.count() * rowsDone, all);
    }

    synchronized StreamSummary summary(Duration time) {
        return new StreamSummary(rowsPerSlab * rows.widest(), LongStream.of(slabsOfGpu).boxed().toList(),
                rows.bytesIn(), rows.bytesOut(), time);
    }

    /**
     * All threads have ended: finishes the files.
     *
     * @return what went wrong; null if nothing did
     */
    Throwable end() {
        for (GpuRoom room : rooms) {
            try {
                room.close();
            } catch (RuntimeException | Error e) {
                fail(e);
            }
        }
        if (failure.get() == null) {
            try {
                for (Lane<HostTarget.Writer> output : outputs) {
                    output.file().commit();
                }
            } catch (IOException | RuntimeException | Error e) {
                fail(e);
            }
        }
        closeFiles(failure.get());
        return failure.get();
    }

    private void closeFiles(Throwable failed) {
        lanes().forEach(lane -> {
            try {
                lane.file().close();
            } catch (Throwable e) {
                if (failed != null) {
                    failed.addSuppressed(e);
                } else {
                    fail(e);
                }
            }
        });
    }
}
