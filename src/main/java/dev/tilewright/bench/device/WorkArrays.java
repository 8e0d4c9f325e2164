package dev.tilewright.bench.device;

import dev.tilewright.BadRequestException;
import dev.tilewright.gpu.ArrayType;
import dev.tilewright.gpu.Buffer;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.Kernel;
import dev.tilewright.gpu.KernelLaunch;
import dev.tilewright.gpu.compile.CudaFunction;
import dev.tilewright.gpu.device.DeviceMemory;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Arrays that kernels read and others that they write, in enough sets that a kernel finds nothing of its own in the
 * L2. What a kernel has written is compared on the device with what it has to be, by a function in CUDA C++ that
 * computes each element directly.
 */
public final class WorkArrays implements AutoCloseable {
    private static final long LEFT_FREE = 256L << 20;

    private final Gpu gpu;
    private final long inBytes;
    private final long outBytes;
    private final List<Buffer<byte[]>> in = new ArrayList<>();
    private final List<Buffer<byte[]>> out = new ArrayList<>();
    private final List<Buffer<byte[]>> copied = new ArrayList<>();
    private final List<Buffer<byte[]>> copies = new ArrayList<>();
    private final Buffer<long[]> wrong;

    /**
     * Allocates them.
     *
     * @param inBytes of an array that is read, a multiple of 16
     * @param outBytes of one that is written, likewise
     * @throws BadRequestException if the GPU has not so much memory
     */
    public WorkArrays(Gpu gpu, long inBytes, long outBytes, Content content, long seed) {
        this(gpu, inBytes, outBytes, content, seed, Integer.MAX_VALUE);
    }

    /** @param mostSets 1 for kernels whose time is not that of the memory */
    public WorkArrays(Gpu gpu, long inBytes, long outBytes, Content content, long seed, int mostSets) {
        this.gpu = gpu;
        this.inBytes = inBytes;
        this.outBytes = outBytes;
        long set = inBytes + outBytes;
        DeviceMemory memory = gpu.memory();
        if (set > memory.free() - LEFT_FREE) {
            throw new BadRequestException("arrays of " + (inBytes >> 20) + " and " + (outBytes >> 20)
                    + " MiB do not fit "
                    + gpu.name() + ", which has " + (memory.free() >> 20) + " MiB free: choose a smaller size");
        }
        int sets = Math.min(mostSets, Rotation.sets(gpu, set));
        wrong = gpu.longs(1);
        long both = Math.min(inBytes, outBytes);
        for (int i = 0; i < sets; i++) {
            in.add(gpu.bytes(inBytes));
            out.add(gpu.bytes(outBytes));
            copied.add(in.get(i).slice(0, both));
            copies.add(out.get(i).slice(0, both));
        }
        fill(content, seed);
    }

    /** Fills what is read anew. */
    public void fill(Content content, long seed) {
        try (Kernel fill = gpu.load(ContentKernels.filling(content))) {
            for (int i = 0; i < in.size(); i++) {
                fill.prepare().grid(blocks(inBytes)).set("out", in.get(i)).set("count", inBytes / Integer.BYTES)
                        .set("seed", seed * 1_000_003 + i * (inBytes / Integer.BYTES)).start();
            }
            gpu.synchronize();
        }
    }

    private int blocks(long bytes) {
        return Math.clamp(Math.ceilDiv(bytes / Integer.BYTES, ContentKernels.THREADS), 1,
                gpu.info().multiprocessors() * 8);
    }

    /** How many sets there are to rotate through. */
    public int sets() {
        return in.size();
    }

    /** What is read. @param place any number from 0, counted round */
    public Buffer<byte[]> in(int place) {
        return in.get(place % in.size());
    }

    /** What is written. */
    public Buffer<byte[]> out(int place) {
        return out.get(place % out.size());
    }

    /** The device's own copy of as much as both arrays have. */
    public DeviceTurns.Work copying() {
        return (stream, place) -> stream.copy(copied.get(place % copied.size()), copies.get(place % copies.size()));
    }

    /** Bytes that {@link #copying} reads and writes. */
    public long copiedBytes() {
        return 2 * Math.min(inBytes, outBytes);
    }

    /** Writes one byte over all that is written. */
    public void spoil(byte value) {
        out.forEach(result -> result.fill(value));
        gpu.synchronize();
    }

    /**
     * Counts what is wrong in all results, once all work has ended.
     *
     * @param check with parameters {@code in}, {@code out} and {@code wrong}, to which it adds
     * @param more sets its other parameters, and the grid if that shall not be what the array's words want
     */
    public long wrong(CudaFunction check, Consumer<KernelLaunch> more) {
        long count = 0;
        for (long one : each(check, more)) {
            count += one;
        }
        return count;
    }

    /** What a function adds to {@code wrong} for each set, once all work has ended. */
    public long[] each(CudaFunction function, Consumer<KernelLaunch> more) {
        gpu.synchronize();
        long[] all = new long[in.size()];
        try (Kernel kernel = gpu.load(function)) {
            for (int i = 0; i < all.length; i++) {
                wrong.upload(new long[1]);
                KernelLaunch launch = kernel.prepare().grid(blocks(Math.max(inBytes, outBytes))).set("in", in.get(i))
                        .set("out", out.get(i)).set("wrong", wrong);
                more.accept(launch);
                launch.start();
                gpu.synchronize();
                all[i] = wrong.download()[0];
            }
        }
        return all;
    }

    /** The first words of each result. @param count how many, at most what a result has */
    public int[][] heads(int count) {
        gpu.synchronize();
        int[][] all = new int[out.size()][];
        for (int i = 0; i < all.length; i++) {
            all[i] = out.get(i).slice(0, (long) count * Integer.BYTES).as(ArrayType.INTS).download();
        }
        return all;
    }

    @Override
    public void close() {
        in.forEach(Buffer::close);
        out.forEach(Buffer::close);
        wrong.close();
    }
}
