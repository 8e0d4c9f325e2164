package dev.tilewright.gputest.race;

import dev.tilewright.gpu.Buffer;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.PinnedMemory;
import dev.tilewright.gpu.Stream;
import dev.tilewright.gpu.streaming.Streamer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;

/**
 * What the streamer's default sizes were chosen by: rates for several sizes of slabs and numbers of slots and threads,
 * beside copies both ways at once.
 *
 * <pre>StreamingSizes SOURCES GIB PASSES FOLDER</pre>
 *
 * SOURCES is {@code native-tests/rivals}, GIB what is streamed, FOLDER where a file of so much is written.
 */
final class StreamingSizes {

    private StreamingSizes() {
    }

    public static void main(String[] arguments) throws IOException {
        long bytes = (long) (Double.parseDouble(arguments[1]) * (1L << 30)) & -(1L << 20);
        int passes = Integer.parseInt(arguments[2]);
        Path file = Files.createTempFile(Path.of(arguments[3]), "tilewright-streaming", ".bin");
        List<Gpu> gpus = Gpu.choose().openAll();
        try (StreamingSide side = new StreamingSide(gpus, RaceKernels.in(Path.of(arguments[0])), bytes)) {
            bothWays(gpus.getFirst(), Math.min(bytes, 1L << 30));
            print("pinned, as it is", side.pinned(1, bytes, passes, s -> s));
            print("pinned, by a builder's kernel", side.built(1, bytes, passes));
            bothWays(gpus.getFirst(), Math.min(bytes, 1L << 30));
            StreamingSide.write(file, bytes);
            for (boolean mapped : new boolean[] {true, false}) {
                String what = mapped ? "mapped" : "read";
                print(what + ", as it is", side.file(1, bytes, passes, file, mapped, s -> s));
                for (int slab : mapped ? new int[] {2, 4} : new int[] {}) {
                    for (int threads : new int[] {8, 12}) {
                        print(what + ", slabs of " + slab + " MiB, " + threads + " threads",
                                side.file(1, bytes, passes, file, mapped, sizes(slab, 2 * threads, threads)));
                    }
                }
            }
            if (gpus.size() > 1) {
                print("pinned, all GPUs", side.pinned(gpus.size(), bytes, passes, s -> s));
                print("mapped, all GPUs", side.file(gpus.size(), bytes, passes, file, true, s -> s));
            }
        } finally {
            gpus.forEach(Gpu::close);
            Files.delete(file);
        }
    }

    private static UnaryOperator<Streamer> sizes(int slabMiB, int slots, int threads) {
        return s -> threads == 0 ? s.slab((long) slabMiB << 20).slots(slots)
                : s.slab((long) slabMiB << 20).slots(slots).threads(threads);
    }

    private static void bothWays(Gpu gpu, long bytes) {
        try (PinnedMemory from = gpu.pinned(bytes); PinnedMemory to = gpu.pinned(bytes);
                Buffer<byte[]> upper = gpu.bytes(bytes); Buffer<byte[]> lower = gpu.bytes(bytes);
                Stream up = gpu.nonBlockingStream(); Stream down = gpu.nonBlockingStream()) {
            double[] rates = new double[5];
            for (int i = 0; i < rates.length; i++) {
                long begin = System.nanoTime();
                up.upload(from.segment(), upper);
                down.download(lower, to.segment());
                up.synchronize();
                down.synchronize();
                rates[i] = bytes / (double) (System.nanoTime() - begin);
            }
            print("pinned copies both ways at once", rates);
        }
    }

    private static void print(String what, double[] rates) {
        System.out.printf(Locale.ROOT, "%-50s %s GB/s%n", what, Arrays.stream(rates)
                .mapToObj(rate -> String.format(Locale.ROOT, "%6.1f", rate)).toList());
    }
}
