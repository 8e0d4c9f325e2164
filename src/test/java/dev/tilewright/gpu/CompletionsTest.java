package dev.tilewright.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.gpu.device.CudaException;
import dev.tilewright.gpu.emulation.state.ExecutionOrder;
import dev.tilewright.program.ComputingKernels;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Futures of what is in a stream, on the emulated driver, which does work only when it is asked for. */
@Isolated("threads are counted by their names")
class CompletionsTest {
    private static final String WATCHER = "tilewright-completions-";

    private final EmulatedGpus gpus = new EmulatedGpus();

    private static void get(CompletableFuture<?> future) throws Exception {
        future.get(2, TimeUnit.MINUTES);
    }

    private static Throwable failureOf(CompletableFuture<?> future) {
        return assertThrows(ExecutionException.class, () -> get(future)).getCause();
    }

    private static long watchers() {
        return Thread.getAllStackTraces().keySet().stream().filter(t -> t.getName().startsWith(WATCHER)).count();
    }

    @Test
    void aFutureCompletesWhenWhatWasInTheStreamHasEnded() throws Exception {
        try (Gpu gpu = gpus.open(); Stream stream = gpu.stream(); PinnedMemory pinned = gpu.pinned(16);
                Buffer<byte[]> buffer = gpu.bytes(16)) {
            stream.fill(buffer, (byte) 5);
            stream.download(buffer, pinned.segment());
            get(stream.completion());
            assertEquals(5, pinned.segment().toArray(ValueLayout.JAVA_BYTE)[7]);
            get(gpu.defaultStream().completion());
        }
        assertEquals(List.of(), gpus.leaks());
    }

    @Test
    void whatDependsOnItRunsOnAVirtualThreadAndMayBlockOnAnother() throws Exception {
        try (Gpu gpu = gpus.open(); Stream stream = gpu.stream(); Stream other = gpu.stream();
                Buffer<byte[]> buffer = gpu.bytes(16)) {
            stream.fill(buffer, (byte) 1);
            CompletableFuture<Boolean> virtual = stream.completion().thenApply(_ -> {
                other.fill(buffer, (byte) 2);
                other.completion().join();
                return Thread.currentThread().isVirtual();
            });
            // Already complete when the dependent is added, it would run on this thread.
            assertTrue(virtual.get(2, TimeUnit.MINUTES) || virtual.isDone());
            assertEquals(2, buffer.download()[0]);
        }
    }

    @Test
    void manyFuturesOfManyStreamsComplete() throws Exception {
        AtomicInteger done = new AtomicInteger();
        try (Gpu gpu = gpus.open(); Buffer<byte[]> buffer = gpu.bytes(16)) {
            List<CompletableFuture<Void>> all = new ArrayList<>();
            List<Stream> streams = List.of(gpu.stream(), gpu.stream(), gpu.nonBlockingStream(), gpu.defaultStream());
            for (int i = 0; i < 400; i++) {
                Stream stream = streams.get(i % streams.size());
                stream.fill(buffer, (byte) i);
                all.add(stream.completion().thenRun(done::incrementAndGet));
            }
            get(CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)));
            assertEquals(400, done.get());
            assertTrue(streams.stream().allMatch(Stream::isIdle));
            streams.forEach(Stream::close);
        }
        assertEquals(List.of(), gpus.leaks());
    }

    @Test
    void cancellingAFutureDoesNoHarm() throws Exception {
        try (Gpu gpu = gpus.open(); Stream stream = gpu.stream(); Buffer<byte[]> buffer = gpu.bytes(16)) {
            stream.fill(buffer, (byte) 1);
            CompletableFuture<Void> first = stream.completion();
            stream.fill(buffer, (byte) 2);
            CompletableFuture<Void> second = stream.completion();
            // Unless it has been completed already.
            boolean cancelled = first.cancel(true);
            get(second);
            assertEquals(cancelled, first.isCancelled());
            assertEquals(2, buffer.download()[0]);
        }
        assertEquals(List.of(), gpus.leaks());
    }

    @Test
    void aFaultFailsTheFuturesWithWhatCausedIt() {
        try (Gpu gpu = gpus.open(); Stream stream = gpu.stream();
                Kernel kernel = gpu.load(ComputingKernels.axpy()); Buffer<float[]> small = gpu.floats(1)) {
            kernel.prepare().grid(1).set("x", small).set("y", small).set("a", 1.0).on(stream).start();
            CudaException e = assertInstanceOf(CudaException.class, failureOf(stream.completion()));
            assertTrue(e.contextIsLost());
            String which = "the launch that did it: kernel 'axpy', 1 block of 32 threads on stream 1";
            assertTrue(e.getMessage().contains(which), e.getMessage());
            CudaException later = assertInstanceOf(CudaException.class, failureOf(stream.completion()));
            assertTrue(later.getMessage().contains("the context was lost before"), later.getMessage());
        }
    }

    @Test
    void aGpuThatGoesAwayFailsEveryFuture() {
        try (Gpu gpu = gpus.open(); Stream one = gpu.stream(); Stream two = gpu.stream()) {
            gpus.cuda().lose(0, 719, "fell off the bus");
            assertInstanceOf(CudaException.class, failureOf(one.completion()));
            assertInstanceOf(CudaException.class, failureOf(two.completion()));
        }
    }

    @Test
    void closingTheGpuEndsEveryFuture() throws Exception {
        for (int i = 0; i < 20; i++) {
            Gpu gpu = gpus.open();
            Stream stream = gpu.stream();
            Buffer<byte[]> buffer = gpu.bytes(16);
            List<CompletableFuture<Void>> futures = new ArrayList<>();
            for (int k = 0; k < 10; k++) {
                stream.fill(buffer, (byte) 1);
                futures.add(stream.completion());
            }
            gpu.close();
            for (CompletableFuture<Void> future : futures) {
                try {
                    get(future);
                } catch (ExecutionException e) {
                    assertInstanceOf(IllegalStateException.class, e.getCause());
                    assertTrue(e.getMessage().contains("was closed before what was in stream 1 had ended"),
                            e.getMessage());
                }
            }
            assertThrows(IllegalStateException.class, stream::completion);
            assertEquals(List.of(), gpus.leaks());
        }
    }

    @Test
    void theWatcherEndsWhenNothingIsLeft() throws Exception {
        EmulatedGpus eager = new EmulatedGpus(ExecutionOrder.EAGER, 1);
        try (Gpu gpu = eager.open(); Stream stream = gpu.stream()) {
            get(stream.completion());
            long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
            while (watchers() > 0 && System.nanoTime() < deadline) {
                Thread.sleep(10);
            }
            assertEquals(0, watchers());
            // The next one starts another.
            get(stream.completion());
        }
    }

    @Test
    void aStreamThatIsCapturedHasNone() {
        try (Gpu gpu = gpus.open(); Stream stream = gpu.stream(); Graph _ = stream.capture(s -> {
            IllegalStateException e = assertThrows(IllegalStateException.class, s::completion);
            assertEquals("stream 1 is being captured, and a future of its end cannot be a part of a graph: ask for it"
                    + " after the capture", e.getMessage());
        })) {
            assertFalse(stream.isCapturing());
        }
        try (Gpu gpu = gpus.open()) {
            Stream stream = gpu.stream();
            stream.close();
            assertThrows(IllegalStateException.class, stream::completion);
        }
    }
}
