package dev.tilewright.gputest;

import dev.tilewright.Progress;
import dev.tilewright.bench.kernel.Bf16Product;
import dev.tilewright.bench.kernel.F32Product;
import dev.tilewright.gpu.ArrayKernel;
import dev.tilewright.gpu.Buffer;
import dev.tilewright.gpu.Event;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.Kernel;
import dev.tilewright.gpu.Stream;
import dev.tilewright.gpu.compile.KernelCompiler;
import dev.tilewright.gpu.compile.Nvrtc;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.TileKernel;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * The matrix products of the examples beside cuBLAS' in one run: turn by turn, so that both have the same clocks, by
 * the device's events. Before that each pair multiplies small whole numbers, whose sums are exact in any order, and
 * must give the same bytes; then random ones, of which it is said how far the results are apart. Exit code 1 where
 * bytes differ or a product is slower than its share.
 */
final class MatrixProductRace {
    private static final int ROUNDS = 15;
    private static final int[] SIZES = {8192, 4096};
    private static final int[] TILE_SIZES = {8192, 4096, 2048, 1024};
    private static final int LARGEST_SIZE = 8192;
    /** Launches one behind the other are timed together, about as long: the host is ahead of the device then. */
    private static final double TURN_MILLISECONDS = 15;

    private final Gpu gpu;
    private final Stream stream;
    private final CuBlas cuBlas;
    private boolean passed = true;

    private MatrixProductRace(Stream stream, CuBlas cuBlas) {
        this.gpu = stream.gpu();
        this.stream = stream;
        this.cuBlas = cuBlas;
    }

    public static void main(String[] arguments) {
        KernelCompiler compiler = KernelCompiler.cachingForUser(Nvrtc.find(Progress.NONE), System.err::println);
        try (Gpu gpu = Gpu.options().compiler(compiler).open(); Stream stream = gpu.stream();
                CuBlas cuBlas = CuBlas.open(stream)) {
            System.out.printf("%s, cuBLAS %d; medians of %d turns, least and most behind them%n", gpu.name(),
                    cuBlas.version(), ROUNDS);
            MatrixProductRace race = new MatrixProductRace(stream, cuBlas);
            for (int size : SIZES) {
                race.run("bf16", Bf16Product.program(), Bf16Product.launch(size, size, size,
                        gpu.info().multiprocessors()), CuBlas.Type.BF16, true, size, 0.75);
                race.run("f32", F32Product.program(), F32Product.launch(size, size, size), CuBlas.Type.F32, false, size,
                        0.6);
            }
            for (int size : TILE_SIZES) {
                for (boolean columns : new boolean[] {true, false}) {
                    race.run("bf16 tiles, B by " + (columns ? "columns" : "rows"), product(columns), columns, size,
                            0.75);
                }
            }
            System.exit(race.passed ? 0 : 1);
        }
    }

    /** C = A B of bf16, with sums in f32. @param columns whether B's columns follow each other, or its rows */
    private static TileKernel product(boolean columns) {
        return TileKernel.of("product", k -> {
            Dim m = k.dim("m");
            Dim n = k.dim("n");
            Dim depth = k.dim("k");
            Tensor a = k.in("a", ValueType.BF16, m, depth);
            Tensor b = columns ? k.in("b", ValueType.BF16, n, depth) : k.in("b", ValueType.BF16, depth, n);
            Tensor c = k.out("c", ValueType.BF16, m, n);
            k.forEachTile(c, 128, 256, at -> c.store(at, k.fold(k.zeros(ValueType.F32, 128, 256), k.steps(depth, 64),
                    (sum, i) -> sum.mma(a.tile(at.row(), i), columns ? b.tile(at.column(), i).transposed()
                            : b.tile(i, at.column()))).to(ValueType.BF16)));
        });
    }

    private void run(String name, TileKernel tiles, boolean columns, int size, double share) {
        try (ArrayKernel kernel = gpu.load(tiles)) {
            run(name, (a, b, c) -> kernel.launch().set("a", a, size, size).set("b", b, size, size)
                    .set("c", c, size, size).on(stream).prepare()::start, CuBlas.Type.BF16, columns, size, share);
        }
    }

    private void run(String name, TileProgram program, Launch launch, CuBlas.Type type, boolean columns, int size,
            double share) {
        try (Kernel kernel = gpu.load(program)) {
            run(name, (a, b, c) -> kernel.prepare().allowLargerTensors().fill(launch, a, b, c).on(stream)::start, type,
                    columns, size, share);
        }
    }

    /** Starts a product of two matrices into a third. */
    private interface Ours {
        Runnable of(Buffer<byte[]> a, Buffer<byte[]> b, Buffer<byte[]> c);
    }

    /** @param share of cuBLAS' speed that is asked for at the largest size */
    private void run(String name, Ours ours, CuBlas.Type type, boolean columns, int size, double share) {
        long bytes = (long) size * size * bytes(type);
        try (Buffer<byte[]> a = gpu.bytes(bytes); Buffer<byte[]> b = gpu.bytes(bytes);
                Buffer<byte[]> c = gpu.bytes((long) size * size * bytes(type));
                Buffer<byte[]> theirs = gpu.bytes((long) size * size * bytes(type))) {
            Runnable mine = ours.of(a, b, c);
            Runnable rival = () -> cuBlas.multiply(a, b, columns, theirs, type, type, size, size, size);
            for (boolean whole : new boolean[] {true, false}) {
                fill(a, type, size, whole, 1);
                fill(b, type, size, whole, 2);
                c.fill((byte) 0xEE);
                mine.run();
                rival.run();
                compare(name, c, theirs, type, size, whole);
            }
            int launches = Math.max(1, (int) (TURN_MILLISECONDS / time(rival, 1)));
            List<Double> times = new ArrayList<>();
            List<Double> others = new ArrayList<>();
            for (int round = 0; round < ROUNDS; round++) {
                times.add(time(mine, launches));
                others.add(time(rival, launches));
            }
            double ratio = report(name, size, times, others);
            if (size == LARGEST_SIZE && ratio < share) {
                System.out.printf("  %s: less than %.2f of cuBLAS%n", name, share);
                passed = false;
            }
        }
    }

    private double time(Runnable launch, int launches) {
        try (Event begin = gpu.timedEvent(); Event end = gpu.timedEvent()) {
            stream.record(begin);
            for (int i = 0; i < launches; i++) {
                launch.run();
            }
            stream.record(end);
            end.synchronize();
            return end.millisecondsSince(begin) / launches;
        }
    }

    private static double report(String name, int size, List<Double> ours, List<Double> others) {
        ours.sort(null);
        others.sort(null);
        double flop = 2.0 * size * size * size;
        double mine = ours.get(ROUNDS / 2);
        double rival = others.get(ROUNDS / 2);
        System.out.printf(Locale.ROOT, "  %-4s %d^3: ours %.3f ms (%.3f to %.3f), %.1f TFLOP/s; cuBLAS %.3f ms (%.3f "
                + "to %.3f), "
                + "%.1f TFLOP/s; %.3f of cuBLAS%n", name, size, mine, ours.getFirst(), ours.getLast(),
                flop / mine / 1e9, rival, others.getFirst(), others.getLast(), flop / rival / 1e9, rival / mine);
        return rival / mine;
    }

    private static int bytes(CuBlas.Type type) {
        return type == CuBlas.Type.F32 ? 4 : 2;
    }

    /** Whole numbers from -8 to 8, or normally distributed ones. */
    private void fill(Buffer<byte[]> buffer, CuBlas.Type type, int size, boolean whole, long seed) {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment host = arena.allocate(buffer.bytes(), 64);
            IntStream.range(0, size).parallel().forEach(row -> {
                SplittableRandom random = new SplittableRandom(seed << 32 | row);
                for (long i = (long) row * size; i < (row + 1L) * size; i++) {
                    float value = whole ? random.nextInt(17) - 8 : (float) random.nextGaussian();
                    if (type == CuBlas.Type.F32) {
                        host.setAtIndex(ValueLayout.JAVA_FLOAT, i, value);
                    } else {
                        host.setAtIndex(ValueLayout.JAVA_SHORT, i, (short) (Float.floatToRawIntBits(value) >>> 16));
                    }
                }
            });
            buffer.upload(host);
        }
    }

    private void compare(String name, Buffer<byte[]> ours, Buffer<byte[]> others, CuBlas.Type type, int size,
            boolean whole) {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment x = arena.allocate(ours.bytes(), 64);
            MemorySegment y = arena.allocate(others.bytes(), 64);
            ours.download(x);
            others.download(y);
            double[][] rows = IntStream.range(0, size).parallel().mapToObj(row -> row(x, y, type, row, size))
                    .toArray(double[][]::new);
            double differ = Arrays.stream(rows).mapToDouble(r -> r[0]).sum();
            double worst = Arrays.stream(rows).mapToDouble(r -> r[1]).max().orElse(0);
            double rms = Math.sqrt(Arrays.stream(rows).mapToDouble(r -> r[2]).sum() / ((double) size * size));
            System.out.printf(Locale.ROOT, "  %-4s %d^3, %s: %.0f of %d elements differ from cuBLAS', by %.3g at most; "
                    + "their root mean "
                    + "square is %.3g%n", name, size, whole ? "whole numbers" : "normal numbers", differ,
                    (long) size * size, worst, rms);
            // A sum of thousands of rounded terms, taken in two orders; of bf16 results one unit in the last place.
            double allowed = whole ? 0 : rms * (type == CuBlas.Type.F32 ? 1e-4 : 0.04);
            if (!(worst <= allowed)) {
                System.out.println("  " + name + ": WRONG");
                passed = false;
            }
        }
    }

    /** How many elements of a row differ, by how much at most, and the sum of cuBLAS' squares. */
    private static double[] row(MemorySegment x, MemorySegment y, CuBlas.Type type, int row, int size) {
        double[] sums = new double[3];
        for (long i = (long) row * size; i < (row + 1L) * size; i++) {
            float mine = element(x, type, i);
            float other = element(y, type, i);
            if (Float.floatToRawIntBits(mine) != Float.floatToRawIntBits(other)) {
                sums[0]++;
                double apart = Math.abs((double) mine - other);
                sums[1] = apart <= sums[1] ? sums[1] : apart;
            }
            sums[2] += (double) other * other;
        }
        return sums;
    }

    private static float element(MemorySegment buffer, CuBlas.Type type, long i) {
        return type == CuBlas.Type.F32 ? buffer.getAtIndex(ValueLayout.JAVA_FLOAT, i)
                : Float.intBitsToFloat(buffer.getAtIndex(ValueLayout.JAVA_SHORT, i) << 16);
    }
}
