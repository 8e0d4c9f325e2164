package dev.tilewright.gpu.emulation;

import dev.tilewright.gpu.emulation.state.Task;

/** A fill of memory with one byte. */
record FillTask(CopyPlace to, byte value, long bytes) implements Task {

    @Override
    public void run() {
        to.bytes(bytes).fill(value);
    }
}
