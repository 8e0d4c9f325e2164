package llama;

import dev.tilewright.gpu.Gpu;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Measures decoding on a GPU: the time of a step, and what part of it reading the weights once takes at the rate at
 * which the driver copies memory.
 */
public final class Measure {
    private static final int STARTS = 20;
    private static final int STEPS = 64;

    private Measure() {
    }

    /** @param args the model, then the context, then batches: {@code 1b 256 1 16 64} */
    public static void main(String[] args) throws IOException {
        int context = Integer.parseInt(args[1]);
        int[] batches = Arrays.stream(args).skip(2).mapToInt(Integer::parseInt).toArray();
        int most = Arrays.stream(batches).max().orElseThrow();
        try (Arena arena = Arena.ofShared(); Gpu gpu = Gpu.open(); GpuDevice device = new GpuDevice(gpu)) {
            Source source = Source.of(args[0], 1, arena);
            double bytes = 2.0 * source.config().parameters();
            double rate = device.copyRate();
            say("%s, %s; %s", gpu.name(), args[0], source.note());
            say("%.0f parameters, %.3f GB of weights; cuMemcpy moves %.0f GB/s: reading them once takes %.1f us",
                    bytes / 2, bytes / 1e9, rate / 1e9, bytes / rate * 1e6);
            int pages = most * Math.ceilDiv(context + STEPS, Kernels.PAGE);
            try (Model model = new Model(device, source.config(), source.weights(),
                    new Model.Limits(Math.max(512, most), most, most), pages)) {
                for (int batch : batches) {
                    measure(device, model, batch, context, bytes / rate);
                }
            }
        }
    }

    private static void measure(GpuDevice device, Model model, int batch, int context, double reading) {
        SplittableRandom random = new SplittableRandom(batch);
        List<Cache.Sequence> sequences = new ArrayList<>();
        for (int i = 0; i < batch; i++) {
            Cache.Sequence sequence = model.cache().open();
            sequences.add(sequence);
            int[] prompt = random.ints(context, 0, model.config().vocabulary()).toArray();
            for (int from = 0; from < context; from += 512) {
                model.run(List.of(new Model.Feed(sequence, Arrays.copyOfRange(prompt, from,
                        Math.min(context, from + 512)), Model.Wanted.NONE)));
            }
        }
        int[] token = new int[batch];
        long begin = 0;
        for (int step = 0; step < STEPS; step++) {
            begin = step == STEPS / 2 ? System.nanoTime() : begin;
            List<Model.Feed> feeds = new ArrayList<>();
            for (int i = 0; i < batch; i++) {
                feeds.add(new Model.Feed(sequences.get(i), new int[] {token[i]}, Model.Wanted.LAST));
            }
            List<float[]> logits = model.run(feeds);
            for (int i = 0; i < batch; i++) {
                token[i] = Sampler.GREEDY.choose(logits.get(i), 0);
            }
        }
        double host = (System.nanoTime() - begin) / 1e9 / (STEPS - STEPS / 2);
        List<Device.Call> calls = model.calls(batch, batch, batch, context + STEPS);
        double step = device.seconds(calls, STARTS);
        say("batch %d, %d tokens before: a step %.1f us of the GPU, %.1f tokens/s, %.3f of reading the weights; with "
                + "the host between steps %.1f us", batch, context, step * 1e6, batch / step, reading / step,
                host * 1e6);
        Map<String, List<Device.Call>> kinds = new LinkedHashMap<>();
        calls.forEach(call -> kinds.computeIfAbsent(call.kernel().name() + call.arrays().values().stream()
                .map(a -> a.shape().extents().toString()).skip(1).findFirst().orElse(""), _ -> new ArrayList<>())
                .add(call));
        kinds.forEach((name, some) -> say("  %3d x %-28s %.2f us each", some.size(), name,
                device.seconds(some, STARTS) * 1e6 / some.size()));
        sequences.forEach(Cache.Sequence::close);
    }

    private static void say(String format, Object... values) {
        System.out.println(String.format(Locale.ROOT, format, values));
    }
}
