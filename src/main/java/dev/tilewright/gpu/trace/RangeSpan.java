package dev.tilewright.gpu.trace;

/** A span that NVIDIA's tools see, too. */
final class RangeSpan implements WatchedSpan {
    private final NvtxLibrary nvtx;
    private final long range;
    private final WatchedSpan event;

    RangeSpan(NvtxLibrary nvtx, String name, WatchedSpan event) {
        this.nvtx = nvtx;
        this.event = event;
        this.range = nvtx.start(name);
    }

    @Override
    public void bytes(long bytes) {
        event.bytes(bytes);
    }

    @Override
    public void answer(boolean yes) {
        event.answer(yes);
    }

    @Override
    public void close() {
        nvtx.end(range);
        event.close();
    }
}
