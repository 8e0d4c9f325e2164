package dev.tilewright.bench.runtime;

import dev.tilewright.bench.result.Row;
import dev.tilewright.bench.result.Spread;
import dev.tilewright.bench.result.Unit;
import dev.tilewright.bench.result.Verdict;
import dev.tilewright.bench.rival.RivalProcess;
import dev.tilewright.gpu.Gpu;
import java.nio.file.Path;
import java.util.List;

/**
 * Data larger than the GPU through a kernel: pinned memory in place, and a mapped file that lies in the page cache, by
 * the streamer and by {@code streaming.cpp}, and by what pinned copies both ways at once reach in the same run.
 */
final class Streaming implements AutoCloseable {
    /** Bytes of a slab and streams of a GPU with which the rivals were found fastest on an H200 with 16 cores. */
    private static final String PINNED = (64L << 20) + " 3 ";
    private static final String FILE = (4L << 20) + " 14 ";
    private static final int PASSES = 2;

    private final List<Gpu> gpus;
    private final int rounds;
    private final RivalProcess rival;
    private final ContenderRows rows;
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
    Streaming(List<Gpu> gpus, RivalKernels kernels, long bytes, long fileBytes, int rounds, RivalProcess rival,
            ContenderRows rows) {
        this.gpus = gpus;
        this.rounds = rounds;
        this.rival = rival;
        this.rows = rows;
        this.bytes = bytes;
        this.fileBytes = fileBytes;
        this.ours = new StreamingSide(gpus, kernels, bytes);
    }

    /**
     * Runs all subjects.
     *
     * @param both pinned copies both ways at once, each, in GB/s
     * @param folder where a file of that size may be written
     */
    void run(double both, Path folder) {
        Turns one = pinned(1);
        share("streaming " + size(bytes) + " from pinned memory", one, both, "pinned copies both ways", 0.9);
        twoGpus(one);
        Path file = folder.resolve("streamed");
        StreamingSide.write(file, fileBytes);
        Turns mapped = Turns.take(rounds, () -> Spread.of(ours.file(1, fileBytes, PASSES, file, true, s -> s)),
                () -> rival.measure(command("file", fileBytes, FILE, 1) + " " + file));
        share("streaming " + size(fileBytes) + " from a mapped file", mapped, both, "pinned copies both ways", 0.6);
    }

    /**
     * Both GPUs copy from and to the same memory, which bounds what they reach together; where the kernel takes longer
     * than the copies, it does not.
     */
    private void twoGpus(Turns one) {
        if (gpus.size() < 2) {
            rows.add(Row.notRun("transfer", "streaming by two GPUs", Row.OURS, Unit.GIGABYTES_PER_SECOND,
                    "this machine has one GPU"));
            return;
        }
        share("streaming by two GPUs, bound by the host's memory", pinned(2), one.ours().median(), "one GPU", null);
        Turns slow = computed(1);
        Turns both = computed(2);
        rows.both("a kernel longer than its copies, one GPU", Unit.GIGABYTES_PER_SECOND, slow, Verdict.VERIFIED, null);
        share("a kernel longer than its copies, two GPUs", both, slow.ours().median(), "one GPU", 1.8);
    }

    /** Both sides, and ours as a share of something else of ours besides. */
    private void share(String subject, Turns turns, double whole, String of, Double demanded) {
        rows.theirs(subject, Unit.GIGABYTES_PER_SECOND, turns.theirs(), Verdict.VERIFIED);
        rows.add(rows.row(subject, Row.OURS, Unit.GIGABYTES_PER_SECOND, turns.ours(), Verdict.VERIFIED)
                .beside(of, whole, demanded), turns.theirs(), null);
    }

    private Turns computed(int count) {
        long part = bytes / 4;
        return Turns.take(rounds, () -> Spread.of(ours.computed(count, part, PASSES)),
                () -> rival.measure(command("computed", part, PINNED, count)));
    }

    private Turns pinned(int count) {
        return Turns.take(rounds, () -> Spread.of(ours.pinned(count, bytes, PASSES, s -> s)),
                () -> rival.measure(command("pinned", bytes, PINNED, count)));
    }

    private static String size(long bytes) {
        return bytes >= 1L << 30 ? (bytes >> 30) + " GiB" : (bytes >> 20) + " MiB";
    }

    private static String command(String kind, long bytes, String sizes, int gpus) {
        return "stream " + kind + " " + bytes + " " + sizes + gpus + " " + PASSES;
    }

    @Override
    public void close() {
        ours.close();
    }
}
