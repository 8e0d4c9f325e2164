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
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.CpuLaunch;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileKernel;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;

/**
 * Tile kernels that move memory beside {@code cuMemcpy} of one array to another, turn by turn in one run: the bytes
 * that both read and write a second. Some rows of each result are held against the executor's. Exit code 1 where
 * bytes differ. Arguments name the kernels of a run, such as {@code softmax}, and {@code threads=N}, the schedules.
 */
final class TileRowsRace {
    private static final int ROWS = 32768;
    private static final int COLUMNS = 4096;
    private static final int SIDE = 16384;
    private static final int WIDE = 131072;
    private static final int CHECKED = 64;
    private static final int ROUNDS = 9;
    private static final int LAUNCHES = 10;

    private final Gpu gpu;
    private final Stream stream;
    private final List<String> names;
    private final List<String> schedules;
    private boolean passed = true;

    private TileRowsRace(Stream stream, List<String> arguments) {
        this.gpu = stream.gpu();
        this.stream = stream;
        this.names = arguments.stream().filter(a -> !a.contains("=")).toList();
        List<String> said = arguments.stream().filter(a -> a.contains("=")).toList();
        this.schedules = said.isEmpty() ? List.of("none") : said;
    }

    public static void main(String[] arguments) {
        KernelCompiler compiler = KernelCompiler.cachingForUser(Nvrtc.find(Progress.NONE), System.err::println);
        try (Gpu gpu = Gpu.options().compiler(compiler).open(); Stream stream = gpu.stream()) {
            TileRowsRace race = new TileRowsRace(stream, List.of(arguments));
            for (ValueType type : List.of(ValueType.F32, ValueType.BF16)) {
                race.narrow(type);
            }
            race.wide(ValueType.F32);
            System.exit(race.passed ? 0 : 1);
        }
    }

    private void narrow(ValueType type) {
        try (Buffer<byte[]> x = gpu.bytes((long) ROWS * COLUMNS * type.bytes());
                Buffer<byte[]> y = gpu.bytes(x.bytes()); Buffer<byte[]> z = gpu.bytes(x.bytes())) {
            fill(x, type);
            run(rows("scale", type, COLUMNS, (e, _) -> e.times(1.5)), x, y, z, ROWS);
            run(rows("gelu", type, COLUMNS, (e, bias) -> e.plus(bias).map(Value::gelu)), x, y, z, ROWS);
            run(rows("softmax", type, COLUMNS, (e, _) -> softmax(e)), x, y, z, ROWS);
            run(rows("layer norm", type, COLUMNS, (e, _) -> layerNorm(e)), x, y, z, ROWS);
            run(rows("RMS norm", type, COLUMNS, (e, _) -> e.times(e.times(e).sum().times(1.0 / COLUMNS)
                    .plus(1e-5).rsqrt())), x, y, z, ROWS);
            run(perRow("sums", type, type, COLUMNS, e -> e.to(ValueType.F32).sum(1).to(type)), x, y, z, ROWS);
            run(perRow("argmax", type, ValueType.I64, COLUMNS, e -> e.argMax(1)), x, y, z, ROWS);
        }
        if (!wants("transpose")) {
            return;
        }
        try (Buffer<byte[]> x = gpu.bytes((long) SIDE * SIDE * type.bytes());
                Buffer<byte[]> y = gpu.bytes(x.bytes()); Buffer<byte[]> z = gpu.bytes(x.bytes())) {
            fill(x, type);
            for (int[] tile : new int[][] {{64, 64}, {64, 128}, {128, 64}, {128, 128}}) {
                run(transpose(type, tile[0], tile[1]), x, y, z, SIDE);
            }
        }
    }

    private void wide(ValueType type) {
        if (!wants("wide softmax")) {
            return;
        }
        try (Buffer<byte[]> x = gpu.bytes((long) SIDE * WIDE * type.bytes());
                Buffer<byte[]> y = gpu.bytes(x.bytes()); Buffer<byte[]> z = gpu.bytes(x.bytes())) {
            fill(x, type);
            run(rows("wide softmax", type, WIDE, (e, _) -> softmax(e)), x, y, z, SIDE);
        }
    }

    private boolean wants(String name) {
        return names.isEmpty() || names.stream().anyMatch(name::startsWith);
    }

    /** @param perRow whether a row gives one number @param turned whether rows become columns */
    private record Case(String name, TileKernel kernel, ValueType type, ValueType result, int columns,
            boolean perRow, boolean turned) { }

    private static Tile softmax(Tile x) {
        Tile e = x.minus(x.max()).exp();
        return e.dividedBy(e.sum());
    }

    private static Tile layerNorm(Tile x) {
        Tile centred = x.minus(x.sum().times(1.0 / COLUMNS));
        return centred.times(centred.times(centred).sum().times(1.0 / COLUMNS).plus(1e-5).rsqrt());
    }

    private static Case rows(String name, ValueType type, int width, BiFunction<Tile, Tile, Tile> function) {
        return new Case(name, TileKernel.of(name.replace(' ', '_').toLowerCase(Locale.ROOT), k -> {
            Dim rows = k.dim("rows");
            Tensor x = k.in("x", type, rows, Dim.of(width));
            Tensor y = k.out("y", type, rows, Dim.of(width));
            Tensor bias = name.equals("gelu") ? k.in("bias", type, Dim.of(width)) : null;
            k.forEachRow(x, row -> y.storeRow(row, function.apply(x.row(row).to(ValueType.F32), bias == null ? null
                    : bias.tile().to(ValueType.F32)).to(type)));
        }), type, type, width, false, false);
    }

    /** One number for each row. */
    private static Case perRow(String name, ValueType type, ValueType result, int width,
            UnaryOperator<Tile> function) {
        int together = 4;
        return new Case(name, TileKernel.of(name, k -> {
            Dim rows = k.dim("rows");
            Tensor x = k.in("x", type, rows, Dim.of(width));
            Tensor y = k.out("y", result, rows);
            k.forEachTile(y, together, at -> y.store(at, function.apply(x.tile(at.get(0), Span.all(Dim.of(width))))
                    .reshaped(together)));
        }), type, result, width, true, false);
    }

    private static Case transpose(ValueType type, int rowsOfTile, int columnsOfTile) {
        return new Case("transpose " + rowsOfTile + "x" + columnsOfTile, TileKernel.of("transpose", k -> {
            Dim rows = k.dim("rows");
            Dim columns = k.dim("columns");
            Tensor x = k.in("x", type, rows, columns);
            Tensor y = k.out("y", type, columns, rows);
            k.forEachTile(y, rowsOfTile, columnsOfTile, at -> y.store(at, x.tile(at.column(), at.row())
                    .transposed()));
        }), type, type, SIDE, false, true);
    }

    private void run(Case what, Buffer<byte[]> x, Buffer<byte[]> y, Buffer<byte[]> copy, int rows) {
        if (!wants(what.name)) {
            return;
        }
        long bytes = x.bytes() + (what.perRow ? (long) rows * what.result.bytes() : x.bytes());
        for (String schedule : schedules) {
            try (ArrayKernel kernel = gpu.load(what.kernel.with(Schedule.parse(schedule)))) {
                Runnable mine = launch(kernel, what, x, y, rows);
                y.fill((byte) 0xEE);
                mine.run();
                stream.synchronize();
                String verdict = what.turned ? turned(what, x, y) : check(what, x, y);
                passed &= verdict.isEmpty();
                List<Double> ours = new ArrayList<>();
                List<Double> copies = new ArrayList<>();
                for (int i = 0; i < ROUNDS; i++) {
                    ours.add(time(mine));
                    copies.add(time(() -> stream.copy(x, copy)));
                }
                ours.sort(null);
                copies.sort(null);
                double rate = bytes / ours.get(ROUNDS / 2) / 1e6;
                double copied = 2 * x.bytes() / copies.get(ROUNDS / 2) / 1e6;
                System.out.printf(Locale.ROOT, "%-17s %-4s %d x %d, %-12s %.3f ms, %.0f GB/s, %.3f of cuMemcpy%s%n",
                        what.name, what.type, rows, what.columns, schedule, ours.get(ROUNDS / 2), rate, rate / copied,
                        verdict);
            } catch (RuntimeException e) {
                System.out.println(what.name + " " + what.type + " " + schedule + ": " + e.getMessage());
            }
        }
    }

    private Runnable launch(ArrayKernel kernel, Case what, Buffer<byte[]> x, Buffer<byte[]> y, int rows) {
        ArrayKernel.GpuLaunch launch = kernel.launch().on(stream).set("x", x, rows, what.columns);
        if (what.name.equals("gelu")) {
            launch.set("bias", x.slice(0, (long) what.columns * what.type.bytes()), what.columns);
        }
        if (what.perRow) {
            launch.set("y", y.slice(0, (long) rows * what.result.bytes()), rows);
        } else if (what.turned) {
            launch.set("y", y, what.columns, rows);
        } else {
            launch.set("y", y, rows, what.columns);
        }
        return launch.prepare()::start;
    }

    private static String check(Case what, Buffer<byte[]> x, Buffer<byte[]> y) {
        int checked = what.columns == WIDE ? 4 : CHECKED;
        int rowBytes = what.columns * what.type.bytes();
        byte[] in = new byte[checked * rowBytes];
        byte[] out = new byte[what.perRow ? checked * what.result.bytes() : in.length];
        byte[] wanted = new byte[out.length];
        x.slice(0, in.length).download(in);
        y.slice(0, out.length).download(out);
        CpuLaunch launch = what.kernel.onCpu().set("x", MemorySegment.ofArray(in), checked, what.columns);
        if (what.name.equals("gelu")) {
            launch.set("bias", MemorySegment.ofArray(in).asSlice(0, rowBytes), what.columns);
        }
        if (what.perRow) {
            launch.set("y", MemorySegment.ofArray(wanted), checked);
        } else {
            launch.set("y", MemorySegment.ofArray(wanted), checked, what.columns);
        }
        launch.run();
        int at = Arrays.mismatch(out, wanted);
        return at < 0 ? "" : ", WRONG at byte " + at;
    }

    /** Some whole rows of a transposed matrix, element by element. */
    private static String turned(Case what, Buffer<byte[]> x, Buffer<byte[]> y) {
        int each = what.type.bytes();
        byte[] in = new byte[(int) x.bytes()];
        x.download(in);
        byte[] row = new byte[SIDE * each];
        for (int c = 0; c < SIDE; c += 61) {
            y.slice((long) c * row.length, row.length).download(row);
            for (int i = 0; i < row.length; i++) {
                if (row[i] != in[(i / each * SIDE + c) * each + i % each]) {
                    return ", WRONG in row " + c;
                }
            }
        }
        return "";
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

    /** Normally distributed numbers, 16 MiB of them again and again. */
    private static void fill(Buffer<byte[]> buffer, ValueType type) {
        SplittableRandom random = new SplittableRandom(1);
        byte[] some = new byte[1 << 24];
        for (int i = 0; i < some.length / type.bytes(); i++) {
            int bits = Float.floatToRawIntBits((float) random.nextGaussian());
            int word = type == ValueType.F32 ? bits : bits >>> 16;
            for (int b = 0; b < type.bytes(); b++) {
                some[i * type.bytes() + b] = (byte) (word >> 8 * b);
            }
        }
        buffer.slice(0, some.length).upload(some);
        for (long done = some.length; done < buffer.bytes(); done *= 2) {
            buffer.slice(0, done).copyTo(buffer.slice(done, done));
        }
    }
}
