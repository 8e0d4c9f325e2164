package dev.tilewright.bench.device;

import dev.tilewright.BadRequestException;
import dev.tilewright.gpu.Buffer;
import dev.tilewright.gpu.DeviceMemory;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.Kernel;
import java.util.ArrayList;
import java.util.List;

/**
 * Arrays to copy from and to on a GPU: so many of each that a copy finds next to nothing in the L2. Random words,
 * written and compared on the device.
 */
public final class CopyArrays implements AutoCloseable {
    private static final byte STALE = (byte) 0xCD;

    private final Gpu gpu;
    private final long bytes;
    private final List<Buffer<byte[]>> sources = new ArrayList<>();
    private final List<Buffer<byte[]>> results = new ArrayList<>();
    /** What results have to be, where that is not what the sources are. */
    private final List<Buffer<byte[]>> expected = new ArrayList<>();
    private final Buffer<long[]> differing;
    private final Kernel fill;
    private final Kernel compare;

    /**
     * Allocates and fills them.
     *
     * @param bytes of one array, a multiple of 4
     * @throws BadRequestException if the GPU has not so much memory
     */
    public CopyArrays(Gpu gpu, long bytes, long seed) {
        if (bytes <= 0 || bytes % Integer.BYTES != 0) {
            throw new BadRequestException("an array to copy has a positive multiple of 4 bytes, got " + bytes);
        }
        this.gpu = gpu;
        this.bytes = bytes;
        DeviceMemory memory = gpu.memory();
        if (2 * bytes > memory.free() - (256L << 20)) {
            throw new BadRequestException("an array of " + (bytes >> 20) + " MiB and its copy do not fit " + gpu.name()
                    + ", which has " + (memory.free() >> 20) + " MiB free: choose a smaller size");
        }
        this.fill = gpu.load(PatternKernels.FILL);
        this.compare = gpu.load(PatternKernels.DIFFERING);
        this.differing = gpu.longs(1);
        int pairs = Rotation.sets(gpu, 2 * bytes);
        for (int i = 0; i < pairs; i++) {
            sources.add(gpu.bytes(bytes));
            results.add(gpu.bytes(bytes));
            fill.prepare().grid(blocks()).set("words", sources.get(i)).set("count", bytes / Integer.BYTES)
                    .set("seed", seed * 1_000_003 + i * (bytes / Integer.BYTES)).start();
        }
        gpu.synchronize();
    }

    private int blocks() {
        return Math.clamp(Math.ceilDiv(bytes / Integer.BYTES, PatternKernels.THREADS), 1,
                gpu.info().multiprocessors() * 8);
    }

    /** Bytes of each. */
    public long bytes() {
        return bytes;
    }

    /** How many pairs there are to rotate through. */
    public int pairs() {
        return sources.size();
    }

    /** What is copied. @param place any number from 0, counted round */
    public Buffer<byte[]> source(int place) {
        return sources.get(place % sources.size());
    }

    /** Where to. */
    public Buffer<byte[]> result(int place) {
        return results.get(place % results.size());
    }

    /** Copies what lies outside some bytes of each array: what a kernel that is compared is not there for. */
    public void copyAllBut(long from, long count) {
        for (int i = 0; i < pairs(); i++) {
            copyPart(i, 0, from);
            copyPart(i, from + count, bytes);
        }
        gpu.synchronize();
    }

    private void copyPart(int pair, long from, long to) {
        if (to > from) {
            sources.get(pair).slice(from, to - from).copyTo(results.get(pair).slice(from, to - from));
        }
    }

    /** Writes something else over all results. */
    public void spoil() {
        results.forEach(result -> result.fill(STALE));
        gpu.synchronize();
    }

    /** Takes what all results are now, once all work has ended, as what they have to be from now on. */
    public void expectResults() {
        gpu.synchronize();
        for (Buffer<byte[]> result : results) {
            Buffer<byte[]> kept = gpu.bytes(bytes);
            expected.add(kept);
            kept.copyFrom(result);
        }
        gpu.synchronize();
    }

    /** How many 32-bit words of all results are not what they have to be, once all work has ended: the sources' words. */
    public long differing() {
        gpu.synchronize();
        long count = 0;
        for (int i = 0; i < pairs(); i++) {
            differing.upload(new long[1]);
            compare.prepare().grid(blocks()).set("a", expected.isEmpty() ? sources.get(i) : expected.get(i)).set("b", results.get(i))
                    .set("count", bytes / Integer.BYTES).set("differing", differing).start();
            gpu.synchronize();
            count += differing.download()[0];
        }
        return count;
    }

    @Override
    public void close() {
        sources.forEach(Buffer::close);
        results.forEach(Buffer::close);
        expected.forEach(Buffer::close);
        differing.close();
        fill.close();
        compare.close();
    }
}
