package dev.tilewright.gpu.streaming;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.gpu.Gpu;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** How runs end: well, cancelled, or by what a part of them throws. */
@Timeout(300)
@Isolated("threads are counted by their names")
class StreamRunTest {
    private static final int ROWS = 1000;

    @TempDir
    Path folder;

    private final List<Gpu> gpus = Gpu.emulated(2);
    private final Streamer streamer = Streamer.on(gpus).slab(10).slots(4).threads(2);
    private final byte[] from = new byte[ROWS];
    private final byte[] to = new byte[ROWS];
    private final AtomicInteger open = new AtomicInteger();
    private final AtomicInteger started = new AtomicInteger();

    @AfterEach
    void close() {
        gpus.forEach(Gpu::close);
    }

    private Rows rows() {
        return Rows.of(ROWS).from(HostSource.of(MemorySegment.ofArray(from)), 1)
                .to(HostTarget.of(MemorySegment.ofArray(to)), 1);
    }

    /** Copies, and counts what is open and what was started. @param each is called before each slab */
    private SlabWork copying(Runnable each) {
        return _ -> {
            open.incrementAndGet();
            return new SlabStep() {
                @Override
                public void start(Slab slab) {
                    each.run();
                    started.incrementAndGet();
                    slab.stream().copy(slab.input(), slab.output());
                }

                @Override
                public void close() {
                    open.decrementAndGet();
                }
            };
        };
    }

    private static void await(CountDownLatch latch) {
        try {
            assertTrue(latch.await(3, TimeUnit.MINUTES));
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static final class Wanted extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    @Test
    void whatTheStepThrowsComesOutOfTheRun() {
        Wanted wanted = new Wanted();
        StreamRun run = streamer.start(rows(), copying(() -> {
            if (started.get() >= 20) {
                throw wanted;
            }
        }));
        assertSame(wanted, assertThrows(Wanted.class, run::await));
        assertTrue(run.isDone());
        assertEquals(0, open.get());
        assertTrue(started.get() < 30, () -> "started: " + started);
        assertSame(wanted, assertThrows(ExecutionException.class, () -> run.future().get()).getCause());
        run.close();
    }

    @Test
    void whatOpeningThrowsComesOutOfTheRun() {
        // A slot is opened for its first slab: the threads of other slots leave it one.
        CountDownLatch opening = new CountDownLatch(1);
        assertThrows(Wanted.class, () -> streamer.run(rows(), slot -> {
            if (slot.number() == 3) {
                opening.countDown();
                throw new Wanted();
            }
            return copying(() -> {
                if (slot.number() < 2) {
                    await(opening);
                }
            }).open(slot);
        }));
        assertEquals(0, open.get());
        assertEquals("the work gave no step for slot 0",
                assertThrows(IllegalStateException.class, () -> streamer.threads(1).run(rows(), _ -> null))
                .getMessage());
    }

    @Test
    void errorsComeOutAsTheyAre() {
        assertThrows(AssertionError.class, () -> streamer.run(rows(), copying(() -> {
            throw new AssertionError("wanted");
        })));
        assertEquals(0, open.get());
    }

    @Test
    void aListenerThatThrowsEndsTheRun() {
        assertThrows(Wanted.class, () -> streamer.progress((_, done, _) -> {
            if (done >= 100) {
                throw new Wanted();
            }
        }).run(rows(), copying(() -> { })));
        assertEquals(0, open.get());
    }

    @Test
    void whatGoesWrongInClosingIsReported() {
        SlabWork work = _ -> new SlabStep() {
            @Override
            public void start(Slab slab) {
                // Nothing to do.
            }

            @Override
            public void close() {
                throw new Wanted();
            }
        };
        assertThrows(Wanted.class, () -> streamer.run(rows(), work));
    }

    @Test
    void aCancelledRunStopsSoon() throws Exception {
        CountDownLatch some = new CountDownLatch(10);
        CountDownLatch cancelled = new CountDownLatch(1);
        StreamRun run = streamer.start(rows(), copying(() -> {
            some.countDown();
            if (some.getCount() == 0) {
                await(cancelled);
            }
        }));
        assertTrue(some.await(3, TimeUnit.MINUTES));
        CompletableFuture<StreamSummary> future = run.future();
        assertFalse(run.isDone());
        // Of this future alone.
        run.future().cancel(true);
        assertFalse(future.isDone());
        run.cancel();
        cancelled.countDown();
        String text = assertThrows(CancellationException.class, run::await).getMessage();
        assertTrue(text.matches("the run was cancelled after \\d*0 of 1000 rows"), text);
        assertThrows(CancellationException.class, future::get);
        assertTrue(started.get() < 20, () -> "started: " + started);
        assertEquals(0, open.get());
        run.cancel();
    }

    @Test
    void aClosedRunHasEnded() {
        StreamRun run = streamer.start(rows(), copying(() -> { }));
        run.close();
        assertTrue(run.isDone());
        assertEquals(0, open.get());
    }

    @Test
    void anInterruptedWaiterCancels() {
        Thread waiter = Thread.currentThread();
        AtomicBoolean once = new AtomicBoolean();
        StreamRun run = streamer.start(rows(), copying(() -> {
            if (started.get() >= 20) {
                if (once.compareAndSet(false, true)) {
                    waiter.interrupt();
                }
                // Slabs that take their time: the waiter has to come to its cancelling before the last, which it does
                // some time after it has seen the interrupt.
                while (waiter.isInterrupted()) {
                    LockSupport.parkNanos(1_000_000);
                }
                LockSupport.parkNanos(100_000_000);
            }
        }));
        assertThrows(CancellationException.class, run::await);
        assertTrue(Thread.interrupted());
        assertEquals(0, open.get());
    }

    @Test
    void aFinishedRunCannotBeCancelled() {
        StreamRun run = streamer.start(rows(), copying(() -> { }));
        assertEquals(100, run.await().slabs());
        run.cancel();
        assertEquals(100, run.await().slabs());
    }

    @Test
    void aFileThatBecomesShorterIsAnError() throws IOException {
        Path file = folder.resolve("file");
        Files.write(file, new byte[ROWS]);
        Path result = folder.resolve("result");
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            Rows rows = Rows.of(ROWS).from(HostSource.of(file), 1).to(HostTarget.of(result), 1);
            UncheckedIOException e = assertThrows(UncheckedIOException.class, () -> streamer.run(rows, copying(() -> {
                try {
                    channel.truncate(500);
                } catch (IOException x) {
                    throw new UncheckedIOException(x);
                }
            })));
            assertInstanceOf(EOFException.class, e.getCause());
            assertTrue(e.getCause().getMessage().startsWith(file + " ends at byte 500, and byte "), e.getMessage());
        }
        assertFalse(Files.exists(result));
        try (var files = Files.list(folder)) {
            assertEquals(1, files.count());
        }
    }

    @Test
    void aFileThatIsClosedIsAnError() throws IOException {
        FileChannel channel = FileChannel.open(folder.resolve("file"), StandardOpenOption.CREATE_NEW,
                StandardOpenOption.WRITE);
        Rows rows = Rows.of(ROWS).from(HostSource.of(MemorySegment.ofArray(from)), 1).to(HostTarget.of(channel, 0), 1);
        channel.close();
        assertInstanceOf(ClosedChannelException.class, assertThrows(UncheckedIOException.class,
                () -> streamer.run(rows, copying(() -> { }))).getCause());
        assertEquals(0, open.get());
    }

    @Test
    void aFolderIsNamed() throws IOException {
        Path file = Files.write(folder.resolve("file"), new byte[ROWS]);
        String text = assertThrows(UncheckedIOException.class, () -> HostSource.of(folder)).getMessage();
        assertTrue(text.endsWith(folder + ": is a folder, and slabs come from a file"), text);
        Rows rows = Rows.of(ROWS).from(HostSource.of(file), 1);
        text = assertThrows(UncheckedIOException.class,
                () -> streamer.run(rows.to(HostTarget.of(folder), 1), copying(() -> { }))).getMessage();
        assertTrue(text.endsWith(folder + ": cannot be written: it is a folder"), text);
        Path nowhere = file.resolve("result");
        text = assertThrows(UncheckedIOException.class,
                () -> streamer.run(rows.to(HostTarget.of(nowhere), 1), copying(() -> { }))).getMessage();
        assertTrue(text.endsWith(nowhere + ": cannot be written: the folder " + file
                + " cannot be made: there is a file " + file + " already"), text);
        assertEquals(0, open.get());
    }

    @Test
    void placesSayWhatTheyAre() throws IOException {
        Path file = Files.write(folder.resolve("file"), new byte[7]);
        MemorySegment memory = MemorySegment.ofArray(new byte[5]);
        assertEquals("memory of 5 bytes", HostSource.of(memory).toString());
        assertEquals("memory of 5 bytes", HostTarget.of(memory).toString());
        assertEquals("the file " + file + " of 7 bytes", HostSource.of(file).toString());
        assertEquals("the file " + file, HostTarget.of(file).toString());
        try (FileChannel channel = FileChannel.open(file)) {
            assertEquals("3 bytes at byte 2 of an open file", HostSource.of(channel, 2, 3).toString());
            assertEquals("an open file from byte 2 on", HostTarget.of(channel, 2).toString());
        }
    }

    @Test
    void memoryThatIsClosedIsNamed() {
        for (boolean source : List.of(true, false)) {
            Arena arena = Arena.ofShared();
            MemorySegment memory = arena.allocate(ROWS);
            MemorySegment other = MemorySegment.ofArray(new byte[ROWS]);
            Rows rows = Rows.of(ROWS).from(HostSource.of(source ? memory : other), 1)
                    .to(HostTarget.of(source ? other : memory), 1);
            Streamer one = Streamer.on(gpus.getFirst()).slab(10).slots(1).threads(1);
            String expected = "the memory of 1000 bytes of " + (source ? "the source" : "the result")
                    + " is closed, with its arena or what else it came from: keep it open until the run has ended";
            assertEquals(expected, assertThrows(IllegalStateException.class, () -> one.run(rows, copying(() -> {
                if (started.get() % 100 == 20) {
                    arena.close();
                }
            }))).getMessage());
            assertEquals(expected,
                    assertThrows(IllegalStateException.class, () -> one.start(rows, copying(() -> { }))).getMessage());
            assertEquals(0, open.get());
            started.set(0);
        }
    }

    @Test
    void severalRunsAtOnce() {
        List<StreamRun> runs = new ArrayList<>();
        List<byte[]> results = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            byte[] content = new byte[ROWS];
            Arrays.fill(content, (byte) i);
            byte[] result = new byte[ROWS];
            results.add(result);
            runs.add(streamer.start(Rows.of(ROWS).from(HostSource.of(MemorySegment.ofArray(content)), 1)
                    .to(HostTarget.of(MemorySegment.ofArray(result)), 1), copying(() -> { })));
        }
        for (int i = 0; i < 6; i++) {
            runs.get(i).await();
            byte[] expected = new byte[ROWS];
            Arrays.fill(expected, (byte) i);
            assertArrayEquals(expected, results.get(i));
        }
        assertEquals(0, open.get());
        assertTrue(gpus.getFirst().pinnedPool().kept() > 0);
    }

    @Test
    void aGpuThatIsClosedEndsTheRun() {
        // It has slabs of the run.
        CountDownLatch taking = new CountDownLatch(1);
        StreamRun run = streamer.start(rows(), slot -> copying(() -> {
            if (slot.gpu() == gpus.getLast()) {
                taking.countDown();
            }
            await(taking);
            if (started.get() >= 20) {
                gpus.getLast().close();
            }
        }).open(slot));
        assertThrows(IllegalStateException.class, run::await);
        assertEquals(0, open.get());
    }

    @Test
    void threadsThatCopyEndWithTheRun() throws InterruptedException {
        streamer.run(rows(), copying(() -> { }));
        for (int i = 0; i < 12_000 && threads() > 0; i++) {
            Thread.sleep(10);
        }
        assertEquals(0, threads());
    }

    private static long threads() {
        return Thread.getAllStackTraces().keySet().stream().filter(t -> t.getName().startsWith("tilewright-stream-"))
                .count();
    }
}
