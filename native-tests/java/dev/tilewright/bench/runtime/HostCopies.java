package dev.tilewright.bench.runtime;

import dev.tilewright.bench.result.Row;
import dev.tilewright.bench.result.Spread;
import dev.tilewright.bench.result.Unit;
import dev.tilewright.bench.result.Verdict;
import dev.tilewright.bench.rival.RivalProcess;
import dev.tilewright.gpu.ArrayType;
import dev.tilewright.gpu.Buffer;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.PinnedMemory;
import dev.tilewright.gpu.Stream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Copies between host and device, as {@code copies.cpp} makes them: between pinned memory and the device on streams,
 * and of heap arrays and pageable segments, which the rivals leave to the driver. Every byte is checked after each
 * turn.
 */
final class HostCopies implements AutoCloseable {
    private static final int SEED = 11;
    private static final int TIMES = 10;

    private final Arena arena = Arena.ofShared();
    private final RivalProcess rival;
    private final ContenderRows rows;
    private final int rounds;
    private final long large;
    private final int small;
    private final Buffer<byte[]> upper;
    private final Buffer<byte[]> lower;
    private final MemorySegment source;
    private final MemorySegment target;
    private final PinnedMemory pinnedSource;
    private final PinnedMemory pinnedTarget;
    private final Stream up;
    private final Stream down;

    /**
     * Allocates what is copied.
     *
     * @param large bytes of a piece of pinned memory, and of a pageable segment
     * @param small bytes of a Java array
     */
    HostCopies(Gpu gpu, long large, int small, int rounds, RivalProcess rival, ContenderRows rows) {
        this.rival = rival;
        this.rows = rows;
        this.rounds = rounds;
        this.large = large;
        this.small = small;
        this.upper = gpu.allocate(ArrayType.BYTES, large);
        this.lower = gpu.allocate(ArrayType.BYTES, large);
        this.pinnedSource = gpu.pinned(large);
        this.pinnedTarget = gpu.pinned(large);
        this.source = pinnedSource.segment();
        this.target = pinnedTarget.segment();
        this.up = gpu.nonBlockingStream();
        this.down = gpu.nonBlockingStream();
        Pattern.fill(source, SEED);
        lower.upload(source);
    }

    /** Runs all subjects turn by turn. @return GB/s of each way when both go at once, of the faster side */
    double run() {
        Turns toDevice = pinned("up", () -> {
            up.upload(source, upper);
            up.synchronize();
        });
        Turns toHost = pinned("down", () -> {
            down.download(lower, target);
            down.synchronize();
        });
        double both = bothWays();
        byte[] array = new byte[small];
        pageable("an array", MemorySegment.ofArray(array), toDevice, toHost, () -> upper.slice(0, small).upload(array),
                () -> lower.slice(0, small).download(array));
        MemorySegment segment = arena.allocate(large, 64);
        pageable("a pageable segment", segment, toDevice, toHost, () -> upper.upload(segment),
                () -> lower.download(segment));
        return both;
    }

    /** Pinned copies both ways at once. @return GB/s of each way, of the faster side */
    private double bothWays() {
        return pinned("both", () -> {
            up.upload(source, upper);
            down.download(lower, target);
            up.synchronize();
            down.synchronize();
        }).best();
    }

    private Turns pinned(String way, Runnable copy) {
        boolean goesUp = !way.equals("down");
        boolean goesDown = !way.equals("up");
        Turns turns = Turns.take(rounds, () -> measure(large, copy, () -> clear(target), () -> {
            if (goesDown) {
                Pattern.expect("pinned copy down", target, SEED, 0);
            }
            if (goesUp) {
                clear(target);
                upper.download(target);
                Pattern.expect("pinned copy up", target, SEED, 0);
            }
        }), () -> rival.measure("copy pinned " + way + " " + large + " " + TIMES));
        String subject = "pinned copies " + way + (way.equals("both") ? " ways at once, each" : "");
        rows.both(subject, Unit.GIGABYTES_PER_SECOND, turns, Verdict.VERIFIED, 0.97);
        return turns;
    }

    private void pageable(String what, MemorySegment memory, Turns pinnedUp, Turns pinnedDown, Runnable upload,
            Runnable download) {
        long bytes = memory.byteSize();
        String size = " of " + (bytes >> 20) + " MiB";
        Turns there = Turns.take(rounds, () -> measure(bytes, upload, () -> Pattern.fill(memory, SEED), () -> {
            upper.slice(0, bytes).download(target.asSlice(0, bytes));
            Pattern.expect(what + " up", target.asSlice(0, bytes), SEED, 0);
        }), () -> rival.measure("copy pageable up " + bytes + " " + TIMES));
        add(what + size + " up", there, pinnedUp);
        Turns back = Turns.take(rounds, () -> measure(bytes, download, () -> clear(memory),
                () -> Pattern.expect(what + " down", memory, SEED, 0)),
                () -> rival.measure("copy pageable down " + bytes + " " + TIMES));
        add(what + size + " down", back, pinnedDown);
    }

    private void add(String subject, Turns turns, Turns pinned) {
        rows.theirs(subject, Unit.GIGABYTES_PER_SECOND, turns.theirs(), Verdict.VERIFIED);
        rows.add(rows.row(subject, Row.OURS, Unit.GIGABYTES_PER_SECOND, turns.ours(), Verdict.VERIFIED)
                .beside("pinned", pinned.ours().median(), 0.5), turns.theirs(), 1.0);
    }

    /** Clears what is on the device, too, so that what an earlier turn left is not taken for this one's. */
    private Spread measure(long bytes, Runnable copy, Runnable before, Runnable check) {
        before.run();
        up.fill(upper, (byte) 0xEE);
        up.synchronize();
        double[] rates = new double[TIMES];
        for (int i = -2; i < TIMES; i++) {
            long begin = System.nanoTime();
            copy.run();
            long end = System.nanoTime();
            if (i >= 0) {
                rates[i] = bytes / (double) (end - begin);
            }
        }
        check.run();
        return Spread.of(rates);
    }

    private static void clear(MemorySegment memory) {
        memory.fill((byte) 0xEE);
    }

    @Override
    public void close() {
        up.close();
        down.close();
        pinnedSource.close();
        pinnedTarget.close();
        upper.close();
        lower.close();
        arena.close();
    }
}
