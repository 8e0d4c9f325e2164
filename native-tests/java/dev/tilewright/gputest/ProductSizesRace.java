package dev.tilewright.gputest;

import dev.tilewright.Progress;
import dev.tilewright.bench.rival.CuBlasLt;
import dev.tilewright.builder.Schedule;
import dev.tilewright.gpu.ArrayKernel;
import dev.tilewright.gpu.Buffer;
import dev.tilewright.gpu.Event;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.Graph;
import dev.tilewright.gpu.Stream;
import dev.tilewright.gpu.compile.KernelCompiler;
import dev.tilewright.gpu.compile.Nvrtc;
import dev.tilewright.program.array.ArrayShape;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Decision;
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
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * One product of bf16 matrices in all sizes, from one row to thousands, ragged ones among them, beside cuBLAS by the
 * fastest of its algorithms and beside {@code cuMemcpy}: turn by turn in one run, as graphs of several launches, so
 * that no host is waited for. Weights that are read once lie in several places, so that L2 does not hold them. Sampled
 * rows of each result are held against the executor's bytes. Exit code 1 where bytes differ.
 *
 * <p>Arguments are names of parts: {@code squares}, or {@code 2048} for those alone, {@code rows}, {@code ragged}; none
 * for all of them. Further ones,
 * such as {@code "tile=64x128 stages=6"}, are schedules to compare.
 */
final class ProductSizesRace {
    private static final int ROUNDS = 9;
    private static final double TURN_MILLISECONDS = 5;
    private static final int SAMPLED = 4;
    /** Several times what L2 has. */
    private static final long ROTATED_BYTES = 640L << 20;
    private static final int LARGE = 8192;
    private static final int[] SQUARES = {8192, 4096, 2048, 1024};

    private static final TileKernel BY_COLUMNS = product(true, 128, 256);
    private static final TileKernel BY_ROWS = product(false, 128, 256);

    private final Gpu gpu;
    private final Stream stream;
    private final CuBlasLt cuBlas;
    private final List<String> schedules;
    private final List<ArrayKernel> kernels = new ArrayList<>();
    private boolean passed = true;
    /** The last rows of the result. */
    private byte[] wanted;

    private ProductSizesRace(Stream stream, CuBlasLt cuBlas, List<String> schedules) {
        this.gpu = stream.gpu();
        this.stream = stream;
        this.cuBlas = cuBlas;
        this.schedules = schedules;
    }

    public static void main(String[] arguments) {
        List<String> parts = Arrays.stream(arguments).filter(a -> !a.contains("=") && !a.equals("none")).toList();
        List<String> schedules = new ArrayList<>(List.of("none"));
        Arrays.stream(arguments).filter(a -> a.contains("=")).forEach(schedules::add);
        KernelCompiler compiler = KernelCompiler.cachingForUser(Nvrtc.find(Progress.NONE), System.err::println);
        try (Gpu gpu = Gpu.options().compiler(compiler).open(); Stream stream = gpu.stream();
                CuBlasLt cuBlas = CuBlasLt.open(stream)) {
            System.out.printf("%s, cuBLASLt %d; medians of %d turns%n", gpu.name(), cuBlas.version(), ROUNDS);
            ProductSizesRace race = new ProductSizesRace(stream, cuBlas, schedules);
            if (parts.isEmpty() || parts.contains("squares")) {
                for (int size : SQUARES) {
                    race.run(size, size, size, true);
                    race.run(size, size, size, false);
                }
            }
            for (int size : SQUARES) {
                if (parts.contains(Integer.toString(size))) {
                    race.run(size, size, size, true);
                    race.run(size, size, size, false);
                }
            }
            if (parts.isEmpty() || parts.contains("rows")) {
                for (int rows : new int[] {1, 16, 64, 256}) {
                    race.run(rows, LARGE, LARGE, true);
                    race.run(rows, LARGE, LARGE, false);
                }
            }
            if (parts.isEmpty() || parts.contains("ragged")) {
                race.run(8192, 8192, 8184, true);
                race.run(8191, 8185, 8184, true);
            }
            System.exit(race.passed ? 0 : 1);
        }
    }

    /** C = A B of bf16, with sums in f32. @param columns whether B's columns follow each other, or its rows */
    private static TileKernel product(boolean columns, int tileRows, int tileColumns) {
        return TileKernel.of("product", k -> {
            Dim m = k.dim("m");
            Dim n = k.dim("n");
            Dim depth = k.dim("k");
            Tensor a = k.in("a", ValueType.BF16, m, depth);
            Tensor b = columns ? k.in("b", ValueType.BF16, n, depth) : k.in("b", ValueType.BF16, depth, n);
            Tensor c = k.out("c", ValueType.BF16, m, n);
            k.forEachTile(c, tileRows, tileColumns, at -> c.store(at, k.fold(k.zeros(ValueType.F32, tileRows,
                    tileColumns), k.steps(depth, 64), (sum, i) -> sum.mma(a.tile(at.row(), i), columns
                            ? b.tile(at.column(), i).transposed() : b.tile(i, at.column()))).to(ValueType.BF16)));
        });
    }

    private void run(int m, int n, int k, boolean columns) {
        String name = String.format(Locale.ROOT, "%d x %d x %d, B by %s", m, n, k, columns ? "columns" : "rows");
        long weight = 2L * n * k;
        List<Buffer<byte[]>> weights = new ArrayList<>();
        int places = m > 256 ? 1 : (int) Math.ceilDiv(ROTATED_BYTES, weight);
        try (Buffer<byte[]> a = gpu.bytes(2L * m * k); Buffer<byte[]> c = gpu.bytes(2L * m * n)) {
            fill(a, 1);
            for (int i = 0; i < places; i++) {
                weights.add(gpu.bytes(weight));
                if (i == 0) {
                    fill(weights.getFirst(), 2);
                } else {
                    stream.copy(weights.getFirst(), weights.get(i));
                }
            }
            wanted = wanted(columns, m, n, k, a, weights.getFirst());
            Optional<Timed> copy = places == 1 ? Optional.empty() : Optional.of(new Timed("cuMemcpy", graph(weight
                    / 2000e6, IntStream.range(0, places).<Runnable>mapToObj(i -> () -> stream.copy(weights.get(i),
                            weights.get((i + 1) % places))).toList())));
            List<Timed> ours = new ArrayList<>();
            for (String schedule : schedules) {
                try {
                    ours.add(ours(schedule, m, n, k, columns, a, weights, c));
                } catch (IllegalArgumentException e) {
                    System.out.println("  " + schedule + ": " + e.getMessage());
                }
            }
            Timed theirs = theirs(m, n, k, columns, a, weights, c);
            for (int round = 0; round < ROUNDS; round++) {
                ours.forEach(this::time);
                time(theirs);
                copy.ifPresent(this::time);
            }
            for (Timed one : ours) {
                report(name, one, theirs, copy, m, n, k);
            }
            ours.forEach(Timed::close);
            theirs.close();
            copy.ifPresent(Timed::close);
        } finally {
            weights.forEach(Buffer::close);
            kernels.forEach(ArrayKernel::close);
            kernels.clear();
        }
    }

    /** Launches that are timed together. */
    private record Launches(Graph graph, int count) { }

    /** What took part, and how long each launch took, turn by turn, in milliseconds. */
    private record Timed(String name, Launches launches, List<Double> times) {
        Timed(String name, Launches launches) {
            this(name, launches, new ArrayList<>());
        }

        double median() {
            return times.stream().sorted().toList().get(times.size() / 2);
        }

        void close() {
            launches.graph.close();
        }
    }

    private Timed ours(String schedule, int m, int n, int k, boolean columns, Buffer<byte[]> a,
            List<Buffer<byte[]>> weights, Buffer<byte[]> c) {
        TileKernel tiles = (columns ? BY_COLUMNS : BY_ROWS).with(Schedule.parse(schedule));
        long[] b = columns ? new long[] {n, k} : new long[] {k, n};
        ArrayKernel kernel = gpu.load(tiles);
        kernels.add(kernel);
        List<Runnable> launches = weights.stream().<Runnable>map(w -> kernel.launch().set("a", a, m, k).set("b", w, b)
                .set("c", c, m, n).on(stream).prepare()::start).toList();
        c.fill((byte) 0xEE);
        launches.getFirst().run();
        stream.synchronize();
        byte[] got = new byte[wanted.length];
        c.slice(c.bytes() - got.length, got.length).download(got);
        int at = Arrays.mismatch(wanted, got);
        if (at >= 0) {
            System.out.println("WRONG with schedule " + schedule + ": byte " + at + " of the last rows is the first");
            passed = false;
        }
        String chosen = tiles.lowered(gpu.target(), Map.of("m", (long) m, "n", (long) n, "k", (long) k)).decisions()
                .stream().filter(d -> d.choice().startsWith("tiles of")).map(Decision::choice).findFirst().orElse("");
        return new Timed(schedule + ", " + chosen, graph(milliseconds(launches.getFirst()), launches));
    }

    private Timed theirs(int m, int n, int k, boolean columns, Buffer<byte[]> a, List<Buffer<byte[]>> weights,
            Buffer<byte[]> c) {
        List<List<Runnable>> products = weights.stream().map(w -> cuBlas.products(CuBlasLt.Kind.BF16, a, w, columns, c,
                m, n, k)).toList();
        int algorithms = products.stream().mapToInt(List::size).min().orElseThrow();
        List<Timed> all = new ArrayList<>();
        for (int i = 0; i < algorithms; i++) {
            int algorithm = i;
            all.add(new Timed("cuBLAS' number " + (i + 1) + " of " + algorithms, graph(milliseconds(
                    products.getFirst().get(i)), products.stream().map(p -> p.get(algorithm)).toList())));
        }
        for (int round = 0; round < 3; round++) {
            all.forEach(this::time);
        }
        Timed best = all.stream().min(Comparator.comparing(Timed::median)).orElseThrow();
        all.stream().filter(one -> one != best).forEach(Timed::close);
        return new Timed(best.name(), best.launches());
    }

    /** Several launches, as long together as a turn is, each of which takes about so long. */
    private Launches graph(double milliseconds, List<Runnable> launches) {
        int count = Math.clamp((long) (TURN_MILLISECONDS / milliseconds), 1, 400);
        return new Launches(stream.capture(_ -> {
            for (int i = 0; i < count; i++) {
                launches.get(i % launches.size()).run();
            }
        }), count);
    }

    private double milliseconds(Runnable launch) {
        launch.run();
        return time(() -> {
            launch.run();
            launch.run();
        }) / 2;
    }

    private void time(Timed timed) {
        timed.times().add(time(timed.launches().graph()::start) / timed.launches().count());
    }

    private double time(Runnable launches) {
        try (Event begin = gpu.timedEvent(); Event end = gpu.timedEvent()) {
            stream.record(begin);
            launches.run();
            stream.record(end);
            end.synchronize();
            return end.millisecondsSince(begin);
        }
    }

    private void report(String name, Timed ours, Timed theirs, Optional<Timed> copy, int m, int n, int k) {
        double mine = ours.median();
        double weight = 2.0 * n * k / 1e6;
        System.out.printf(Locale.ROOT, "%s, %s: %.4f ms, %.1f TFLOP/s; %s %.4f ms; %.3f of cuBLAS", name, ours.name(),
                mine, 2.0 * m * n * k / mine / 1e9, theirs.name(), theirs.median(), theirs.median() / mine);
        if (copy.isPresent()) {
            double rate = 2 * weight / copy.get().median();
            System.out.printf(Locale.ROOT, "; the weight at %.0f GB/s, %.3f of cuMemcpy's %.0f GB/s", weight / mine,
                    weight / mine / rate, rate);
        }
        System.out.println();
    }

    /** The executor's last rows of C. */
    private byte[] wanted(boolean columns, int m, int n, int k, Buffer<byte[]> a, Buffer<byte[]> b) {
        int rows = Math.min(m, SAMPLED);
        try (Arena arena = Arena.ofShared()) {
            MemorySegment left = arena.allocate(2L * rows * k, 64);
            MemorySegment right = arena.allocate(2L * n * k, 64);
            MemorySegment result = arena.allocate(2L * rows * n, 64);
            a.slice(a.bytes() - left.byteSize(), left.byteSize()).download(left);
            b.download(right);
            product(columns, SAMPLED, 64).onCpu().set("a", left, ArrayShape.dense(List.of((long) rows, (long) k)))
                    .set("b", right, ArrayShape.dense(columns ? List.of((long) n, (long) k)
                            : List.of((long) k, (long) n)))
                    .set("c", result, ArrayShape.dense(List.of((long) rows, (long) n))).run();
            return result.toArray(ValueLayout.JAVA_BYTE);
        }
    }

    /** Normally distributed numbers. */
    private static void fill(Buffer<byte[]> buffer, long seed) {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment host = arena.allocate(buffer.bytes(), 64);
            int parts = 64;
            long all = buffer.bytes() / 2;
            IntStream.range(0, parts).parallel().forEach(part -> {
                SplittableRandom random = new SplittableRandom(seed << 32 | part);
                short[] numbers = new short[1 << 14];
                for (int i = 0; i < numbers.length; i++) {
                    numbers[i] = (short) (Float.floatToRawIntBits((float) random.nextGaussian()) >>> 16);
                }
                for (long i = all * part / parts; i < all * (part + 1) / parts; i++) {
                    host.setAtIndex(ValueLayout.JAVA_SHORT, i, numbers[(int) (i * 31 + (i >> 14) & (1 << 14) - 1)]);
                }
            });
            buffer.upload(host);
        }
    }
}
