package dev.tilewright.gputest.tile;

import dev.tilewright.Progress;
import dev.tilewright.bench.device.DeviceTurns;
import dev.tilewright.bench.device.TileArrays;
import dev.tilewright.bench.result.Spread;
import dev.tilewright.bench.rival.CuBlasLt;
import dev.tilewright.bench.rival.PlainProduct;
import dev.tilewright.builder.Schedule;
import dev.tilewright.gpu.ArrayKernel;
import dev.tilewright.gpu.Buffer;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.Graph;
import dev.tilewright.gpu.KernelLaunch;
import dev.tilewright.gpu.compile.KernelCompiler;
import dev.tilewright.gpu.compile.Nvrtc;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Decision;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.kernel.Gemm;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * Tile kernels that ship, turn by turn beside {@code cuMemcpy} of as many bytes, beside the fastest algorithm of
 * cuBLASLt, or beside a plain product: as a file says, which the first argument names ({@link RaceSubject}). Further
 * arguments are titles to take, or how they begin; {@code --schedule S} adds one to compare. The executor computes
 * some rows of each result, cuBLAS where the file says so all elements. Exit code 1 where bytes differ, or where a
 * kernel has less of its rival's speed than is asked for.
 */
final class TileRace {
    private static final int TURNS = 15;
    private static final int CHOOSING_TURNS = 3;
    private static final double WARM_UP_MILLIS = 100;
    private static final double SUSTAINED_MILLIS = 15;
    /** Launches of a product are timed together as a graph of about this length, so that no host is waited for. */
    private static final double GRAPH_MICROS = 5000;
    private static final int MOST_LAUNCHES = 400;
    private static final long SEED = 7;
    /** What the executor computes of a result: four rows of a product of 8,192³. */
    private static final double COMPUTED = 1 << 28;
    /** Bytes that {@code cuMemcpy} goes through, several times the L2. */
    private static final long COPIED = 1L << 30;

    private final Gpu gpu;
    private final long copied;
    private final PrintStream out;
    private final List<String> furtherSchedules = new ArrayList<>();
    private boolean passed = true;

    /**
     * @param copied bytes that {@code cuMemcpy} goes through before it comes to the first again
     * @param out what is found goes there
     */
    TileRace(Gpu gpu, long copied, PrintStream out) {
        this.gpu = gpu;
        this.copied = copied;
        this.out = out;
    }

    public static void main(String[] arguments) {
        KernelCompiler compiler = KernelCompiler.cachingForUser(Nvrtc.find(Progress.NONE), System.err::println);
        try (Gpu gpu = Gpu.options().compiler(compiler).open()) {
            System.exit(new TileRace(gpu, COPIED, System.out).run(List.of(arguments)) ? 0 : 1);
        }
    }

    private boolean run(List<String> arguments) {
        List<String> titles = new ArrayList<>();
        for (int i = 1; i < arguments.size(); i++) {
            if (arguments.get(i).equals("--schedule")) {
                furtherSchedules.add(arguments.get(++i));
            } else {
                titles.add(arguments.get(i));
            }
        }
        List<RaceSubject> subjects = RaceSubject.all(arguments.getFirst()).stream().filter(subject -> titles.isEmpty()
                || titles.stream().anyMatch(subject.title()::startsWith)).toList();
        out.print(gpu.name());
        if (subjects.stream().anyMatch(subject -> subject.beside("cuBLAS"))) {
            try (DeviceTurns turns = new DeviceTurns(gpu, 0); CuBlasLt cuBlas = CuBlasLt.open(turns.stream())) {
                out.print(", cuBLASLt " + cuBlas.version());
            }
        }
        out.printf("; medians of %d turns, least and most behind them; numbers of a normal distribution%n",
                TURNS);
        for (RaceSubject subject : subjects) {
            try {
                run(subject);
            } catch (RuntimeException e) {
                out.println(subject.title() + " " + e);
                passed = false;
            }
        }
        return passed;
    }

    /** One that takes turns. @param launches of which each start of the work is made */
    private record Side(String name, DeviceTurns.Work work, int launches) { }

    /** What the sides of a subject work on. */
    private record Field(RaceSubject subject, TileArrays arrays, DeviceTurns turns, List<AutoCloseable> opened)
            implements AutoCloseable {
        int sets() {
            return subject.warm() ? 1 : arrays.sets();
        }

        <T extends AutoCloseable> T open(T opening) {
            opened.addFirst(opening);
            return opening;
        }

        @Override
        public void close() {
            turns.stream().synchronize();
            for (AutoCloseable one : opened) {
                try {
                    one.close();
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            }
        }
    }

    /** Prints a line for each schedule of a subject. @return whether all passed up to here */
    boolean run(RaceSubject subject) {
        try (TileArrays arrays = new TileArrays(gpu, subject.kernel(), subject.extents(), SEED);
                DeviceTurns turns = subject.operations() > 0 ? DeviceTurns.sustained(gpu, SUSTAINED_MILLIS)
                        : new DeviceTurns(gpu, WARM_UP_MILLIS);
                Field field = new Field(subject, arrays, turns, new ArrayList<>())) {
            IndexedContents.fill(arrays, subject, SEED);
            Optional<List<DeviceTurns.Work>> cuBlas = subject.beside("cuBLAS") ? Optional.of(cuBlas(field))
                    : Optional.empty();
            List<Side> sides = new ArrayList<>();
            List<String> schedules = new ArrayList<>(subject.schedules());
            schedules.addAll(furtherSchedules);
            for (String schedule : schedules) {
                try {
                    sides.add(ours(field, schedule, sides.isEmpty(), cuBlas));
                } catch (IllegalArgumentException e) {
                    out.println(subject.title() + " " + schedule + ": " + e.getMessage());
                }
            }
            int ours = sides.size();
            cuBlas.ifPresent(algorithms -> sides.add(fastest(field, algorithms)));
            if (subject.beside("plain")) {
                sides.add(plain(field));
            }
            if (subject.beside("cuMemcpy")) {
                sides.add(copy(field));
            }
            List<Spread> micros = turns.take(TURNS, sides.stream().map(Side::work).toList());
            List<Spread> ofOne = IntStream.range(0, sides.size()).mapToObj(i -> micros.get(i).as(all -> all
                    / sides.get(i).launches())).toList();
            for (int i = 0; i < ours; i++) {
                report(field, sides.get(i).name(), ofOne.get(i), sides.subList(ours, sides.size()),
                        ofOne.subList(ours, sides.size()));
            }
        }
        return passed;
    }

    /**
     * The kernel by a schedule, whose results are compared before it is timed.
     *
     * @param first whether they are compared with the executor's and cuBLAS', or else with the first schedule's
     */
    private Side ours(Field field, String schedule, boolean first, Optional<List<DeviceTurns.Work>> cuBlas) {
        RaceSubject subject = field.subject();
        TileArrays arrays = field.arrays();
        TileKernel kernel = schedule.equals("none") ? subject.kernel() : subject.kernel().with(Schedule.parse(
                schedule));
        ArrayKernel loaded = field.open(gpu.load(kernel));
        List<KernelLaunch> launches = IntStream.range(0, arrays.sets()).mapToObj(set -> arrays.launch(loaded, set)
                .on(field.turns().stream()).prepare()).toList();
        if (first && subject.beside("bits")) {
            passed &= new ProductBits(subject, arrays, field.turns().stream(), out).equal(launches.getFirst(),
                    cuBlas.orElseThrow().getFirst());
        }
        arrays.spoil();
        launches.forEach(KernelLaunch::start);
        field.turns().stream().synchronize();
        Optional<String> wrong = first ? IndexedContents.has(subject) ? Optional.empty()
                : arrays.expectResults(COMPUTED) : differing(arrays);
        wrong.ifPresent(what -> out.println("WRONG: " + subject.title() + " " + schedule + ": " + what));
        passed &= wrong.isEmpty();
        String tiles = kernel.lowered(gpu.target(), subject.extents()).decisions().stream().map(Decision::choice)
                .filter(choice -> choice.startsWith("tiles of")).findFirst().map(choice -> ", " + choice).orElse("");
        return side(field, schedule + tiles, (_, place) -> launches.get(place % field.sets()).start());
    }

    /** Every word is that of the first schedule. */
    private static Optional<String> differing(TileArrays arrays) {
        long words = arrays.differing();
        return words == 0 ? Optional.empty() : Optional.of(words + " words are not those of the first schedule");
    }

    /** Work as it is timed: what computes as graphs. */
    private Side side(Field field, String name, DeviceTurns.Work work) {
        if (field.subject().operations() == 0) {
            return new Side(name, work, 1);
        }
        double micros = field.turns().take(1, List.of(work)).getFirst().median();
        int launches = Math.clamp((long) (GRAPH_MICROS / micros), 1, MOST_LAUNCHES);
        Graph graph = field.open(field.turns().stream().capture(stream -> {
            for (int i = 0; i < launches; i++) {
                work.start(stream, i);
            }
        }));
        return new Side(name, (_, _) -> graph.start(), launches);
    }

    private List<DeviceTurns.Work> cuBlas(Field field) {
        RaceSubject subject = field.subject();
        CuBlasLt cuBlas = field.open(CuBlasLt.open(field.turns().stream()));
        return PlainProduct.of(subject.preset(), subject.type()).orElseThrow().algorithms(cuBlas, field.arrays(),
                field.arrays().array(0, "c"), subject.extents(), field.sets());
    }

    /** Each is timed as it will be beside ours: the fastest of single launches may be another. */
    private Side fastest(Field field, List<DeviceTurns.Work> algorithms) {
        List<Side> all = IntStream.range(0, algorithms.size()).mapToObj(i -> side(field, "cuBLAS' number " + (i + 1)
                + " of " + algorithms.size(), algorithms.get(i))).toList();
        List<Spread> micros = field.turns().take(CHOOSING_TURNS, all.stream().map(Side::work).toList());
        return IntStream.range(0, all.size()).boxed().min(Comparator.comparing(i -> micros.get(i).median()
                / all.get(i).launches())).map(all::get).orElseThrow();
    }

    /** A product without what the kernel adds: of both halves of a gated one, of 8-bit floats without scales. */
    private Side plain(Field field) {
        RaceSubject subject = field.subject();
        boolean gated = subject.preset().name().equals("gemm-gated");
        TileKernel kernel = Gemm.of(gated ? subject.type() : ValueType.E4M3).withTransposedB().kernel();
        Map<String, Long> extents = new TreeMap<>(subject.extents());
        extents.merge("n", gated ? 2L : 1L, Math::multiplyExact);
        TileArrays arrays = field.open(new TileArrays(gpu, kernel, extents, SEED));
        KernelLaunch launch = arrays.launch(field.open(gpu.load(kernel)), 0).on(field.turns().stream()).prepare();
        return side(field, "the plain product", (_, _) -> launch.start());
    }

    private static long moved(Field field) {
        List<String> tensors = field.subject().moved().orElseThrow();
        return tensors.isEmpty() ? field.arrays().bytesMoved() : tensors.stream().mapToLong(field.arrays()::bytes)
                .sum();
    }

    /** A copy that moves as many bytes. */
    private Side copy(Field field) {
        long half = moved(field) / 32 * 16;
        int places = (int) Math.max(2, copied / half);
        Buffer<byte[]> from = field.open(gpu.bytes(half * places));
        Buffer<byte[]> to = field.open(gpu.bytes(half * places));
        return new Side("cuMemcpy", (stream, place) -> stream.copy(from.slice(place % places * half, half),
                to.slice(place % places * half, half)), 1);
    }

    private void report(Field field, String ours, Spread micros, List<Side> rivals, List<Spread> theirs) {
        RaceSubject subject = field.subject();
        StringBuilder line = new StringBuilder(String.format(Locale.ROOT, "%s %s: %s", subject.title(), ours,
                millis(micros)));
        if (subject.operations() > 0) {
            line.append(String.format(Locale.ROOT, ", %.1f TFLOP/s", subject.operations() / micros.median() / 1e6));
        }
        for (int i = 0; i < rivals.size(); i++) {
            double ratio = theirs.get(i).median() / micros.median();
            if (rivals.get(i).name().equals("cuMemcpy")) {
                double rate = moved(field) / 1e3;
                line.append(String.format(Locale.ROOT, subject.operations() > 0
                        ? "; the weight at %.0f GB/s, %.3f of cuMemcpy's %.0f GB/s"
                        : ", %.0f GB/s, %.3f of cuMemcpy's %.0f GB/s", rate / micros.median(), ratio,
                        rate / theirs.get(i).median()));
            } else {
                line.append(String.format(Locale.ROOT, "; %s %s; %.3f of %s", rivals.get(i).name(),
                        millis(theirs.get(i)), ratio, rivals.get(i).name().replaceAll("'.*", "")));
            }
            if (i == 0 && ratio < subject.least()) {
                line.append(String.format(Locale.ROOT, "; LESS than %.2f", subject.least()));
                passed = false;
            }
        }
        out.println(line);
    }

    private static String millis(Spread micros) {
        return String.format(Locale.ROOT, "%.4f ms (%.4f to %.4f)", micros.median() / 1e3, micros.least() / 1e3,
                micros.most() / 1e3);
    }
}
