package dev.tilewright.bench.device;

import dev.tilewright.gpu.compile.CudaFunction;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Parameter;
import java.util.ArrayList;
import java.util.List;

/**
 * Functions in CUDA C++ that count wrong elements of a kernel's output. Each computes an element directly from the
 * input and shares nothing with the kernels. Parameters: {@code in}, {@code out}, {@code wrong}, then the named ones.
 */
public final class Checks {
    private static final int THREADS = 256;

    private static final String FRAME = """
            extern "C" __global__ void NAME(const unsigned *in, const unsigned *out, unsigned long long \
            *wrongPARAMETERS) {
                unsigned long long step = (unsigned long long) gridDim.x * blockDim.x;
                unsigned long long mine = 0;
                for (unsigned long long i = blockIdx.x * (unsigned long long) blockDim.x + threadIdx.x;
                        i < count; i += step) {
                    CODE
                }
                if (mine != 0) {
                    atomicAdd(wrong, mine);
                }
            }
            """;

    /** {@code out} is the transpose of {@code in}, {@code rows} x {@code columns} words. */
    public static final CudaFunction TRANSPOSED = words("check_transposed",
            "mine += out[i] != in[i % rows * columns + i / rows];", "rows", "columns");

    /** {@code out} is {@code copies} times the {@code words} words of {@code in}, one behind the other. */
    public static final CudaFunction REPEATED = words("check_repeated", "mine += out[i] != in[i % words];", "words");

    /** {@code out} is {@code in} added to words that all were {@code before}. */
    public static final CudaFunction ADDED = words("check_added", "mine += out[i] != in[i] + (unsigned) before;",
            "before");

    private static final String[] BOX = {"first", "e0", "e1", "e2", "e3", "e4", "s1", "s2", "s3", "s4"};

    /**
     * {@code out}, dense with extents {@code e0} (innermost) to {@code e4}, is the box of the tensor {@code in} that
     * begins at word {@code first}. The tensor's strides are {@code s1} to {@code s4} words; of a dimension that it
     * does not have the extent is 1 and the stride all its words.
     */
    public static final CudaFunction BOXED = words("check_boxed", """
            unsigned long long n = i;
                    unsigned long long at = first + n % e0;
                    n /= e0;
                    at += n % e1 * s1;
                    n /= e1;
                    at += n % e2 * s2;
                    n /= e2;
                    at += n % e3 * s3;
                    n /= e3;
                    at += n % e4 * s4;
                    mine += out[i] != in[at];""", BOX);

    /** Checks that the box of {@code out} is the dense {@code in}, and all words around it are {@code before}. */
    public static final CudaFunction UNBOXED = words("check_unboxed", """
            unsigned long long d4 = i / s4 - first / s4;
                    unsigned long long d3 = i % s4 / s3 - first % s4 / s3;
                    unsigned long long d2 = i % s4 % s3 / s2 - first % s4 % s3 / s2;
                    unsigned long long d1 = i % s4 % s3 % s2 / s1 - first % s4 % s3 % s2 / s1;
                    unsigned long long d0 = i % s4 % s3 % s2 % s1 - first % s4 % s3 % s2 % s1;
                    bool inside = d0 < e0 && d1 < e1 && d2 < e2 && d3 < e3 && d4 < e4;
                    mine += out[i] != (inside ? in[d0 + e0 * (d1 + e1 * (d2 + e2 * (d3 + e3 * d4)))] \
            : (unsigned) before);""",
            "first", "e0", "e1", "e2", "e3", "e4", "s1", "s2", "s3", "s4", "before");

    /** Each word is the sum, modulo 2^32, of the four beside, above and below it, zeros outside the matrix. */
    public static final CudaFunction NEIGHBOURS = words("check_neighbours", """
            unsigned long long row = i / columns;
                    unsigned long long column = i % columns;
                    unsigned sum = (row > 0 ? in[i - columns] : 0) + (row + 1 < rows ? in[i + columns] : 0)
                            + (column > 0 ? in[i - 1] : 0) + (column + 1 < columns ? in[i + 1] : 0);
                    mine += out[i] != sum;""", "rows", "columns");

    /** Each f32 is that of {@code in} times the f32 of which {@code factor} has the bits, rounded once. */
    public static final CudaFunction SCALED = words("check_scaled",
            "mine += out[i] != __float_as_uint(__fmul_rn(__uint_as_float(in[i]), __uint_as_float((unsigned) factor)));",
            "factor");

    /** Each f32 is that of {@code in} plus the f32 of which {@code summand} has the bits, rounded once. */
    public static final CudaFunction SHIFTED = words("check_shifted",
            "mine += out[i] != __float_as_uint(__fadd_rn(__uint_as_float(in[i]), __uint_as_float((unsigned) "
            + "summand)));", "summand");

    /** Each word is {@code turns} times the sum of a row of 32 words: row {@code i} modulo 32. */
    public static final CudaFunction ROW_SUMS = words("check_row_sums", """
            unsigned sum = 0;
                    for (int k = 0; k < 32; k++) {
                        sum += in[i % 32 * 32 + k];
                    }
                    mine += out[i] != sum * (unsigned) turns;""", "turns");

    /** Not a check: adds the words of {@code in} up, to 64 bits. */
    public static final CudaFunction WORD_TOTAL = words("total_of_words", "mine += in[i];");

    /** Not a check: adds the f32 whole numbers of {@code in} up. */
    public static final CudaFunction WHOLE_TOTAL = words("total_of_whole_numbers",
            "mine += (unsigned long long) (long long) __uint_as_float(in[i]);");

    /**
     * Rows of {@code columns} f32: the softmax of each, to a relative 2^-18, computed in double precision; count: rows.
     */
    public static final CudaFunction SOFTMAX = words("check_softmax", """
            const unsigned *row = in + i * columns;
                    double most = -1e300;
                    for (unsigned long long k = 0; k < columns; k++) {
                        most = fmax(most, (double) __uint_as_float(row[k]));
                    }
                    double sum = 0;
                    for (unsigned long long k = 0; k < columns; k++) {
                        sum += exp((double) __uint_as_float(row[k]) - most);
                    }
                    for (unsigned long long k = 0; k < columns; k++) {
                        double want = exp((double) __uint_as_float(row[k]) - most) / sum;
                        mine += !(fabs(__uint_as_float(out[i * columns + k]) - want) <= want * 0x1p-18);
                    }""", "columns");

    /** Each f32 is x / (1 + e^-x) of that of {@code in}, to a relative 2^-20, computed in double precision. */
    public static final CudaFunction SILU = words("check_silu", """
            double x = __uint_as_float(in[i]);
                    double want = x / (1 + exp(-x));
                    mine += !(fabs(__uint_as_float(out[i]) - want) <= fabs(want) * 0x1p-20);""");

    /**
     * C = A B of f32 numbers, all row by row, exact where {@code exact} is not 0: {@code in} is A, m x k, and then B, k
     * x n. Else as near as sums in another order are.
     */
    public static final CudaFunction F32_PRODUCT = product("check_f32_product", "__uint_as_float(in[row * k + x])",
            "__uint_as_float(in[m * k + x * n + column])", "__uint_as_float(out[row * n + column])", "sum", "0x1p-22f");

    /** C = A B of bf16 numbers, two in a word, where B's columns lie in memory as rows; {@code out} is of bf16 too. */
    public static final CudaFunction BF16_PRODUCT = product("check_bf16_product", "half_of(in, row * k + x)",
            "half_of(in, m * k + column * k + x)", "half_of(out, row * n + column)", "rounded(sum)", "0x1p-8f");

    private Checks() { }

    /** What is added up to {@code wrong} is the exclusive or of all words of {@code in}. */
    public static final CudaFunction WORDS_XORED = xored("xor_of_words", "mine ^= in[i];");

    /** What is added up to {@code wrong} is the exclusive or of all words of {@code out}. */
    public static final CudaFunction RESULTS_XORED = xored("xor_of_results", "mine ^= out[i];");

    /** Tiles of 32 x 32 elements of C, one for a thread; blocks go on from tile to tile. */
    private static CudaFunction product(String name, String a, String b, String c, String rounded, String tolerance) {
        String source = """
                __device__ float half_of(const unsigned *words, unsigned long long i) {
                    unsigned word = words[i / 2];
                    return __uint_as_float(i % 2 == 0 ? word << 16 : word & 0xFFFF0000u);
                }

                // To bf16, to nearest even.
                __device__ float rounded(float x) {
                    unsigned bits = __float_as_uint(x);
                    return __uint_as_float((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000u);
                }

                extern "C" __global__ void NAME(const unsigned *in, const unsigned *out, unsigned long long *wrong,
                        unsigned long long m, unsigned long long n, unsigned long long k, unsigned long long exact) {
                    __shared__ float left[32][33];
                    __shared__ float right[32][33];
                    unsigned long long across = (n + 31) / 32;
                    for (unsigned long long tile = blockIdx.x; tile < across * ((m + 31) / 32); tile += gridDim.x) {
                        int tx = threadIdx.x % 32;
                        int ty = threadIdx.x / 32;
                        float sum = 0;
                        float most = 0;
                        for (unsigned long long at = 0; at < k; at += 32) {
                            {
                                unsigned long long row = tile / across * 32 + ty;
                                unsigned long long x = at + tx;
                                left[ty][tx] = row < m && x < k ? A : 0;
                            }
                            {
                                unsigned long long column = tile % across * 32 + BY_ROWS;
                                unsigned long long x = at + BY_K;
                                right[BY_K][BY_ROWS] = column < n && x < k ? B : 0;
                            }
                            __syncthreads();
                            for (int x = 0; x < 32; x++) {
                                sum = fmaf(left[ty][x], right[x][tx], sum);
                                most += fabsf(left[ty][x] * right[x][tx]);
                            }
                            __syncthreads();
                        }
                        unsigned long long row = tile / across * 32 + ty;
                        unsigned long long column = tile % across * 32 + tx;
                        if (row < m && column < n) {
                            float is = C;
                            bool right_one = exact ? is == ROUNDED : fabsf(is - sum) <= fabsf(sum) * TOLERANCE + most \
                * 0x1p-16f;
                            if (!right_one) {
                                atomicAdd(wrong, 1ull);
                            }
                        }
                    }
                }
                """;
        boolean columns = b.startsWith("half_of");
        return CudaFunction.of(name, source.replace("NAME", name).replace("BY_ROWS", columns ? "ty" : "tx")
                .replace("BY_K", columns ? "tx" : "ty").replace("? A :", "? " + a + " :")
                .replace("? B :", "? " + b + " :")
                .replace("is = C;", "is = " + c + ";").replace("ROUNDED", rounded).replace("TOLERANCE", tolerance),
                1024, List.of(new Parameter.Pointer("in", false), new Parameter.Pointer("out", false),
                        new Parameter.Pointer("wrong", true), new Parameter.Int("m", IntType.S64),
                        new Parameter.Int("n", IntType.S64), new Parameter.Int("k", IntType.S64),
                        new Parameter.Int("exact", IntType.S64)));
    }

    private static CudaFunction xored(String name, String code) {
        return framed(FRAME.replace("atomicAdd", "atomicXor"), name, code);
    }

    private static CudaFunction words(String name, String code, String... more) {
        return framed(FRAME, name, code, more);
    }

    private static CudaFunction framed(String frame, String name, String code, String... more) {
        List<Parameter> parameters = new ArrayList<>(List.of(new Parameter.Pointer("in", false),
                new Parameter.Pointer("out", false), new Parameter.Pointer("wrong", true),
                new Parameter.Int("count", IntType.S64)));
        StringBuilder text = new StringBuilder(", unsigned long long count");
        for (String one : more) {
            parameters.add(new Parameter.Int(one, IntType.S64));
            text.append(", unsigned long long ").append(one);
        }
        return CudaFunction.of(name, frame.replace("NAME", name)
                .replace("PARAMETERS", text).replace("CODE", code), THREADS, parameters);
    }
}
