package dev.tilewright.gputest.race;

import dev.tilewright.gpu.Gpu;
import java.nio.file.Path;
import java.util.List;

/**
 * Data larger than the GPU through a kernel: pinned memory in place, and a mapped file that lies in the page cache, by
 * the streamer and by {@code streaming.cpp}, and by what pinned copies both ways at once reach in the same run.
 */
final class StreamingRace implements AutoCloseable {
    /** Bytes of a slab and streams of a GPU with which the rivals were found fastest on an H200 with 16 cores. */
    private static final String PINNED = (64L << 20) + " 3 ";
    private static final String FILE = (4L << 20) + " 14 ";
    private static final int PASSES = 2;

    private final List<Gpu> gpus;
    private final int rounds;
    private final Rival rival;
    private final Table table;
    private final long bytes;
    private final long fileBytes;
    private final StreamingSide ours;

    /**
     * Pins memory.
     *
     * @param gpus one or more
     * @param bytes of pinned memory
     * @param fileBytes of the file, at most as many
     */
    StreamingRace(List<Gpu> gpus, RaceKernels kernels, long bytes, long fileBytes, int rounds, Rival rival,
            Table table) {
        this.gpus = gpus;
        this.rounds = rounds;
        this.rival = rival;
        this.table = table;
        this.bytes = bytes;
        this.fileBytes = fileBytes;
        this.ours = new StreamingSide(gpus, kernels, bytes);
    }

    /**
     * Runs all subjects and prints their rows.
     *
     * @param both pinned copies both ways at once, each, in GB/s
     * @param folder where a file of that size may be written
     */
    void run(double both, Path folder) {
        Turns one = pinned(1);
        rows(one, "streaming " + size(bytes) + " from pinned memory", both, 0.9);
        twoGpus(one);
        Path file = folder.resolve("streamed");
        StreamingSide.write(file, fileBytes);
        Turns mapped = Turns.take(rounds, () -> Figure.of(ours.file(1, fileBytes, PASSES, file, true, s -> s)),
                () -> rival.measure(command("file", fileBytes, FILE, 1) + " " + file));
        rows(mapped, "streaming " + size(fileBytes) + " from a mapped file", both, 0.6);
    }

    /**
     * Both GPUs copy from and to the same memory, which bounds what they reach together; where the kernel takes longer
     * than the copies, it does not.
     */
    private void twoGpus(Turns one) {
        if (gpus.size() < 2) {
            table.missing("  by two GPUs", "this machine has one");
            return;
        }
        Turns two = pinned(2);
        table.share("  by two GPUs, bound by the host's memory", "GB/s each way", two.ours(), two.theirs(),
                one.ours().median(), "one", 0);
        table.rate("  by two GPUs, beside C++", "GB/s each way", two.ours(), two.theirs(), 0);
        Turns slow = computed(1);
        Turns both = computed(2);
        table.rate("a kernel longer than its copies, one GPU", "GB/s each way", slow.ours(), slow.theirs(), 0);
        table.rate("  by two GPUs, beside C++", "GB/s each way", both.ours(), both.theirs(), 0);
        table.share("  by two GPUs", "GB/s each way", both.ours(), both.theirs(), slow.ours().median(), "one", 1.8);
    }

    private Turns computed(int count) {
        long part = bytes / 4;
        return Turns.take(rounds, () -> Figure.of(ours.computed(count, part, PASSES)),
                () -> rival.measure(command("computed", part, PINNED, count)));
    }

    private Turns pinned(int count) {
        return Turns.take(rounds, () -> Figure.of(ours.pinned(count, bytes, PASSES, s -> s)),
                () -> rival.measure(command("pinned", bytes, PINNED, count)));
    }

    private static String size(long bytes) {
        return bytes >= 1L << 30 ? (bytes >> 30) + " GiB" : (bytes >> 20) + " MiB";
    }

    private static String command(String kind, long bytes, String sizes, int gpus) {
        return "stream " + kind + " " + bytes + " " + sizes + gpus + " " + PASSES;
    }

    private void rows(Turns turns, String subject, double both, double bound) {
        table.share(subject, "GB/s each way", turns.ours(), turns.theirs(), both, "pinned both ways", bound);
        table.rate("  beside C++", "GB/s each way", turns.ours(), turns.theirs(), 0);
    }

    @Override
    public void close() {
        ours.close();
    }
}
