package dev.tilewright.bench.device;

import dev.tilewright.gpu.compile.CudaFunction;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Parameter;
import java.util.List;

/** Fills memory with each {@link Content}, on the device. */
public final class ContentKernels {
    static final int THREADS = 256;

    private static final String SOURCE = """
            __device__ unsigned mixed(unsigned long long i, unsigned long long seed) {
                unsigned long long x = (i + seed) * 0x9E3779B97F4A7C15ull;
                x = (x ^ (x >> 32)) * 0xD6E8FEB86659FD93ull;
                return (unsigned) (x >> 32);
            }

            __device__ unsigned words(unsigned x) {
                return x;
            }

            __device__ unsigned numbers(unsigned x) {
                return __float_as_uint((float) (x >> 8) * 0x1p-24f - 0.5f);
            }

            __device__ unsigned whole_numbers(unsigned x) {
                return __float_as_uint((float) (x % 17) - 8.0f);
            }

            __device__ unsigned half_of(float x) {
                return __float_as_uint(x) >> 16;
            }

            __device__ unsigned whole_halves(unsigned x) {
                return half_of((float) (x % 17) - 8.0f) | half_of((float) ((x >> 16) % 17) - 8.0f) << 16;
            }

            // Four bytes' sum: its mean is 510, its deviation 147.8.
            __device__ float normal(unsigned x) {
                return ((float) ((x & 255) + (x >> 8 & 255) + (x >> 16 & 255) + (x >> 24)) - 510.0f) / 147.8f;
            }

            __device__ unsigned halves(unsigned x) {
                unsigned other = (x ^ x >> 15) * 0x2C1B3C6Du;
                return half_of(normal(x)) | half_of(normal(other ^ other >> 12)) << 16;
            }

            extern "C" __global__ void fill_with_CONTENT(unsigned *out, unsigned long long count,
                    unsigned long long seed) {
                unsigned long long step = (unsigned long long) gridDim.x * blockDim.x;
                for (unsigned long long i = blockIdx.x * (unsigned long long) blockDim.x + threadIdx.x;
                        i < count; i += step) {
                    out[i] = CONTENT(mixed(i, seed));
                }
            }
            """;

    private ContentKernels() { }

    /** The function that fills {@code count} words from {@code out} on. */
    public static CudaFunction filling(Content content) {
        return CudaFunction.of("fill_with_" + content.function(), SOURCE.replace("CONTENT", content.function()),
                THREADS, List.of(new Parameter.Pointer("out", true), new Parameter.Int("count", IntType.S64),
                        new Parameter.Int("seed", IntType.S64)));
    }
}
