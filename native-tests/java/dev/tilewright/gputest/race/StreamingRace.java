package dev.tilewright.gputest.race;

import dev.tilewright.builder.Scalars;
import dev.tilewright.builder.VectorCopy;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.PinnedMemory;
import dev.tilewright.gpu.streaming.Streamer;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.ElementStep;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/**
 * Data larger than the GPU through a kernel: pinned memory in place, and a mapped file that lies in the page cache,
 * by the streamer and by {@code streaming.cpp}, and by what pinned copies both ways at once reach in the same run.
 * Every word is checked after each pass.
 */
final class StreamingRace implements AutoCloseable {
    private static final VectorCopy ADD = VectorCopy.of(ElementType.U32).step(ElementStep.ADD).build();
    private static final int SEED = 13;
    private static final int FIRST_VALUE = 1000;
    /** Bytes of a slab and streams of a GPU with which the rivals were found fastest. */
    private static final String PINNED = (32L << 20) + " 4 ";
    private static final String FILE = (16L << 20) + " 8 ";
    private static final int PASSES = 2;

    private final Gpu gpu;
    private final int rounds;
    private final Rival rival;
    private final Table table;
    private final long bytes;
    private final long fileBytes;
    private final PinnedMemory pinned;

    /**
     * Allocates pinned memory, for as long as it is not closed: locking its pages takes far longer than a pass.
     *
     * @param bytes of pinned memory
     * @param fileBytes of the file, at most as many
     */
    StreamingRace(Gpu gpu, long bytes, long fileBytes, int rounds, Rival rival, Table table) {
        this.gpu = gpu;
        this.rounds = rounds;
        this.rival = rival;
        this.table = table;
        this.bytes = bytes;
        this.fileBytes = fileBytes;
        this.pinned = gpu.pinned(bytes);
    }

    /**
     * Runs all subjects and prints their rows.
     *
     * @param both pinned copies both ways at once, each, in GB/s
     * @param folder where a file of that size may be written
     */
    void run(double both, Path folder) {
        Turns one = Turns.take(rounds, () -> inPlace(List.of(gpu)),
                () -> rival.measure(command("pinned", bytes, PINNED, 1)));
        rows(one, "streaming " + size(bytes) + " from pinned memory", both, 0.9);
        if (Gpu.list().size() > 1) {
            try (Gpu other = Gpu.open(1)) {
                Turns two = Turns.take(rounds, () -> inPlace(List.of(gpu, other)),
                        () -> rival.measure(command("pinned", bytes, PINNED, 2)));
                table.share("  by two GPUs", "GB/s each way", two.ours(), two.theirs(), one.ours().median(), "one",
                        1.8);
                table.rate("  by two GPUs, beside C++", "GB/s each way", two.ours(), two.theirs(), 0);
            }
        } else {
            table.missing("  by two GPUs", "this machine has one");
        }
        Path file = write(folder);
        Turns mapped = Turns.take(rounds, () -> fromFile(file),
                () -> rival.measure(command("file", fileBytes, FILE, 1) + " " + file));
        rows(mapped, "streaming " + size(fileBytes) + " from a mapped file", both, 0.6);
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

    /** Each pass adds another value, so that what an earlier one left is not taken for this one's. */
    private Figure inPlace(List<Gpu> gpus) {
        MemorySegment memory = pinned.segment();
        Pattern.fill(memory, SEED);
        double[] rates = new double[PASSES];
        int added = 0;
        for (int pass = 0; pass < PASSES; pass++) {
            long begin = System.nanoTime();
            stream(gpus, FIRST_VALUE + pass, memory, memory);
            rates[pass] = bytes / (double) (System.nanoTime() - begin);
            added += FIRST_VALUE + pass;
            Pattern.expect("streamed in place", memory, SEED, added);
        }
        return Figure.of(rates);
    }

    /** The file is mapped anew in each pass, and that is timed, too. */
    private Figure fromFile(Path file) {
        MemorySegment target = pinned.segment().asSlice(0, fileBytes);
        double[] rates = new double[PASSES];
        for (int pass = 0; pass < PASSES; pass++) {
            long begin = System.nanoTime();
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
                    Arena arena = Arena.ofShared()) {
                MemorySegment mapped = channel.map(FileChannel.MapMode.READ_ONLY, 0, fileBytes, arena);
                stream(List.of(gpu), FIRST_VALUE + pass, mapped, target);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            rates[pass] = fileBytes / (double) (System.nanoTime() - begin);
            Pattern.expect("streamed from a file", target, SEED, FIRST_VALUE + pass);
        }
        return Figure.of(rates);
    }

    private static void stream(List<Gpu> gpus, int value, MemorySegment from, MemorySegment to) {
        Streamer.on(gpus).run(ADD, Scalars.ofBits(value), List.of(from.byteSize() / 4), from, to);
    }

    /** Through a mapping, so that it lies in the page cache. */
    private Path write(Path folder) {
        Path file = folder.resolve("streamed");
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ,
                StandardOpenOption.WRITE); Arena arena = Arena.ofShared()) {
            MemorySegment words = channel.map(FileChannel.MapMode.READ_WRITE, 0, fileBytes, arena);
            Pattern.fill(words, SEED);
            words.force();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return file;
    }

    @Override
    public void close() {
        pinned.close();
    }
}
