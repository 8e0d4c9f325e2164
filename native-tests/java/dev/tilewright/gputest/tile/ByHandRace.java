package dev.tilewright.gputest.tile;

import dev.tilewright.Progress;
import dev.tilewright.bench.device.DeviceTurns;
import dev.tilewright.bench.device.TileArrays;
import dev.tilewright.bench.kernel.SwizzledTranspose;
import dev.tilewright.bench.kernel.ThreadTranspose;
import dev.tilewright.bench.kernel.TileRows;
import dev.tilewright.bench.result.Spread;
import dev.tilewright.builder.Presets;
import dev.tilewright.builder.Schedule;
import dev.tilewright.examples.WarpProduct;
import dev.tilewright.gpu.ArrayKernel;
import dev.tilewright.gpu.Buffer;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.Kernel;
import dev.tilewright.gpu.KernelLaunch;
import dev.tilewright.gpu.compile.KernelCompiler;
import dev.tilewright.gpu.compile.Nvrtc;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Scalars;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.kernel.TilePresets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * Presets of the tile language turn by turn beside programs by hand for the same work, on the same arrays. Some rows of
 * the language's results are the executor's, and all words of the other results are the language's. Exit code 1 where
 * they are not, or where the language has less than 0.97 of a program's speed. Programs that went, as the language was
 * as fast, are no longer here; {@code by-hand.log} has them.
 */
final class ByHandRace {
    private static final int TURNS = 15;
    private static final long SEED = 7;
    private static final double WARM_UP_MILLIS = 60;
    /** What the executor computes of a result. */
    private static final double COMPUTED = 1 << 28;
    private static final double LEAST = 0.97;

    private final Gpu gpu;
    private boolean passed = true;

    private ByHandRace(Gpu gpu) {
        this.gpu = gpu;
    }

    /** A program. @param tensors the kernel's that are its buffers, in their order */
    private record Hand(String name, Launch launch, List<String> tensors) { }

    /** One that takes turns. */
    private record Side(String name, List<KernelLaunch> launches) {
        DeviceTurns.Work work() {
            return (_, place) -> launches.get(place % launches.size()).start();
        }
    }

    /** @param operations of a launch; 0: it only moves memory */
    private record Subject(String title, TileKernel kernel, Map<String, Long> extents, double operations,
            List<Hand> hands) { }

    public static void main(String[] arguments) {
        KernelCompiler compiler = KernelCompiler.cachingForUser(Nvrtc.find(Progress.NONE), System.err::println);
        try (Gpu gpu = Gpu.options().compiler(compiler).open()) {
            System.out.printf("%s; medians of %d turns, least and most behind them%n", gpu.name(), TURNS);
            ByHandRace race = new ByHandRace(gpu);
            subjects().forEach(race::run);
            System.exit(race.passed ? 0 : 1);
        }
    }

    private static List<Subject> subjects() {
        int side = 16_384;
        int product = 4096;
        List<String> xy = List.of("x", "y");
        return List.of(elements("copy of 1 dimension", "tile-copy-1d", List.of("bulk-copy", "vector-copy",
                        "cp-async-pipeline"), 1L << 28),
                elements("copy of 2 dimensions", "tile-copy", List.of("tensor-copy"), 65_536, 4096),
                elements("copy of 3 dimensions", "tile-copy-3d", List.of("tensor-copy-3d"), 512, 128, 4096),
                elements("copy of 5 dimensions", "tile-copy-5d", List.of("tensor-copy-5d"), 16, 16, 16, 16, 4096),
                elements("scale", "tile-scale", List.of("cp-async-scale", "tensor-scale"), 65_536, 4096),
                new Subject("transpose", kernel("transpose", ValueType.F32), Map.of("rows", (long) side, "columns",
                        (long) side), 0, List.of(new Hand("xored by 512 threads", new ThreadTranspose(TileRows.XORED,
                                64, 512).launch(side, side), xy), new Hand("swizzled by TMA", new SwizzledTranspose(128,
                                64, 8).launch(side, side), xy))),
                new Subject("product of bf16 by mma.sync 4096^3", kernel("gemm-nt", ValueType.BF16).with(
                        Schedule.parse("threads=128 tile=64x64")), Map.of("m", (long) product, "n", (long) product, "k",
                        (long) product), 2.0 * product * product * product, List.of(new Hand("by warps",
                        WarpProduct.launch(product, product, product), List.of("a", "b", "c")))));
    }

    private static TileKernel kernel(String preset, ValueType type) {
        return TilePresets.find(preset).orElseThrow().kernel(type);
    }

    /** Of f32; a factor is 1. */
    private static Subject elements(String title, String preset, List<String> builders, long... shape) {
        List<Long> extents = Arrays.stream(shape).boxed().toList();
        Map<String, Long> dims = new TreeMap<>();
        IntStream.range(0, shape.length).forEach(i -> dims.put("d" + i, shape[i]));
        return new Subject(title, kernel(preset, ValueType.F32), dims, 0, builders.stream().map(builder -> new Hand(
                "preset " + builder, Presets.named(builder).build(ElementType.F32).launch(extents, builder.endsWith(
                "scale") ? Scalars.ofBits(Float.floatToRawIntBits(1)) : Scalars.NONE), List.of("x", "y"))).toList());
    }

    private void run(Subject subject) {
        List<Kernel> opened = new ArrayList<>();
        try (TileArrays arrays = new TileArrays(gpu, subject.kernel(), subject.extents(), SEED);
                DeviceTurns turns = subject.operations() > 0 ? DeviceTurns.sustained(gpu, WARM_UP_MILLIS)
                        : new DeviceTurns(gpu, WARM_UP_MILLIS);
                ArrayKernel language = gpu.load(subject.kernel())) {
            List<Side> sides = new ArrayList<>(List.of(new Side("the language", IntStream.range(0, arrays.sets())
                    .mapToObj(set -> arrays.launch(language, set).on(turns.stream()).prepare()).toList())));
            for (Hand hand : subject.hands()) {
                opened.add(gpu.load(hand.launch().program()));
                sides.add(new Side(hand.name(), IntStream.range(0, arrays.sets()).mapToObj(set -> opened.getLast()
                        .prepare(hand.launch(), hand.tensors().stream().map(name -> arrays.array(set, name))
                                .toArray(Buffer<?>[]::new)).on(turns.stream())).toList()));
            }
            for (Side side : sides) {
                arrays.spoil();
                side.launches().forEach(KernelLaunch::start);
                turns.stream().synchronize();
                String wrong = side == sides.getFirst() ? arrays.expectResults(COMPUTED).orElse("")
                        : arrays.differing() == 0 ? "" : "words are not the language's";
                if (!wrong.isEmpty()) {
                    System.out.println("WRONG: " + subject.title() + ": " + side.name() + ": " + wrong);
                    passed = false;
                }
            }
            report(subject, arrays.bytesMoved(), sides, turns.take(TURNS, sides.stream().map(Side::work).toList()));
        } finally {
            opened.forEach(Kernel::close);
        }
    }

    private void report(Subject subject, long bytes, List<Side> sides, List<Spread> micros) {
        for (int i = 0; i < sides.size(); i++) {
            Spread one = micros.get(i);
            String rate = subject.operations() > 0 ? String.format(Locale.ROOT, "%.1f TFLOP/s", subject.operations()
                    / one.median() / 1e6) : String.format(Locale.ROOT, "%.0f GB/s", bytes / one.median() / 1e3);
            double ratio = one.median() / micros.getFirst().median();
            passed &= ratio >= LEAST;
            System.out.printf(Locale.ROOT, "%s: %s: %.4f ms (%.4f to %.4f), %s%s%n", subject.title(),
                    sides.get(i).name(), one.median() / 1e3, one.least() / 1e3, one.most() / 1e3, rate, i == 0 ? ""
                            : String.format(Locale.ROOT, "; the language has %.3f of its speed", ratio));
        }
    }
}
