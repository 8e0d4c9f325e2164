package dev.tilewright.gputest;

import dev.tilewright.Progress;
import dev.tilewright.bench.rival.CuBlasLt;
import dev.tilewright.gpu.ArrayKernel;
import dev.tilewright.gpu.Buffer;
import dev.tilewright.gpu.Event;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.Stream;
import dev.tilewright.gpu.compile.KernelCompiler;
import dev.tilewright.gpu.compile.Nvrtc;
import dev.tilewright.program.value.ValueMath;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.TileKernel;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Matrix products beside cuBLAS' in one run: turn by turn, so that both have the same clocks, by the device's events,
 * cuBLAS by the fastest of the algorithms that it names. Before that each pair multiplies small whole numbers, whose
 * sums are exact in any order, and must give the same bytes; then random ones, of which it is said how far the results
 * are apart. Exit code 1 where bytes differ or a product is slower than its share. Arguments are the names of products
 * to take, or how they begin; without any all are taken.
 */
final class MatrixProductRace {
    private static final int ROUNDS = 15;
    private static final int[] SIZES = {8192, 4096};
    private static final int[] TILE_SIZES = {8192, 4096, 2048, 1024};
    private static final int LARGEST_SIZE = 8192;
    /** Launches one behind the other are timed together, about as long: the host is ahead of the device then. */
    private static final double TURN_MILLISECONDS = 15;
    /** Different numbers in a matrix: a power of two. */
    private static final int NUMBERS = 1 << 16;

    private final Gpu gpu;
    private final Stream stream;
    private final CuBlasLt cuBlas;
    private final List<String> names;
    private boolean passed = true;

    private MatrixProductRace(Stream stream, CuBlasLt cuBlas, List<String> names) {
        this.gpu = stream.gpu();
        this.stream = stream;
        this.cuBlas = cuBlas;
        this.names = names;
    }

    public static void main(String[] arguments) {
        KernelCompiler compiler = KernelCompiler.cachingForUser(Nvrtc.find(Progress.NONE), System.err::println);
        try (Gpu gpu = Gpu.options().compiler(compiler).open(); Stream stream = gpu.stream();
                CuBlasLt cuBlas = CuBlasLt.open(stream)) {
            System.out.printf("%s, cuBLASLt %d; medians of %d turns, least and most behind them%n", gpu.name(),
                    cuBlas.version(), ROUNDS);
            MatrixProductRace race = new MatrixProductRace(stream, cuBlas, List.of(arguments));
            for (int size : TILE_SIZES) {
                for (boolean columns : new boolean[] {true, false}) {
                    race.tiles(CuBlasLt.Kind.BF16, columns, size, 0.75);
                }
            }
            for (CuBlasLt.Kind kind : List.of(CuBlasLt.Kind.F16, CuBlasLt.Kind.TF32, CuBlasLt.Kind.E4M3,
                    CuBlasLt.Kind.I8)) {
                race.tiles(kind, true, LARGEST_SIZE, 0.75);
            }
            for (int size : SIZES) {
                race.tiles(CuBlasLt.Kind.F32, false, size, 0.75);
                race.tiles(CuBlasLt.Kind.F64, false, size, 0.75);
            }
            System.exit(race.passed ? 0 : 1);
        }
    }

    /** C = A B. @param columns whether B's columns follow each other, or its rows */
    private static TileKernel product(CuBlasLt.Kind kind, boolean columns) {
        ValueType factor = kind == CuBlasLt.Kind.TF32 ? ValueType.TF32 : kind.in();
        ValueType sums = kind.out() == ValueType.I32 || kind.out() == ValueType.F64 ? kind.out() : ValueType.F32;
        int step = 128 / kind.in().bytes();
        int wide = kind == CuBlasLt.Kind.F64 ? 128 : 256;
        return TileKernel.of("product", k -> {
            Dim m = k.dim("m");
            Dim n = k.dim("n");
            Dim depth = k.dim("k");
            Tensor a = k.in("a", kind.in(), m, depth);
            Tensor b = columns ? k.in("b", kind.in(), n, depth) : k.in("b", kind.in(), depth, n);
            Tensor c = k.out("c", kind.out(), m, n);
            k.forEachTile(c, 128, wide, at -> c.store(at, k.fold(k.zeros(sums, 128, wide), k.steps(depth, step),
                    (sum, i) -> sum.mma(a.tile(at.row(), i).to(factor), (columns
                            ? b.tile(at.column(), i).transposed() : b.tile(i, at.column())).to(factor)))
                    .to(kind.out())));
        });
    }

    private void tiles(CuBlasLt.Kind kind, boolean columns, int size, double share) {
        String name = kind.name().toLowerCase(Locale.ROOT) + " tiles, B by " + (columns ? "columns" : "rows");
        try (ArrayKernel kernel = gpu.load(product(kind, columns))) {
            run(name, (a, b, c) -> kernel.launch().set("a", a, size, size).set("b", b, size, size)
                    .set("c", c, size, size).on(stream).prepare()::start, kind, columns, size, share);
        }
    }

    /** Starts a product of two matrices into a third. */
    private interface Ours {
        Runnable of(Buffer<byte[]> a, Buffer<byte[]> b, Buffer<byte[]> c);
    }

    /** @param share of cuBLAS' speed that is asked for at the largest size */
    private void run(String name, Ours ours, CuBlasLt.Kind kind, boolean columns, int size, double share) {
        if (!names.isEmpty() && names.stream().noneMatch((name + " " + size)::startsWith)) {
            return;
        }
        long elements = (long) size * size;
        try (Buffer<byte[]> a = gpu.bytes(elements * kind.in().bytes());
                Buffer<byte[]> b = gpu.bytes(elements * kind.in().bytes());
                Buffer<byte[]> c = gpu.bytes(elements * kind.out().bytes());
                Buffer<byte[]> theirs = gpu.bytes(elements * kind.out().bytes())) {
            Runnable mine = ours.of(a, b, c);
            List<Runnable> algorithms = cuBlas.products(kind, a, b, columns, theirs, size, size, size);
            for (boolean whole : new boolean[] {true, false}) {
                fill(a, kind, size, whole, 1);
                fill(b, kind, size, whole, 2);
                c.fill((byte) 0xEE);
                mine.run();
                algorithms.getFirst().run();
                compare(name, c, theirs, kind, size, whole);
            }
            Runnable rival = fastest(algorithms);
            int launches = launches(rival);
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

    private int launches(Runnable product) {
        return Math.max(1, (int) (TURN_MILLISECONDS / time(product, 1)));
    }

    /** The fastest of several turns. */
    private Runnable fastest(List<Runnable> products) {
        int launches = launches(products.getFirst());
        double[] times = new double[products.size()];
        Arrays.fill(times, Double.MAX_VALUE);
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < times.length; i++) {
                times[i] = Math.min(times[i], time(products.get(i), launches));
            }
        }
        int best = IntStream.range(0, times.length).boxed().min(Comparator.comparing(i -> times[i])).orElseThrow();
        System.out.printf(Locale.ROOT, "  cuBLAS names %d algorithms, number %d is the fastest: %.3f of its first's "
                + "time%n", times.length, best + 1, times[best] / times[0]);
        return products.get(best);
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

    /** Whole numbers, or normally distributed ones. */
    private void fill(Buffer<byte[]> buffer, CuBlasLt.Kind kind, int size, boolean whole, long seed) {
        SplittableRandom numbers = new SplittableRandom(seed);
        // The sums of 8-bit floats keep fewer bits; of 8-bit integers most of a normal distribution is within theirs.
        int most = kind == CuBlasLt.Kind.E4M3 ? 2 : 8;
        long[] words = new long[NUMBERS];
        for (int i = 0; i < NUMBERS; i++) {
            words[i] = ValueMath.constant(kind.in(), whole ? numbers.nextInt(2 * most + 1) - most
                    : kind.in().isInteger() ? Math.clamp(Math.round(32 * numbers.nextGaussian()), -128, 127)
                    : numbers.nextGaussian());
        }
        try (Arena arena = Arena.ofShared()) {
            MemorySegment host = arena.allocate(buffer.bytes(), 64);
            IntStream.range(0, size).parallel().forEach(row -> {
                SplittableRandom random = new SplittableRandom(seed << 32 | row);
                for (long i = (long) row * size; i < (row + 1L) * size; i++) {
                    long word = words[random.nextInt() & NUMBERS - 1];
                    switch (kind.in().bytes()) {
                        case 1 -> host.set(ValueLayout.JAVA_BYTE, i, (byte) word);
                        case 2 -> host.setAtIndex(ValueLayout.JAVA_SHORT, i, (short) word);
                        case 4 -> host.setAtIndex(ValueLayout.JAVA_INT, i, (int) word);
                        default -> host.setAtIndex(ValueLayout.JAVA_LONG, i, word);
                    }
                }
            });
            buffer.upload(host);
        }
    }

    private void compare(String name, Buffer<byte[]> ours, Buffer<byte[]> others, CuBlasLt.Kind kind, int size,
            boolean whole) {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment x = arena.allocate(ours.bytes(), 64);
            MemorySegment y = arena.allocate(others.bytes(), 64);
            ours.download(x);
            others.download(y);
            double[][] rows = IntStream.range(0, size).parallel().mapToObj(row -> row(x, y, kind.out(), row, size))
                    .toArray(double[][]::new);
            double differ = Arrays.stream(rows).mapToDouble(r -> r[0]).sum();
            double worst = Arrays.stream(rows).mapToDouble(r -> r[1]).max().orElse(0);
            double rms = Math.sqrt(Arrays.stream(rows).mapToDouble(r -> r[2]).sum() / ((double) size * size));
            System.out.printf(Locale.ROOT, "  %-4s %d^3, %s: %.0f of %d elements differ from cuBLAS', by %.3g at most; "
                    + "their root mean "
                    + "square is %.3g%n", name, size, whole ? "whole numbers" : "normal numbers", differ,
                    (long) size * size, worst, rms);
            // A sum of thousands of rounded terms, taken in two orders; of 16-bit results one unit in the last place.
            double allowed = whole ? 0 : rms * switch (kind) {
                case F64 -> 1e-12;
                case F32 -> 1e-4;
                // cuBLAS cuts factors to tf32, ours are rounded.
                case TF32 -> 0.01;
                default -> kind.out() == ValueType.I32 ? 0 : 0.04;
            };
            if (!(worst <= allowed)) {
                System.out.println("  " + name + ": WRONG");
                passed = false;
            }
        }
    }

    /** How many elements of a row differ, by how much at most, and the sum of cuBLAS' squares. */
    private static double[] row(MemorySegment x, MemorySegment y, ValueType type, int row, int size) {
        double[] sums = new double[3];
        for (long i = (long) row * size; i < (row + 1L) * size; i++) {
            double mine = element(x, type, i);
            double other = element(y, type, i);
            if (Double.doubleToRawLongBits(mine) != Double.doubleToRawLongBits(other)) {
                sums[0]++;
                double apart = Math.abs(mine - other);
                sums[1] = apart <= sums[1] ? sums[1] : apart;
            }
            sums[2] += other * other;
        }
        return sums;
    }

    private static double element(MemorySegment buffer, ValueType type, long i) {
        return switch (type) {
            case F64 -> buffer.getAtIndex(ValueLayout.JAVA_DOUBLE, i);
            case F32 -> buffer.getAtIndex(ValueLayout.JAVA_FLOAT, i);
            case I32 -> buffer.getAtIndex(ValueLayout.JAVA_INT, i);
            case F16 -> Float.float16ToFloat(buffer.getAtIndex(ValueLayout.JAVA_SHORT, i));
            default -> Float.intBitsToFloat(buffer.getAtIndex(ValueLayout.JAVA_SHORT, i) << 16);
        };
    }
}
