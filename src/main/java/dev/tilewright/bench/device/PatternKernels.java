package dev.tilewright.bench.device;

import dev.tilewright.gpu.CudaFunction;
import dev.tilewright.program.IntType;
import dev.tilewright.program.Parameter;
import java.util.List;

/** Fills memory with words that look random and tells how many words of two places differ, both on the device. */
final class PatternKernels {
    static final int THREADS = 256;

    static final CudaFunction FILL = CudaFunction.of("fill_words", """
            extern "C" __global__ void fill_words(unsigned *words, unsigned long long count, unsigned long long seed) {
                unsigned long long step = (unsigned long long) gridDim.x * blockDim.x;
                for (unsigned long long i = (unsigned long long) blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
                    unsigned long long x = (i + seed) * 0x9E3779B97F4A7C15ull;
                    x = (x ^ (x >> 32)) * 0xD6E8FEB86659FD93ull;
                    words[i] = (unsigned) (x >> 32);
                }
            }
            """, THREADS, List.of(new Parameter.Pointer("words", true), new Parameter.Int("count", IntType.S64),
            new Parameter.Int("seed", IntType.S64)));

    static final CudaFunction DIFFERING = CudaFunction.of("count_differing", """
            extern "C" __global__ void count_differing(const unsigned *a, const unsigned *b, unsigned long long count,
                    unsigned long long *differing) {
                unsigned long long step = (unsigned long long) gridDim.x * blockDim.x;
                unsigned long long mine = 0;
                for (unsigned long long i = (unsigned long long) blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
                    mine += a[i] != b[i];
                }
                if (mine != 0) {
                    atomicAdd(differing, mine);
                }
            }
            """, THREADS, List.of(new Parameter.Pointer("a", false), new Parameter.Pointer("b", false),
            new Parameter.Int("count", IntType.S64), new Parameter.Pointer("differing", true)));

    private PatternKernels() { }
}
