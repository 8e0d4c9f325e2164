package dev.tilewright.gpu.emulation;

import dev.tilewright.gpu.emulation.state.Task;

/** A copy. */
record CopyTask(CopyPlace to, CopyPlace from, long bytes) implements Task {

    @Override
    public void run() {
        to.bytes(bytes).copyFrom(from.bytes(bytes));
    }
}
