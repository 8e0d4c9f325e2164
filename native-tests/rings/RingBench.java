import dev.tilewright.bench.device.DeviceTurns;
import dev.tilewright.bench.device.TileArrays;
import dev.tilewright.bench.result.Spread;
import dev.tilewright.builder.Schedule;
import dev.tilewright.gpu.ArrayKernel;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.KernelLaunch;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.kernel.Gemm;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Times a product of square matrices of normally distributed numbers by several schedules, in turns. Arguments: a
 * title, the extent, the factors' type, {@code nn} or {@code nt} (whether the right factor is given transposed), how
 * many turns, and schedules ({@code default}, or options with commas between them). The first schedule's bytes are
 * compared with the executor's, those of the others with the first's.
 */
public final class RingBench {
    private RingBench() {
    }

    public static void main(String[] arguments) {
        long extent = Long.parseLong(arguments[1]);
        Gemm gemm = Gemm.of(ValueType.valueOf(arguments[2]));
        TileKernel kernel = (arguments[3].equals("nt") ? gemm.withTransposedB() : gemm).kernel();
        try (Gpu gpu = Gpu.open(); TileArrays arrays = new TileArrays(gpu, kernel, Map.of("m", extent, "n", extent,
                "k", extent), 1); DeviceTurns times = new DeviceTurns(gpu, 60)) {
            List<String> names = new ArrayList<>();
            List<String> bytes = new ArrayList<>();
            List<ArrayKernel> kernels = new ArrayList<>();
            List<DeviceTurns.Work> works = new ArrayList<>();
            for (String text : Arrays.asList(arguments).subList(5, arguments.length)) {
                try {
                    ArrayKernel loaded = gpu.load(kernel.with(text.equals("default") ? Schedule.DEFAULT
                            : Schedule.parse(text.replace(',', ' '))));
                    kernels.add(loaded);
                    List<KernelLaunch> launches = new ArrayList<>();
                    for (int set = 0; set < arrays.sets(); set++) {
                        launches.add(arrays.launch(loaded, set).on(times.stream()).prepare());
                    }
                    arrays.spoil();
                    launches.forEach(KernelLaunch::start);
                    times.stream().synchronize();
                    bytes.add(names.isEmpty() ? arrays.expectResults().orElse("the executor's")
                            : arrays.differing() == 0 ? "the same" : "OTHERS");
                    names.add(text);
                    works.add((_, place) -> launches.get(place % launches.size()).start());
                } catch (IllegalArgumentException e) {
                    System.out.println(text + ": " + e.getMessage());
                }
            }
            List<Spread> spreads = times.take(Integer.parseInt(arguments[4]), works);
            for (int i = 0; i < names.size(); i++) {
                double micros = spreads.get(i).median();
                System.out.printf(Locale.ROOT, "%s %s %s %d %s: %.1f us, %.1f TFLOP/s, bytes %s%n", arguments[0],
                        arguments[2].toLowerCase(Locale.ROOT), arguments[3], extent, names.get(i), micros,
                        2.0 * extent * extent * extent / micros * 1e-6, bytes.get(i));
            }
            kernels.forEach(ArrayKernel::close);
        }
    }
}
