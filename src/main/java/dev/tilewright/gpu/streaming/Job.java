package dev.tilewright.gpu.streaming;

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
    private final List<HostSource.Reader> inputs = new ArrayList<>();
    private final List<HostTarget.Writer> outputs = new ArrayList<>();
    private final boolean[] stagedInputs;
    private final boolean[] stagedOutputs;
    private final AtomicLong next = new AtomicLong();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final long[] slabsOfGpu;
    private long rowsDone;

    /** Opens sources and targets. @throws IOException if one cannot be opened; none is left open then */
    Job(List<Gpu> gpus, Rows rows, StreamSizes sizes, SlabWork work, Progress progress) throws IOException {
        this.gpus = gpus;
        this.rows = rows;
        this.work = work;
        this.progress = progress;
        this.slabsOfGpu = new long[gpus.size()];
        this.stagedInputs = new boolean[rows.inputs().size()];
        this.stagedOutputs = new boolean[rows.outputs().size()];
        try {
            for (Rows.In in : rows.inputs()) {
                inputs.add(in.source().open());
                stagedInputs[inputs.size() - 1] = isStaged(in.source().memory(), "the source");
            }
            for (Rows.Out out : rows.outputs()) {
                outputs.add(out.target().open());
                stagedOutputs[outputs.size() - 1] = isStaged(out.target().memory(), "the result");
            }
        } catch (IOException | RuntimeException | Error e) {
            closeFiles(e);
            throw e;
        }
        int stagedBuffers = stagedBuffers();
        boolean staged = stagedBuffers > 0;
        this.rowsPerSlab = rows.perSlab(sizes.bytes(stagedBuffers, rows.count() * rows.widest(), gpus.size()));
        this.slabs = Math.ceilDiv(rows.count(), rowsPerSlab);
        this.slots = (int) Math.min(Math.min(sizes.slots(staged, gpus.size()), slabs), Integer.MAX_VALUE);
        this.workers = Math.min(sizes.threads(staged, gpus.size()), slots);
        for (int i = 0; i < rows.inputs().size(); i++) {
            addBuffer(rows.inputs().get(i).rowBytes(), stagedInputs[i]);
        }
        for (int i = 0; i < rows.outputs().size(); i++) {
            addBuffer(rows.outputs().get(i).rowBytes(), stagedOutputs[i]);
        }
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

    private void addBuffer(long rowBytes, boolean staged) {
        long bytes = GpuRoom.aligned(rowsPerSlab * rowBytes);
        deviceBytesOfSlot = Saturating.add(deviceBytesOfSlot, bytes);
        hostBytesOfSlot = Saturating.add(hostBytesOfSlot, staged ? bytes : 0);
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

    /** Memory that every one of the GPUs reaches by itself needs no detour. */
    private boolean isStaged(MemorySegment memory, String what) {
        if (memory == null || memory.byteSize() == 0) {
            return true;
        }
        MemoryCopy.requireOpen(memory, what);
        if (gpus.stream().allMatch(gpu -> gpu.isPageLocked(memory))) {
            return false;
        }
        MemoryCopy.requireShared(memory, what);
        return true;
    }

    /** Sources and targets that threads have to copy, because they are not page-locked. */
    private int stagedBuffers() {
        int count = 0;
        for (boolean staged : stagedInputs) {
            count += staged ? 1 : 0;
        }
        for (boolean staged : stagedOutputs) {
            count += staged ? 1 : 0;
        }
        return count;
    }

    boolean isStagedInput(int number) {
        return stagedInputs[number];
    }

    boolean isStagedOutput(int number) {
        return stagedOutputs[number];
    }

    List<HostSource.Reader> inputs() {
        return inputs;
    }

    List<HostTarget.Writer> outputs() {
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
                + rows.count() + " rows");
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
                for (HostTarget.Writer output : outputs) {
                    output.commit();
                }
            } catch (IOException | RuntimeException | Error e) {
                fail(e);
            }
        }
        closeFiles(failure.get());
        return failure.get();
    }

    private void closeFiles(Throwable failed) {
        List<AutoCloseable> all = new ArrayList<>(inputs);
        all.addAll(outputs);
        for (AutoCloseable file : all) {
            try {
                file.close();
            } catch (Throwable e) {
                if (failed != null) {
                    failed.addSuppressed(e);
                } else {
                    fail(e);
                }
            }
        }
    }
}
