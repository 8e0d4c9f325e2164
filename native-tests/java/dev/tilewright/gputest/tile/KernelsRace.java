package dev.tilewright.gputest.tile;

import dev.tilewright.Progress;
import dev.tilewright.bench.device.DeviceTurns;
import dev.tilewright.bench.device.TileArrays;
import dev.tilewright.bench.result.Spread;
import dev.tilewright.builder.Schedule;
import dev.tilewright.gpu.ArrayKernel;
import dev.tilewright.gpu.Buffer;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.KernelLaunch;
import dev.tilewright.gpu.compile.KernelCompiler;
import dev.tilewright.gpu.compile.Nvrtc;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.kernel.Gemm;
import dev.tilewright.tile.kernel.TilePresets;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * Kernels that ship, turn by turn beside {@code cuMemcpy} of as many bytes, or beside a plain product of as much work.
 * Results are held against the executor's first rows where it is quick enough. Arguments: names of presets; none for
 * all.
 */
final class KernelsRace {
    private static final int TURNS = 15;
    private static final double WARM_UP = 100;
    private static final double SUSTAINED = 15;
    private static final long SEED = 7;
    /** Keys of a page. */
    private static final int PAGE = 16;

    /** One of them. @param schedules the first of which is the lowering's own choice */
    private record Subject(String preset, ValueType type, Map<String, Long> size, List<String> schedules) { }

    private static final Map<String, Long> ROWS = Map.of("rows", 32768L, "columns", 4096L);
    private static final Map<String, Long> LOGITS = Map.of("rows", 256L, "columns", 131072L);

    private static final List<Subject> SUBJECTS = List.of(
            new Subject("embedding", ValueType.BF16, Map.of("tokens", 262144L, "width", 512L, "vocabulary", 2097152L),
                    List.of("none")),
            new Subject("attention-paged", ValueType.BF16, Map.of("batch", 64L, "heads", 8L, "queries", 1L, "slots",
                    512L, "pages", 32768L), List.of("none")),
            new Subject("rotary", ValueType.BF16, Map.of("tokens", 16384L, "heads", 32L, "places", 16384L),
                    List.of("none")),
            new Subject("swiglu", ValueType.BF16, ROWS, List.of("none", "threads=256 tile=16x128")),
            new Subject("add-rms-norm", ValueType.BF16, ROWS, List.of("none", "threads=256")),
            new Subject("quantise-rows", ValueType.BF16, ROWS, List.of("none")),
            new Subject("quantise-groups", ValueType.BF16, ROWS, List.of("none")),
            new Subject("histogram", ValueType.U8, Map.of("n", 1L << 27), List.of("none", "threads=512",
                    "threads=1024")),
            new Subject("blur", ValueType.U8, Map.of("rows", 16384L, "columns", 16384L), List.of("none",
                    "tile=4x2048", "tile=2x2048")),
            new Subject("blur", ValueType.F32, Map.of("rows", 8192L, "columns", 16384L), List.of("none",
                    "tile=4x512")),
            new Subject("blur", ValueType.BF16, Map.of("rows", 16384L, "columns", 16384L), List.of("none",
                    "tile=4x1024")),
            new Subject("top", ValueType.F32, LOGITS, List.of("none")),
            new Subject("sample", ValueType.F32, LOGITS, List.of("none", "threads=512")),
            new Subject("gemm-w4", ValueType.BF16, weight(1), List.of("none", "early=b")),
            new Subject("gemm-w4", ValueType.BF16, weight(8), List.of("none", "early=b")),
            new Subject("gemm-w4", ValueType.BF16, weight(16), List.of("none", "early=b")),
            new Subject("gemm-w4", ValueType.BF16, weight(64), List.of("none", "early=b")),
            new Subject("gemm-w8", ValueType.BF16, weight(1), List.of("none", "early=b")),
            new Subject("gemm-w8", ValueType.BF16, weight(16), List.of("none", "early=b")),
            new Subject("gemm-w8", ValueType.BF16, weight(64), List.of("none", "early=b")),
            new Subject("gemm-w4", ValueType.BF16, weight(8192), List.of("none")),
            new Subject("gemm-block-scaled", ValueType.BF16, weight(8192), List.of("none", "tile=128x128",
                    "tile=128x128 cluster=2x1", "tile=256x128")),
            new Subject("gemm-gated", ValueType.BF16, weight(8192), List.of("none", "tile=128x128")),
            new Subject("conv-2d", ValueType.BF16, Map.of("images", 64L, "height", 56L, "width", 56L, "channels", 256L,
                    "filters", 256L), List.of("none", "cluster=2x1", "cluster=1x2", "tile=256x128")));

    private KernelsRace() {
    }

    private static Map<String, Long> weight(long rows) {
        return Map.of("m", rows, "n", 8192L, "k", 8192L);
    }

    public static void main(String[] arguments) {
        KernelCompiler compiler = KernelCompiler.cachingForUser(Nvrtc.find(Progress.NONE), System.err::println);
        boolean passed = true;
        try (Gpu gpu = Gpu.options().compiler(compiler).open()) {
            System.out.println("# " + gpu.name() + "; bytes of every tensor once; numbers of a normal distribution");
            for (Subject subject : SUBJECTS) {
                if (arguments.length == 0 || Arrays.asList(arguments).contains(subject.preset())) {
                    for (String schedule : subject.schedules()) {
                        try {
                            passed &= run(gpu, subject, schedule);
                        } catch (IllegalArgumentException e) {
                            System.out.println(title(subject) + ": " + schedule + ": " + e.getMessage());
                        }
                    }
                }
            }
        }
        System.exit(passed ? 0 : 1);
    }

    private static String title(Subject subject) {
        return subject.preset() + " " + subject.type() + " " + new TreeMap<>(subject.size()).toString()
                .replaceAll("[{},]", "");
    }

    private static boolean run(Gpu gpu, Subject subject, String schedule) {
        TileKernel kernel = TilePresets.find(subject.preset()).orElseThrow().kernel(subject.type());
        TileKernel by = schedule.equals("none") ? kernel : kernel.with(Schedule.parse(schedule));
        Map<String, Long> size = subject.size();
        boolean multiplies = subject.preset().equals("conv-2d") || size.getOrDefault("m", 0L) > 1024;
        try (TileArrays arrays = new TileArrays(gpu, by, size, SEED); ArrayKernel loaded = gpu.load(by);
                DeviceTurns turns = multiplies ? DeviceTurns.sustained(gpu, SUSTAINED)
                        : new DeviceTurns(gpu, WARM_UP)) {
            boolean numbered = subject.preset().equals("embedding") || subject.preset().equals("attention-paged");
            if (subject.preset().equals("embedding")) {
                rows(arrays, size);
            } else if (numbered) {
                pages(arrays, size);
            }
            List<KernelLaunch> launches = new ArrayList<>();
            for (int set = 0; set < arrays.sets(); set++) {
                launches.add(arrays.launch(loaded, set).on(turns.stream()).prepare());
            }
            arrays.spoil();
            launches.getFirst().start();
            turns.stream().synchronize();
            Optional<String> wrong = numbered ? Optional.empty() : arrays.expectResults();
            DeviceTurns.Work work = (_, place) -> launches.get(place % launches.size()).start();
            String line = multiplies ? products(gpu, subject, turns, work) : bytes(gpu, arrays, subject, turns, work);
            System.out.println(title(subject) + ": " + schedule + " " + line + wrong.map(w -> "; WRONG: " + w)
                    .orElse(""));
            return wrong.isEmpty();
        }
    }

    /** A row of each number of the table, at random. */
    private static void rows(TileArrays arrays, Map<String, Long> size) {
        ByteBuffer numbers = ByteBuffer.allocate(Math.toIntExact(4 * size.get("tokens"))).order(
                ByteOrder.LITTLE_ENDIAN);
        Random random = new Random(SEED);
        while (numbers.hasRemaining()) {
            numbers.putInt(random.nextInt(Math.toIntExact(size.get("vocabulary"))));
        }
        for (int set = 0; set < arrays.sets(); set++) {
            arrays.array(set, "rows").slice(0, numbers.capacity()).upload(numbers.array());
        }
    }

    /** All pages, in any order, and members that use all of theirs. */
    private static void pages(TileArrays arrays, Map<String, Long> size) {
        int members = Math.toIntExact(size.get("batch"));
        int slots = Math.toIntExact(size.get("slots"));
        List<Integer> order = new ArrayList<>(IntStream.range(0, members * slots).boxed().toList());
        Collections.shuffle(order, new Random(SEED));
        ByteBuffer table = ByteBuffer.allocate(4 * members * slots).order(ByteOrder.LITTLE_ENDIAN);
        order.forEach(table::putInt);
        ByteBuffer lengths = ByteBuffer.allocate(4 * members).order(ByteOrder.LITTLE_ENDIAN);
        IntStream.range(0, members).forEach(_ -> lengths.putInt(slots * PAGE));
        for (int set = 0; set < arrays.sets(); set++) {
            arrays.array(set, "table").slice(0, table.capacity()).upload(table.array());
            arrays.array(set, "lengths").slice(0, lengths.capacity()).upload(lengths.array());
        }
    }

    /** Bytes that it moves: of a gather the rows that it takes, twice, of a product with few rows the weights. */
    private static String bytes(Gpu gpu, TileArrays arrays, Subject subject, DeviceTurns turns,
            DeviceTurns.Work work) {
        long moved = switch (subject.preset()) {
            case "embedding" -> 2 * arrays.bytes("y");
            case "gemm-w4", "gemm-w8" -> arrays.bytes("b") + arrays.bytes("scales");
            case "attention-paged" -> arrays.bytes("k") + arrays.bytes("v");
            default -> arrays.bytesMoved();
        };
        long half = moved / 32 * 16;
        int copies = (int) Math.max(2, (1L << 30) / half);
        try (Buffer<byte[]> from = gpu.bytes(half * copies); Buffer<byte[]> to = gpu.bytes(half * copies)) {
            List<Spread> micros = turns.take(TURNS, List.of(work, (stream, place) -> stream.copy(
                    from.slice(place % copies * half, half), to.slice(place % copies * half, half))));
            double ours = micros.getFirst().median();
            return "%.1f us; %.0f GB/s; %.3f of cuMemcpy".formatted(ours, moved / ours / 1e3,
                    micros.getLast().median() / ours);
        }
    }

    private static String products(Gpu gpu, Subject subject, DeviceTurns turns, DeviceTurns.Work work) {
        Map<String, Long> size = subject.size();
        double operations = subject.preset().equals("conv-2d")
                ? 2.0 * 9 * size.values().stream().reduce(1L, Math::multiplyExact)
                : (subject.preset().equals("gemm-gated") ? 4.0 : 2.0) * size.get("m") * size.get("n") * size.get("k");
        boolean gated = subject.preset().equals("gemm-gated");
        if (!gated && !subject.preset().equals("gemm-block-scaled")) {
            double ours = turns.take(TURNS, List.of(work)).getFirst().median();
            return "%.1f us; %.1f TFLOP/s".formatted(ours, operations / ours / 1e6);
        }
        TileKernel plain = Gemm.of(gated ? subject.type() : ValueType.E4M3).withTransposedB().kernel();
        Map<String, Long> plainly = new TreeMap<>(size);
        plainly.merge("n", gated ? 2L : 1L, Math::multiplyExact);
        try (TileArrays arrays = new TileArrays(gpu, plain, plainly, SEED); ArrayKernel loaded = gpu.load(plain)) {
            KernelLaunch launch = arrays.launch(loaded, 0).on(turns.stream()).prepare();
            List<Spread> micros = turns.take(TURNS, List.of(work, (_, _) -> launch.start()));
            double ours = micros.getFirst().median();
            return "%.1f us; %.1f TFLOP/s; %.3f of the plain product".formatted(ours, operations / ours / 1e6,
                    micros.getLast().median() / ours);
        }
    }
}
