package dev.tilewright.bench.suite;

import dev.tilewright.BadRequestException;
import dev.tilewright.bench.Bench;
import dev.tilewright.bench.Settings;
import dev.tilewright.bench.Suite;
import dev.tilewright.bench.device.CopyArrays;
import dev.tilewright.bench.device.DeviceTurns;
import dev.tilewright.bench.result.Row;
import dev.tilewright.bench.result.Spread;
import dev.tilewright.bench.result.Unit;
import dev.tilewright.bench.result.Verdict;
import dev.tilewright.bench.rival.RivalSides;
import dev.tilewright.builder.Mechanism;
import dev.tilewright.gpu.Buffer;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.Kernel;
import dev.tilewright.gpu.KernelLaunch;
import dev.tilewright.program.Launch;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * How fast kernels copy an array on the device, against the device's own copy and against the memory's rating. Each is
 * measured in turns with cuMemcpy, so that the ratio is of the same moments.
 */
public final class CopySuite extends Suite {
    private final Supplier<List<CopyRow>> rows;
    private final Optional<RivalSides> rivals;

    private CopySuite(String name, String description, Supplier<List<CopyRow>> rows,
            Optional<RivalSides> rivals) {
        super(name, description, true);
        this.rows = rows;
        this.rivals = rivals;
    }

    /** The builders as they are when a user chooses nothing. @param rivals beside whom each stands */
    public static CopySuite ofDefaults(List<Mechanism<?>> mechanisms, RivalSides rivals) {
        return new CopySuite("copy", "copies on the device by every mechanism, against cuMemcpy, C++ and the rating",
                () -> CopyRows.defaults(mechanisms), Optional.of(rivals));
    }

    /** Every combination of what builders say to sweep. */
    public static CopySuite ofCombinations(List<Mechanism<?>> mechanisms) {
        return new CopySuite("sweep", "the same by every tile, stages and grid that the builders declare",
                () -> CopyRows.sweep(mechanisms), Optional.empty());
    }

    @Override
    public void run(Bench bench) {
        Gpu gpu = bench.gpu();
        Optional<CopyRivals> beside = rivals.map(sides -> new CopyRivals(bench, name(), sides));
        for (long bytes : bench.settings().sizes(1L << 30)) {
            bench.attempt(name(), "copy", Row.OURS, Unit.GIGABYTES_PER_SECOND,
                    () -> run(bench, gpu, bytes, beside));
        }
    }

    private void run(Bench bench, Gpu gpu, long bytes, Optional<CopyRivals> beside) {
        Settings settings = bench.settings();
        List<CopyRow> all = rows.get();
        try (CopyArrays arrays = new CopyArrays(gpu, bytes, settings.seed());
                DeviceTurns turns = new DeviceTurns(gpu, settings.warmUpMillis())) {
            for (int i = 0; i < all.size(); i++) {
                CopyRow row = all.get(i);
                bench.progress().at("copying " + (bytes >> 20) + " MiB", i, all.size());
                bench.attempt(name(), row.name(), Row.OURS, Unit.GIGABYTES_PER_SECOND,
                        () -> measure(bench, gpu, row, arrays, turns, beside));
            }
            beside.ifPresent(rivals -> rivals.others(bytes));
            bench.progress().at("copying " + (bytes >> 20) + " MiB", all.size(), all.size());
        }
    }

    private void measure(Bench bench, Gpu gpu, CopyRow row, CopyArrays arrays, DeviceTurns turns,
            Optional<CopyRivals> beside) {
        if (row.copied(arrays.bytes()) == 0) {
            throw new BadRequestException("an array of " + (arrays.bytes() >> 20) + " MiB is smaller than one plane of "
                    + row.parameters().entrySet().stream().map(one -> one.getKey() + " " + one.getValue())
                            .collect(Collectors.joining(", ")) + ": choose a larger size");
        }
        try (Kernel kernel = gpu.load(row.kernel())) {
            int resident = kernel.residentBlocks();
            Launch launch = row.launch(arrays.bytes(), resident);
            List<KernelLaunch> launches = new ArrayList<>();
            try (Buffer<byte[]> workspace = gpu.bytes(row.kernel().workspaceBytes(launch))) {
                for (int place = 0; place < arrays.pairs(); place++) {
                    Buffer<byte[]> from = arrays.source(place).slice(row.shift(), row.copied(arrays.bytes()));
                    Buffer<byte[]> to = arrays.result(place).slice(row.shift(), row.copied(arrays.bytes()));
                    launches.add((workspace.bytes() == 0 ? kernel.prepare(launch, from, to)
                            : kernel.prepare(launch, from, to, workspace)).on(turns.stream()));
                }
                DeviceTurns.Work memcpy = (stream, place) -> stream.copy(arrays.source(place), arrays.result(place));
                arrays.spoil();
                for (int place = 0; place < arrays.pairs(); place++) {
                    memcpy.start(turns.stream(), place);
                }
                long wrongOfMemcpy = arrays.differing();
                arrays.spoil();
                List<Spread> micros = turns.take(bench.settings().turns(), List.of(memcpy,
                        (_, place) -> launches.get(place % launches.size()).start()));
                arrays.spoil();
                launches.forEach(KernelLaunch::start);
                arrays.copyAllBut(row.shift(), row.copied(arrays.bytes()));
                Row theirs = row(row, Row.MEMCPY, micros.get(0), arrays.bytes(), arrays, wrongOfMemcpy);
                bench.add(theirs);
                Row ours = row(row, Row.OURS, micros.get(1), row.copied(arrays.bytes()), arrays, arrays.differing())
                        .with(row.parameters()).by(row.schedule().apply(resident)).by("blocks", launch.blocks())
                        .beside(theirs, row.demandedOf(arrays.bytes()))
                        .beside("rating", bench.machine().ratedGigabytesPerSecond(), null);
                bench.add(ours.isCorrect() ? beside.map(rivals -> rivals.beside(ours, arrays.bytes())).orElse(ours)
                        : ours);
            }
        }
    }

    /** @param bytes of the array that it copies @param wrong words of what it has copied to */
    private Row row(CopyRow row, String side, Spread micros, long bytes, CopyArrays arrays, long wrong) {
        return Row.of(name(), row.name(), side, Unit.GIGABYTES_PER_SECOND, micros.gigabytesPerSecond(2 * bytes),
                wrong == 0 ? Verdict.VERIFIED : Verdict.WRONG).moving(2 * bytes).with("size", arrays.bytes())
                .noting(wrong == 0 ? "" : wrong + " of " + arrays.bytes() / 4 + " words are wrong");
    }
}
