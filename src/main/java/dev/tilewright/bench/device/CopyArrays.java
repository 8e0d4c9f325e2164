package dev.tilewright.bench.device;

import dev.tilewright.BadRequestException;
import dev.tilewright.gpu.Buffer;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.compile.CudaFunction;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Parameter;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * Arrays to copy from and to on a GPU, enough of each that a copy finds next to nothing in the L2. Random words,
 * written and compared on the device.
 */
public final class CopyArrays implements AutoCloseable {
    private static final byte STALE = (byte) 0xCD;
    /** Counts words of a result that are not those of what it has to be. */
    public static final CudaFunction DIFFERING = CudaFunction.of("count_differing", """
            extern "C" __global__ void count_differing(const unsigned *in, const unsigned *out,
                    unsigned long long *wrong, unsigned long long count) {
                unsigned long long step = (unsigned long long) gridDim.x * blockDim.x;
                unsigned long long mine = 0;
                for (unsigned long long i = blockIdx.x * (unsigned long long) blockDim.x + threadIdx.x;
                        i < count; i += step) {
                    mine += out[i] != in[i];
                }
                if (mine != 0) {
                    atomicAdd(wrong, mine);
                }
            }
            """, ContentKernels.THREADS, List.of(new Parameter.Pointer("in", false),
            new Parameter.Pointer("out", false), new Parameter.Pointer("wrong", true),
            new Parameter.Int("count", IntType.S64)));

    private final Gpu gpu;
    private final long bytes;
    private final WorkArrays arrays;
    /** What results have to be, where that is not what the sources are. */
    private final List<Buffer<byte[]>> expected = new ArrayList<>();

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
        this.arrays = new WorkArrays(gpu, bytes, bytes, Content.WORDS, seed);
    }

    /** Bytes of each. */
    public long bytes() {
        return bytes;
    }

    /** How many pairs there are to rotate through. */
    public int pairs() {
        return arrays.sets();
    }

    /** What is copied. @param place any number from 0, counted round */
    public Buffer<byte[]> source(int place) {
        return arrays.in(place);
    }

    /** Where to. */
    public Buffer<byte[]> result(int place) {
        return arrays.out(place);
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
            source(pair).slice(from, to - from).copyTo(result(pair).slice(from, to - from));
        }
    }

    /** Writes something else over all results. */
    public void spoil() {
        arrays.spoil(STALE);
    }

    /** Takes what all results are now, once all work has ended, as what they have to be from now on. */
    public void expectResults() {
        gpu.synchronize();
        for (int i = 0; i < pairs(); i++) {
            Buffer<byte[]> kept = gpu.bytes(bytes);
            expected.add(kept);
            kept.copyFrom(result(i));
        }
        gpu.synchronize();
    }

    /**
     * How many 32-bit words of all results are not what they have to be, once all work has ended: the sources' words.
     */
    public long differing() {
        long words = bytes / Integer.BYTES;
        Iterator<Buffer<byte[]>> kept = expected.iterator();
        return arrays.wrong(DIFFERING, check -> {
            check.set("count", words);
            if (kept.hasNext()) {
                check.set("in", kept.next());
            }
        });
    }

    @Override
    public void close() {
        arrays.close();
        expected.forEach(Buffer::close);
    }
}
