package dev.tilewright.gputest;

import dev.tilewright.Progress;
import dev.tilewright.builder.Schedule;
import dev.tilewright.gpu.ArrayKernel;
import dev.tilewright.gpu.Buffer;
import dev.tilewright.gpu.Event;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.Stream;
import dev.tilewright.gpu.compile.KernelCompiler;
import dev.tilewright.gpu.compile.Nvrtc;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileKernel;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;

/**
 * Tile kernels that move memory beside {@code cuMemcpy} of one array to another, turn by turn in one run: the bytes
 * that both read and write a second. Some rows of each result are held against the executor's. Exit code 1 where
 * bytes differ.
 */
final class TileRowsRace {
    private static final int ROWS = 32768;
    private static final int COLUMNS = 4096;
    private static final int SIDE = 16384;
    private static final int CHECKED = 64;
    private static final int ROUNDS = 9;
    private static final int LAUNCHES = 10;

    private final Gpu gpu;
    private final Stream stream;
    private boolean passed = true;

    private TileRowsRace(Stream stream) {
        this.gpu = stream.gpu();
        this.stream = stream;
    }

    public static void main(String[] arguments) {
        KernelCompiler compiler = KernelCompiler.cachingForUser(Nvrtc.find(Progress.NONE), System.err::println);
        try (Gpu gpu = Gpu.options().compiler(compiler).open(); Stream stream = gpu.stream()) {
            TileRowsRace race = new TileRowsRace(stream);
            for (ValueType type : List.of(ValueType.F32, ValueType.BF16)) {
                race.run("scale", rows("scale", type, x -> x.times(1.5)), type, ROWS, COLUMNS);
                race.run("softmax", rows("softmax", type, TileRowsRace::softmax), type, ROWS, COLUMNS);
                race.run("layer norm", rows("layer_norm", type, TileRowsRace::layerNorm), type, ROWS, COLUMNS);
                race.run("RMS norm", rows("rms_norm", type, x -> x.times(x.times(x).sum().times(1.0 / COLUMNS)
                        .plus(1e-5).rsqrt())), type, ROWS, COLUMNS);
                race.run("transpose", transpose(type), type, SIDE, SIDE);
            }
            System.exit(race.passed ? 0 : 1);
        }
    }

    private static Tile softmax(Tile x) {
        Tile e = x.minus(x.max()).exp();
        return e.dividedBy(e.sum());
    }

    private static Tile layerNorm(Tile x) {
        Tile centred = x.minus(x.sum().times(1.0 / COLUMNS));
        return centred.times(centred.times(centred).sum().times(1.0 / COLUMNS).plus(1e-5).rsqrt());
    }

    private static TileKernel rows(String name, ValueType type, UnaryOperator<Tile> function) {
        return TileKernel.of(name, k -> {
            Dim rows = k.dim("rows");
            Tensor x = k.in("x", type, rows, Dim.of(COLUMNS));
            Tensor y = k.out("y", type, rows, Dim.of(COLUMNS));
            k.forEachRow(x, row -> y.storeRow(row, function.apply(x.row(row).to(ValueType.F32)).to(type)));
        });
    }

    private static TileKernel transpose(ValueType type) {
        return TileKernel.of("transpose", k -> {
            Dim rows = k.dim("rows");
            Dim columns = k.dim("columns");
            Tensor x = k.in("x", type, rows, columns);
            Tensor y = k.out("y", type, columns, rows);
            k.forEachTile(y, 64, 64, at -> y.store(at, x.tile(at.column(), at.row()).transposed()));
        });
    }

    private void run(String name, TileKernel tiles, ValueType type, int rows, int columns) {
        long bytes = (long) rows * columns * type.bytes();
        try (Buffer<byte[]> x = gpu.bytes(bytes); Buffer<byte[]> y = gpu.bytes(bytes)) {
            fill(x, type);
            for (String schedule : List.of("none", "threads=256", "threads=512", "threads=1024")) {
                try (ArrayKernel kernel = gpu.load(tiles.with(Schedule.parse(schedule)))) {
                    boolean turned = name.equals("transpose");
                    Runnable mine = kernel.launch().set("x", x, rows, columns).set("y", y, turned ? columns : rows,
                            turned ? rows : columns).on(stream).prepare()::start;
                    y.fill((byte) 0xEE);
                    mine.run();
                    stream.synchronize();
                    String verdict = turned ? "" : check(tiles, type, x, y, columns);
                    List<Double> ours = new ArrayList<>();
                    List<Double> copies = new ArrayList<>();
                    for (int i = 0; i < ROUNDS; i++) {
                        ours.add(time(mine));
                        copies.add(time(() -> stream.copy(x, y)));
                    }
                    ours.sort(null);
                    copies.sort(null);
                    double mineMs = ours.get(ROUNDS / 2);
                    System.out.printf(Locale.ROOT, "%-10s %-4s %d x %d, %-12s %.3f ms, %.0f GB/s, %.3f of cuMemcpy"
                            + "%s%n", name, type, rows, columns, schedule, mineMs, 2 * bytes / mineMs / 1e6,
                            copies.get(ROUNDS / 2) / mineMs, verdict);
                } catch (RuntimeException e) {
                    System.out.println(name + " " + type + " " + schedule + ": " + e.getMessage());
                }
            }
        }
    }

    private String check(TileKernel tiles, ValueType type, Buffer<byte[]> x, Buffer<byte[]> y, int columns) {
        long bytes = (long) CHECKED * columns * type.bytes();
        byte[] in = new byte[(int) bytes];
        byte[] out = new byte[(int) bytes];
        byte[] wanted = new byte[(int) bytes];
        x.slice(0, bytes).download(in);
        y.slice(0, bytes).download(out);
        tiles.onCpu().set("x", MemorySegment.ofArray(in), CHECKED, columns).set("y", MemorySegment.ofArray(wanted),
                CHECKED, columns).run();
        int at = java.util.Arrays.mismatch(out, wanted);
        passed &= at < 0;
        return at < 0 ? "" : ", WRONG at byte " + at;
    }

    private double time(Runnable launch) {
        try (Event begin = gpu.timedEvent(); Event end = gpu.timedEvent()) {
            stream.record(begin);
            for (int i = 0; i < LAUNCHES; i++) {
                launch.run();
            }
            stream.record(end);
            end.synchronize();
            return end.millisecondsSince(begin) / LAUNCHES;
        }
    }

    private void fill(Buffer<byte[]> buffer, ValueType type) {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment host = arena.allocate(buffer.bytes(), 64);
            SplittableRandom random = new SplittableRandom(1);
            byte[] some = new byte[1 << 20];
            for (int i = 0; i < some.length / type.bytes(); i++) {
                int bits = Float.floatToRawIntBits((float) random.nextGaussian());
                int word = type == ValueType.F32 ? bits : bits >>> 16;
                for (int b = 0; b < type.bytes(); b++) {
                    some[i * type.bytes() + b] = (byte) (word >> 8 * b);
                }
            }
            for (long at = 0; at < host.byteSize(); at += some.length) {
                host.asSlice(at, some.length).copyFrom(MemorySegment.ofArray(some));
            }
            buffer.upload(host);
        }
    }
}
