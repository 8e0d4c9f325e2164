package dev.tilewright.gpu.streaming;

import dev.tilewright.gpu.Buffer;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.Stream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * A place on a GPU where slabs are one after another: a stream, and a buffer for each source and each target, as large
 * as the largest slab. Several slots of a GPU are used in turn, so that one slab is copied up while another is computed
 * and a third is copied down.
 */
public final class Slot {
    /** How long a waiting thread sleeps before it asks again: a slab takes ten times as long, and more. */
    private static final long PAUSE_NANOS = 30_000;

    private final Job job;
    private final Gpu gpu;
    private final int gpuNumber;
    private final int number;
    private final List<AutoCloseable> owned = new ArrayList<>();
    private final List<Buffer<byte[]>> inputs = new ArrayList<>();
    private final List<Buffer<byte[]>> outputs = new ArrayList<>();
    /** Page-locked memory for sources and targets that are not page-locked; null for the others. */
    private final List<MemorySegment> stagedInputs = new ArrayList<>();
    private final List<MemorySegment> stagedOutputs = new ArrayList<>();
    private long deviceUsed;
    private long hostUsed;
    private Stream stream;
    private SlabStep step;
    /** The slab that is under way; null for none. */
    private Slab slab;

    private Slot(Job job, int gpuNumber, int number) {
        this.job = job;
        this.gpu = job.gpus().get(gpuNumber);
        this.gpuNumber = gpuNumber;
        this.number = number;
    }

    /** Gets memory and a stream; what it has got when something fails is given back. */
    static Slot open(Job job, int gpuNumber, int number) {
        Slot slot = new Slot(job, gpuNumber, number);
        try {
            // One that waits for the default stream, and that for it: a launch that was not told its stream is right,
            // too.
            slot.stream = slot.own(slot.gpu.stream());
            slot.furnish();
            slot.step = job.work().open(slot);
            if (slot.step == null) {
                throw new IllegalStateException("the work gave no step for slot " + number);
            }
            slot.owned.addLast(slot.step);
            return slot;
        } catch (RuntimeException | Error e) {
            slot.close(e);
            throw e;
        }
    }

    private <T extends AutoCloseable> T own(T resource) {
        owned.addLast(resource);
        return resource;
    }

    /** Divides its part of the GPU's room. */
    private void furnish() {
        deviceUsed = number * job.deviceBytesOfSlot();
        hostUsed = number * job.hostBytesOfSlot();
        job.inputs().forEach(lane -> furnish(lane, inputs, stagedInputs));
        job.outputs().forEach(lane -> furnish(lane, outputs, stagedOutputs));
    }

    private void furnish(Job.Lane<?> lane, List<Buffer<byte[]>> buffers, List<MemorySegment> staging) {
        GpuRoom room = job.room(gpuNumber);
        long bytes = job.rowsPerSlab() * lane.rowBytes();
        buffers.add(room.device(deviceUsed, bytes));
        deviceUsed += job.slotBytes(lane);
        staging.add(lane.isStaged() ? room.host(hostUsed, bytes) : null);
        hostUsed += lane.isStaged() ? job.slotBytes(lane) : 0;
    }

    /** Where it is. */
    public Gpu gpu() {
        return gpu;
    }

    /** The stream of its slabs' copies and launches. */
    public Stream stream() {
        return stream;
    }

    /** The slot's number among those of its GPU in this run, from 0. */
    public int number() {
        return number;
    }

    /** Room for the largest slab of the first source. */
    public Buffer<byte[]> input() {
        return input(0);
    }

    /**
     * Room for the largest slab of a source.
     *
     * @param source in the order of {@link Rows#from}
     */
    public Buffer<byte[]> input(int source) {
        return inputs.get(source);
    }

    /** Room for the largest slab of the first target. */
    public Buffer<byte[]> output() {
        return output(0);
    }

    /**
     * Room for the largest slab of a target.
     *
     * @param target in the order of {@link Rows#to}
     */
    public Buffer<byte[]> output(int target) {
        return outputs.get(target);
    }

    /** How many rows the largest slab has. */
    public long mostRows() {
        return job.rowsPerSlab();
    }

    Rows rows() {
        return job.rows();
    }

    /** Starts copies up, the step and copies down of a slab; only copies to page-locked memory are waited for. */
    void start(long index) throws IOException {
        long first = index * job.rowsPerSlab();
        Slab next = new Slab(this, index, first, Math.min(job.rowsPerSlab(), rows().count() - first));
        // Known from here on, so that whatever fails, what was started is waited for.
        slab = next;
        for (int i = 0; i < inputs.size(); i++) {
            Job.Lane<HostSource.Reader> lane = job.inputs().get(i);
            MemorySegment from = lane.rows(first, next.rows(), stagedInputs.get(i));
            if (lane.isStaged()) {
                lane.file().read(first * lane.rowBytes(), from);
            }
            stream.upload(from, inputs.get(i));
        }
        step.start(next);
        for (int i = 0; i < outputs.size(); i++) {
            stream.download(outputs.get(i), job.outputs().get(i).rows(first, next.rows(), stagedOutputs.get(i)));
        }
    }

    /** Waits for the slab that is under way, if there is one, and brings its results to where they belong. */
    void finish() throws IOException {
        if (slab == null) {
            return;
        }
        while (!stream.isIdle()) {
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        Slab done = slab;
        slab = null;
        if (job.isEnding()) {
            return;
        }
        for (int i = 0; i < outputs.size(); i++) {
            Job.Lane<HostTarget.Writer> lane = job.outputs().get(i);
            if (lane.isStaged()) {
                lane.file().write(done.firstRow() * lane.rowBytes(),
                        lane.rows(done.firstRow(), done.rows(), stagedOutputs.get(i)));
            }
        }
        job.finished(gpuNumber, done.rows());
    }

    /**
     * Waits for what is under way and gives everything back.
     *
     * @param failure gets what goes wrong as suppressed exceptions; null if nothing has gone wrong yet
     * @return the failure, or the first thing that went wrong now; null for none
     */
    Throwable close(Throwable failure) {
        Throwable first = failure;
        if (slab != null) {
            first = attempt(stream::synchronize, first);
            if (first != failure) {
                job.room(gpuNumber).notDrained();
            }
            slab = null;
        }
        while (!owned.isEmpty()) {
            first = attempt(owned.removeLast(), first);
        }
        return first;
    }

    private static Throwable attempt(AutoCloseable action, Throwable failure) {
        try {
            action.close();
            return failure;
        } catch (Throwable e) {
            if (failure == null) {
                return e;
            }
            if (failure != e) {
                failure.addSuppressed(e);
            }
            return failure;
        }
    }

    /** {@code slot 2 of GPU 0 (NVIDIA H200)}. */
    @Override
    public String toString() {
        return "slot " + number + " of " + gpu;
    }
}
