package dev.tilewright.gpu.emulation;

import dev.tilewright.gpu.emulation.state.Task;

/** A copy. */
record CopyTask(Place to, Place from, long bytes) implements Task {

    @Override
    public void run() {
        to.bytes(bytes).copyFrom(from.bytes(bytes));
    }
}
