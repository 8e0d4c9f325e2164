package dev.tilewright.bench.suite;

import dev.tilewright.MissingRequirementException;
import dev.tilewright.bench.Bench;
import dev.tilewright.bench.Suite;
import dev.tilewright.bench.device.DeviceTurns;
import dev.tilewright.bench.device.TileArrays;
import dev.tilewright.bench.result.Row;
import dev.tilewright.bench.result.Spread;
import dev.tilewright.bench.result.Unit;
import dev.tilewright.bench.result.Verdict;
import dev.tilewright.bench.rival.CuBlasLt;
import dev.tilewright.bench.rival.PlainProduct;
import dev.tilewright.gpu.ArrayKernel;
import dev.tilewright.gpu.Buffer;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.KernelLaunch;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.TileNode;
import dev.tilewright.tile.kernel.TilePreset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Tile kernels by the schedule that a launch finds: kernels that move memory against cuMemcpy of as many bytes, plain
 * products against the fastest algorithm that cuBLASLt names, turn by turn. Numbers are normally distributed.
 */
public final class TilesSuite extends Suite {
    private static final String CUBLAS_SIDE = "cuBLAS";
    private static final double TURN_MILLIS = 15;

    private final Supplier<List<TilePreset>> presets;

    /** @param presets what is measured, of its types and sizes; asked for when the suite runs */
    public TilesSuite(Supplier<List<TilePreset>> presets) {
        super("tiles", "tile kernels against cuMemcpy, and products against the fastest algorithm of cuBLASLt", true);
        this.presets = presets;
    }

    @Override
    public void run(Bench bench) {
        for (TilePreset preset : presets.get()) {
            for (ValueType type : preset.measuredTypes()) {
                TileKernel kernel = preset.kernel(type);
                for (Map<String, Long> size : preset.sizes(type)) {
                    bench.attempt(name(), preset.title(type), Row.OURS, unit(kernel, size), () ->
                            bench.add(measured(bench, preset, type, size)));
                }
            }
        }
    }

    private static double operations(Map<String, Long> size) {
        return size.keySet().containsAll(List.of("m", "n", "k")) ? 2.0 * size.get("m") * size.get("n") * size.get("k")
                * size.getOrDefault("batch", 1L) : 0;
    }

    private static Unit unit(TileKernel kernel, Map<String, Long> size) {
        return operations(size) > 0 ? Unit.TERAFLOPS : kernel.grid().body().tiles().anyMatch(tile -> tile.node()
                instanceof TileNode.Product) ? Unit.MICROSECONDS : Unit.GIGABYTES_PER_SECOND;
    }

    private Row measured(Bench bench, TilePreset preset, ValueType type, Map<String, Long> size) {
        Gpu gpu = bench.gpu();
        TileKernel kernel = preset.kernel(type);
        Unit unit = unit(kernel, size);
        try (TileArrays arrays = new TileArrays(gpu, kernel, size, bench.settings().seed());
                DeviceTurns turns = unit == Unit.GIGABYTES_PER_SECOND
                        ? new DeviceTurns(gpu, bench.settings().warmUpMillis())
                        : DeviceTurns.sustained(gpu, TURN_MILLIS);
                ArrayKernel loaded = gpu.load(kernel)) {
            List<KernelLaunch> launches = new ArrayList<>();
            for (int set = 0; set < arrays.sets(); set++) {
                launches.add(arrays.launch(loaded, set).on(turns.stream()).prepare());
            }
            DeviceTurns.Work work = (_, place) -> launches.get(place % launches.size()).start();
            arrays.spoil();
            launches.forEach(KernelLaunch::start);
            turns.stream().synchronize();
            Optional<String> complaint = arrays.expectResults();
            Row row = beside(bench, preset, type, size, unit, arrays, turns, work);
            arrays.spoil();
            launches.forEach(KernelLaunch::start);
            turns.stream().synchronize();
            long differing = arrays.differing();
            String wrong = complaint.orElse(differing == 0 ? "" : differing + " words differ from launch to launch");
            return wrong.isEmpty() ? row : row.wrong(wrong);
        }
    }

    private Row beside(Bench bench, TilePreset preset, ValueType type, Map<String, Long> size, Unit unit,
            TileArrays arrays, DeviceTurns turns, DeviceTurns.Work work) {
        int count = bench.settings().turns();
        if (unit == Unit.GIGABYTES_PER_SECOND) {
            long half = Math.ceilDiv(arrays.bytesMoved() / 2, 16L) * 16;
            try (Buffer<byte[]> from = bench.gpu().bytes(half); Buffer<byte[]> to = bench.gpu().bytes(half)) {
                List<Spread> micros = turns.take(count, List.of(work, (stream, _) -> stream.copy(from, to)));
                return row(preset, type, size, unit, arrays, micros.getFirst()).beside(Row.MEMCPY,
                        micros.get(1).gigabytesPerSecond(2 * half).median(), null);
            }
        }
        Optional<PlainProduct> product = PlainProduct.of(preset, type);
        if (product.isEmpty() || !bench.settings().rivals()) {
            return row(preset, type, size, unit, arrays, turns.take(count, List.of(work)).getFirst());
        }
        try (CuBlasLt cuBlas = CuBlasLt.open(turns.stream());
                Buffer<byte[]> theirs = bench.gpu().bytes(arrays.bytes("c"))) {
            List<DeviceTurns.Work> algorithms = product.get().algorithms(cuBlas, arrays, theirs, size, arrays.sets());
            DeviceTurns.Work rival = algorithms.get(turns.fastest(algorithms));
            List<Spread> micros = turns.take(count, List.of(work, rival));
            return row(preset, type, size, unit, arrays, micros.getFirst()).beside(CUBLAS_SIDE,
                    micros.get(1).teraflops(operations(size)).median(), null).by("cuBLASLt", cuBlas.version());
        } catch (MissingRequirementException e) {
            return row(preset, type, size, unit, arrays, turns.take(count, List.of(work)).getFirst())
                    .noting(e.getMessage());
        }
    }

    private Row row(TilePreset preset, ValueType type, Map<String, Long> size, Unit unit, TileArrays arrays,
            Spread micros) {
        Spread figure = switch (unit) {
            case TERAFLOPS -> micros.teraflops(operations(size));
            case GIGABYTES_PER_SECOND -> micros.gigabytesPerSecond(arrays.bytesMoved());
            default -> micros;
        };
        return Row.of(name(), preset.title(type), Row.OURS, unit, figure, Verdict.VERIFIED)
                .moving(arrays.bytesMoved()).computing(operations(size)).with("extents", new TreeMap<>(size).entrySet()
                        .stream().map(extent -> extent.getKey() + "=" + extent.getValue())
                        .collect(Collectors.joining(" ")));
    }
}
