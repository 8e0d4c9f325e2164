package dev.tilewright.gpu.streaming;

import java.util.ArrayList;
import java.util.List;

/**
 * A thread of a run: has some slots of one GPU and uses them in turn. It copies to and from page-locked memory itself
 * while the GPU is busy with its other slots.
 */
final class Worker implements Runnable {
    private final Job job;
    private final int gpu;
    private final int firstSlot;
    private final int count;
    private final Runnable atEnd;
    private final List<Slot> slots = new ArrayList<>();

    /**
     * @param gpu its GPU's place in the list
     * @param firstSlot the number of its first slot
     * @param atEnd is called when nothing of it is left
     */
    Worker(Job job, int gpu, int firstSlot, int count, Runnable atEnd) {
        this.job = job;
        this.gpu = gpu;
        this.firstSlot = firstSlot;
        this.count = count;
        this.atEnd = atEnd;
    }

    @Override
    public void run() {
        try {
            stream();
        } catch (Throwable e) {
            job.fail(e);
        } finally {
            close();
            atEnd.run();
        }
    }

    private void stream() throws Exception {
        for (int turn = 0;; turn = turn + 1 == count ? 0 : turn + 1) {
            if (turn < slots.size()) {
                slots.get(turn).finish();
            }
            long index = job.take();
            if (index < 0) {
                break;
            }
            if (turn == slots.size()) {
                // Only now: a small array does not use them all.
                slots.add(Slot.open(job, gpu, firstSlot + turn));
            }
            slots.get(turn).start(index);
        }
        for (Slot slot : slots) {
            slot.finish();
        }
    }

    private void close() {
        for (Slot slot : slots) {
            Throwable failure = slot.close(null);
            if (failure != null) {
                job.fail(failure);
            }
        }
    }
}
