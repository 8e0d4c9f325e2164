package dev.tilewright.gpu.emulation;

/** A fill of memory with one byte. */
record FillTask(Place to, byte value, long bytes) implements Task {

    @Override
    public void run() {
        to.bytes(bytes).fill(value);
    }
}
