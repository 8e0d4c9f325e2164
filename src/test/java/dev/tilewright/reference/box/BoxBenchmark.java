package dev.tilewright.reference.box;

import dev.tilewright.layout.Swizzle;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.tensormap.Im2colTensorMap;
import dev.tilewright.tensormap.Interleave;
import dev.tilewright.tensormap.L2Promotion;
import dev.tilewright.tensormap.OobFill;
import dev.tilewright.tensormap.TiledTensorMap;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The box engine on one thread, beside {@link MemorySegment#copy} of the same bytes: 1 GiB of tensor taken box by box
 * into shared memory, and carried back to another 1 GiB where it says round trip. An operation is a byte, so that
 * operations per nanosecond are GB/s, each byte counted once; what {@link #segmentCopy} gives is what the others are
 * held against.
 *
 * <p>The tensor is a float32 matrix of 16,384 x 16,384; boxes have 64 rows of 64 elements, 32 where they are narrow and
 * 256 where they are wide; under swizzle 128B, whose rows cannot be longer, 32. Im2col loads take 64 pixels of 64
 * float16 channels from images of 56 x 56 with a border of one pixel, at the first tap of a 3 x 3 filter, so that some
 * pixels are filled.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 2, time = 3)
@Measurement(iterations = 5, time = 3)
@Fork(value = 1, jvmArgsAppend = {"-Xms256m", "-Xmx256m"})
@OperationsPerInvocation(BoxBenchmark.BYTES)
public class BoxBenchmark {
    static final int BYTES = 1 << 30;
    private static final int SIDE = 16384;
    private static final int TILE = 64;
    private static final int IMAGE = 56;
    private static final int PIXELS = 64;
    private static final int CHANNELS = 64;
    private static final int IMAGES = BYTES / (IMAGE * IMAGE * CHANNELS * 2);

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment tensor = arena.allocate(BYTES, 4096);
    private final MemorySegment result = arena.allocate(BYTES, 4096);
    private final byte[] shared = new byte[64 << 10];
    private final int[] at = new int[2];
    private final int[] pixel = new int[4];
    private final int[] tap = new int[2];
    private final TensorBox plain = matrix(TensorDataType.FLOAT32, TILE, Swizzle.NONE);
    private final TensorBox narrow = matrix(TensorDataType.FLOAT32, 32, Swizzle.NONE);
    private final TensorBox wide = matrix(TensorDataType.FLOAT32, 256, Swizzle.NONE);
    private final TensorBox swizzled = matrix(TensorDataType.FLOAT32, 32, Swizzle.B128);
    private final TensorBox rounded = matrix(TensorDataType.TFLOAT32, 32, Swizzle.B128);
    private final TensorBox image = image(Swizzle.NONE);
    private final TensorBox swizzledImage = image(Swizzle.B128);

    private static TensorBox matrix(TensorDataType type, int width, Swizzle swizzle) {
        return TensorBox.tile(TiledTensorMap.denseInnermostFirst(type, List.of((long) SIDE, (long) SIDE),
                List.of(width, TILE), swizzle));
    }

    private static TensorBox image(Swizzle swizzle) {
        long row = IMAGE * CHANNELS * 2;
        return TensorBox.im2col(new Im2colTensorMap(TensorDataType.FLOAT16,
                List.of((long) CHANNELS, (long) IMAGE, (long) IMAGE, (long) IMAGES),
                List.of(CHANNELS * 2L, row, row * IMAGE), List.of(-1, -1), List.of(-1, -1), CHANNELS, PIXELS,
                List.of(1, 1, 1, 1), Interleave.NONE, swizzle, L2Promotion.NONE, OobFill.ZERO));
    }

    @Setup
    public void fill() {
        SplittableRandom random = new SplittableRandom(1);
        for (long i = 0; i < BYTES; i += Long.BYTES) {
            tensor.set(ValueLayout.JAVA_LONG, i, random.nextLong());
        }
        result.fill((byte) 1);
    }

    @TearDown
    public void free() {
        arena.close();
    }

    /** The yardstick: one call, segment to segment. */
    @Benchmark
    public void segmentCopy() {
        MemorySegment.copy(tensor, 0, result, 0, BYTES);
    }

    /** A loop by hand over the rows of the same tiles, into the same array. */
    @Benchmark
    public void rowCopies() {
        int row = TILE * 4;
        for (int y = 0; y < SIDE; y += TILE) {
            for (int x = 0; x < SIDE; x += TILE) {
                for (int r = 0; r < TILE; r++) {
                    MemorySegment.copy(tensor, ValueLayout.JAVA_BYTE, ((long) (y + r) * SIDE + x) * 4, shared, r * row,
                            row);
                }
            }
        }
    }

    @Benchmark
    public void load() {
        boxes(plain, TILE, false);
    }

    @Benchmark
    public void loadNarrow() {
        boxes(narrow, 32, false);
    }

    @Benchmark
    public void loadWide() {
        boxes(wide, 256, false);
    }

    @Benchmark
    public void loadSwizzled() {
        boxes(swizzled, 32, false);
    }

    @Benchmark
    public void loadSwizzledTf32() {
        boxes(rounded, 32, false);
    }

    @Benchmark
    public void roundTrip() {
        boxes(plain, TILE, true);
    }

    @Benchmark
    public void roundTripSwizzled() {
        boxes(swizzled, 32, true);
    }

    @Benchmark
    public void loadIm2col() {
        pixels(image);
    }

    @Benchmark
    public void loadIm2colSwizzled() {
        pixels(swizzledImage);
    }

    private void boxes(TensorBox box, int width, boolean store) {
        for (int y = 0; y < SIDE; y += TILE) {
            for (int x = 0; x < SIDE; x += width) {
                at[0] = x;
                at[1] = y;
                box.load(tensor, at, shared, 0);
                if (store) {
                    box.store(result, at, shared, 0);
                }
            }
        }
    }

    private void pixels(TensorBox box) {
        int loads = BYTES / (PIXELS * CHANNELS * 2);
        for (int i = 0; i < loads; i++) {
            int first = i * PIXELS;
            pixel[1] = first % IMAGE - 1;
            pixel[2] = first / IMAGE % IMAGE - 1;
            pixel[3] = first / IMAGE / IMAGE;
            box.load(tensor, pixel, tap, shared, 0);
        }
    }
}
