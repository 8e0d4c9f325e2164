package dev.tilewright.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.gpu.emulation.EmulatedCuda;
import dev.tilewright.program.ComputingKernels;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Captures, and calls of other threads that would spoil them: the emulated driver refuses as CUDA does. */
class CaptureRacesTest {
    private final EmulatedCuda cuda = new EmulatedCuda();
    private final PausingDriver driver = new PausingDriver(cuda);
    private final Gpu gpu = Gpu.options().choose(driver.api(), cuda).open();
    private final Stream stream = gpu.stream();
    private final Buffer<byte[]> buffer = gpu.bytes(16);

    @AfterEach
    void nothingWasRefusedNorIsLeftOpen() {
        gpu.close();
        assertEquals(List.of(), driver.refused());
        assertEquals(List.of(), cuda.leaks());
    }

    /** What another thread does to a stream, and the call that must not meet the stream's capture. */
    enum Meeting {
        WAIT("cuStreamSynchronize") {
            @Override
            void act(CaptureRacesTest test) {
                test.stream.synchronize();
            }
        },
        QUESTION("cuStreamQuery") {
            @Override
            void act(CaptureRacesTest test) {
                test.stream.isIdle();
            }
        },
        FUTURE("cuEventRecord") {
            @Override
            void act(CaptureRacesTest test) {
                test.stream.completion().join();
            }
        },
        ALLOCATION("cuMemAllocAsync") {
            @Override
            void act(CaptureRacesTest test) {
                Buffer<byte[]> ordered = test.stream.allocate(ArrayType.BYTES, 16);
                // In the capture this is put off.
                ordered.close();
            }
        },
        FREE("cuMemFreeAsync") {
            @Override
            void act(CaptureRacesTest test) {
                test.stream.allocate(ArrayType.BYTES, 16).close();
            }
        },
        UPLOAD("cuMemcpyHtoDAsync") {
            @Override
            void act(CaptureRacesTest test) {
                try (Arena arena = Arena.ofConfined()) {
                    test.stream.upload(arena.allocate(16), test.buffer);
                }
            }
        },
        DOWNLOAD("cuMemcpyDtoHAsync") {
            @Override
            void act(CaptureRacesTest test) {
                try (Arena arena = Arena.ofConfined()) {
                    test.stream.download(test.buffer, arena.allocate(16));
                }
            }
        },
        STAGED_COPY("cuStreamSynchronize") {
            @Override
            void act(CaptureRacesTest test) {
                try (Buffer<byte[]> large = test.gpu.bytes(1 << 20)) {
                    test.stream.upload(MemorySegment.ofArray(new byte[1 << 20]), large);
                }
            }
        },
        GRAPH("cuGraphLaunch") {
            @Override
            void act(CaptureRacesTest test) {
                try (Stream other = test.gpu.stream();
                        Graph graph = other.capture(s -> s.fill(test.buffer, (byte) 2))) {
                    test.driver.calls().clear();
                    graph.start(test.stream);
                }
            }
        },
        FILL("cuMemsetD8Async") {
            @Override
            void act(CaptureRacesTest test) {
                test.stream.fill(test.buffer, (byte) 2);
            }
        },
        EVENT("cuEventRecord") {
            @Override
            void act(CaptureRacesTest test) {
                try (Event event = test.stream.record()) {
                    assertFalse(event.handle() == 0);
                }
            }
        };

        private final String call;

        Meeting(String call) {
            this.call = call;
        }

        abstract void act(CaptureRacesTest test);
    }

    private static CompletableFuture<Void> inThread(AtomicReference<Thread> thread, Runnable work) {
        return CompletableFuture.runAsync(work, task -> {
            thread.set(Thread.ofPlatform().unstarted(task));
            thread.get().start();
        });
    }

    private static CompletableFuture<Void> inThread(Runnable work) {
        return inThread(new AtomicReference<>(), work);
    }

    /** Until a thread waits, or its work has ended, which it should not. */
    private static void awaitWaiting(Thread thread, CompletableFuture<Void> work) {
        while (!work.isDone() && thread.getState() != Thread.State.WAITING
                && thread.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
    }

    /** One thread pauses in a call, another captures: that comes second. */
    private void meet(String paused, Runnable act, String second, Runnable capture) throws Exception {
        driver.pauseNext(paused);
        CompletableFuture<Void> acting = inThread(act);
        driver.awaitPause();
        AtomicReference<Thread> thread = new AtomicReference<>();
        CompletableFuture<Void> capturing = inThread(thread, capture);
        awaitWaiting(thread.get(), capturing);
        boolean waited = !capturing.isDone();
        driver.goOn();
        acting.get(3, TimeUnit.MINUTES);
        capturing.get(3, TimeUnit.MINUTES);
        assertTrue(waited);
        assertTrue(driver.calls().indexOf(paused) < driver.calls().indexOf(second), driver.calls()::toString);
    }

    private void captureOneFill() {
        try (Graph graph = stream.capture(s -> s.fill(buffer, (byte) 1))) {
            assertEquals(1, graph.nodes());
            graph.start();
            stream.synchronize();
        }
    }

    @ParameterizedTest
    @EnumSource
    void aCaptureBeginsAfterCallsThatMustNotMeetIt(Meeting meeting) throws Exception {
        meet(meeting.call, () -> meeting.act(this), "cuStreamBeginCapture", this::captureOneFill);
    }

    /** A launch that has not seen the capture is no part of the graph, which would not know its buffers. */
    @Test
    void aCaptureBeginsAfterLaunchesThatHaveNotSeenIt() throws Exception {
        try (Kernel kernel = gpu.load(ComputingKernels.axpy()); Buffer<float[]> x = gpu.upload(new float[128]);
                Buffer<float[]> y = gpu.upload(new float[128])) {
            KernelLaunch launch = kernel.prepare().grid(1).set("x", x).set("y", y).set("a", 1.0).on(stream);
            meet("cuLaunchKernelEx", launch::start, "cuStreamBeginCapture", this::captureOneFill);
        }
    }

    /** A launch that comes while the capture is beginning becomes a node of it. */
    @Test
    void aLaunchWaitsForTheCaptureThatBegins() throws Exception {
        try (Kernel kernel = gpu.load(ComputingKernels.axpy()); Buffer<float[]> x = gpu.upload(new float[128]);
                Buffer<float[]> y = gpu.upload(new float[128])) {
            KernelLaunch launch = kernel.prepare().grid(1).set("x", x).set("y", y).set("a", 1.0).on(stream);
            driver.pauseNext("cuStreamBeginCapture");
            AtomicReference<Thread> thread = new AtomicReference<>();
            AtomicReference<CompletableFuture<Void>> launching = new AtomicReference<>();
            CompletableFuture<Void> capturing = inThread(() -> {
                try (Graph graph = stream.capture(_ -> launching.get().join())) {
                    assertEquals(1, graph.nodes());
                    graph.update(launch).start();
                    stream.synchronize();
                }
            });
            driver.awaitPause();
            launching.set(inThread(thread, launch::start));
            while (thread.get().getState() != Thread.State.BLOCKED && !launching.get().isDone()) {
                Thread.onSpinWait();
            }
            assertFalse(launching.get().isDone());
            driver.goOn();
            capturing.get(3, TimeUnit.MINUTES);
        }
    }

    @Test
    void aStreamJoinsACaptureAfterTheWaitForIt() throws Exception {
        try (Stream side = gpu.stream()) {
            meet("cuStreamSynchronize", side::synchronize, "cuStreamWaitEvent", () -> {
                try (Event begun = gpu.event(); Event done = gpu.event(); Graph graph = stream.capture(s -> {
                    s.record(begun);
                    side.waitFor(begun);
                    side.fill(buffer, (byte) 1);
                    side.record(done);
                    s.waitFor(done);
                })) {
                    assertEquals(1, graph.nodes());
                }
            });
        }
    }

    private void recordedInACapture(String call, Consumer<Event> asking) throws Exception {
        try (Event event = stream.record()) {
            meet(call, () -> asking.accept(event), "cuEventRecord", () -> stream.capture(s -> {
                s.fill(buffer, (byte) 1);
                s.record(event);
                assertThrows(IllegalStateException.class, event::isDone);
            }).close());
        }
    }

    @Test
    void anEventIsRecordedInACaptureAfterTheQuestionForIt() throws Exception {
        recordedInACapture("cuEventQuery", Event::isDone);
    }

    @Test
    void anEventIsRecordedInACaptureAfterTheWaitForIt() throws Exception {
        recordedInACapture("cuEventSynchronize", Event::synchronize);
    }

    @Test
    void anEventIsRecordedInACaptureAfterTheWaitOfAnotherStreamHasBegun() throws Exception {
        try (Stream other = gpu.stream()) {
            recordedInACapture("cuStreamWaitEvent", other::waitFor);
        }
    }

    /** What uses an event of a capture that is ending, and the call that must not meet the end. */
    enum Use {
        RECORD("cuEventRecord") {
            @Override
            void act(Stream other, Event event) {
                other.record(event);
            }
        },
        RECORD_IN_ANOTHER_CAPTURE("cuEventRecord") {
            @Override
            void act(Stream other, Event event) {
                other.capture(s -> s.record(event)).close();
            }
        },
        CLOSE("cuEventDestroy") {
            @Override
            void act(Stream other, Event event) {
                event.close();
            }
        };

        private final String call;

        Use(String call) {
            this.call = call;
        }

        abstract void act(Stream other, Event event);
    }

    /** Driver 580 crashes where they meet. */
    @ParameterizedTest
    @EnumSource
    void anEventOfACaptureIsUsedAfterItsEnd(Use use) throws Exception {
        try (Stream other = gpu.stream(); Event event = gpu.event()) {
            driver.pauseNext("cuStreamEndCapture");
            CompletableFuture<Void> capturing = inThread(() -> stream.capture(s -> {
                s.fill(buffer, (byte) 1);
                s.record(event);
            }).close());
            driver.awaitPause();
            AtomicReference<Thread> thread = new AtomicReference<>();
            CompletableFuture<Void> using = inThread(thread, () -> use.act(other, event));
            awaitWaiting(thread.get(), using);
            boolean waited = !using.isDone();
            driver.goOn();
            capturing.get(3, TimeUnit.MINUTES);
            using.get(3, TimeUnit.MINUTES);
            assertTrue(waited);
            assertTrue(driver.calls().indexOf("cuStreamEndCapture") < driver.calls().lastIndexOf(use.call),
                    driver.calls()::toString);
        }
    }

    /** The GPU tests of many threads each close one of their own: it waits for all streams of the device. */
    @Test
    void aCloseWaitsForTheCapturesOfOtherThreads() throws Exception {
        Gpu second = Gpu.options().choose(driver.api(), cuda).open();
        Stream other = second.stream();
        AtomicReference<Thread> thread = new AtomicReference<>();
        AtomicReference<CompletableFuture<Void>> closing = new AtomicReference<>();
        try (Graph graph = stream.capture(s -> {
            closing.set(inThread(thread, second::close));
            awaitWaiting(thread.get(), closing.get());
            assertFalse(closing.get().isDone());
            assertTrue(other.isOpen());
            s.fill(buffer, (byte) 1);
        })) {
            closing.get().get(3, TimeUnit.MINUTES);
            assertFalse(other.isOpen());
            graph.start();
            stream.synchronize();
        }
    }

    /** The very GPU is closed by another thread: the capture ends as it would have, and what comes later is refused. */
    @Test
    void aGpuIsClosedAfterTheCaptureOfAnotherThread() throws Exception {
        AtomicReference<Thread> thread = new AtomicReference<>();
        AtomicReference<CompletableFuture<Void>> closing = new AtomicReference<>();
        Graph graph = stream.capture(s -> {
            closing.set(inThread(thread, gpu::close));
            awaitWaiting(thread.get(), closing.get());
            s.fill(buffer, (byte) 1);
        });
        closing.get().get(3, TimeUnit.MINUTES);
        graph.close();
        assertThrows(IllegalStateException.class, () -> stream.capture(_ -> { }));
        assertFalse(stream.isCapturing());
    }

    @Test
    void aGpuIsNotClosedInACaptureOfTheSameThread() {
        try (Graph graph = stream.capture(s -> {
            IllegalStateException e = assertThrows(IllegalStateException.class, gpu::close);
            assertEquals("GPU 0 (emulated GPU (sm_90a)) cannot be closed while this thread captures a stream of it: "
                    + "close"
                    + " it after the capture", e.getMessage());
            s.fill(buffer, (byte) 3);
        })) {
            graph.start();
            stream.synchronize();
            assertEquals(3, buffer.download()[0]);
        }
    }

    @Test
    void aCaptureThatIsSpoiltRightAfterALaunchSaysSo() throws Exception {
        try (Kernel kernel = gpu.load(ComputingKernels.axpy()); Buffer<float[]> x = gpu.upload(new float[128]);
                Buffer<float[]> y = gpu.upload(new float[128])) {
            KernelLaunch launch = kernel.prepare().grid(1).set("x", x).set("y", y).set("a", 1.0).on(stream);
            driver.pauseNext("cuStreamGetCaptureInfo");
            CompletableFuture<Void> spoiling = inThread(() -> {
                driver.awaitPause();
                gpu.inContext(() -> assertTrue(cuda.cuStreamSynchronize(stream.handle()) != 0));
                driver.goOn();
            });
            IllegalStateException e = assertThrows(IllegalStateException.class,
                    () -> stream.capture(_ -> launch.start()));
            assertEquals("the capture of stream 1 has been spoilt by a call that CUDA does not allow while a stream is"
                    + " captured, most likely of other code in this process: no graph will come of it", e.getMessage());
            spoiling.get(3, TimeUnit.MINUTES);
        }
        assertEquals(List.of("cuStreamEndCapture: 901"), driver.refused());
        driver.refused().clear();
    }

    /** Everything at once, for a second: no call of the driver is refused, so no capture is spoilt. */
    @Test
    void capturesAndAllElseOfManyThreads() throws Exception {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(1500);
        AtomicInteger graphs = new AtomicInteger();
        List<CompletableFuture<Void>> all = new ArrayList<>();
        try (Stream side = gpu.nonBlockingStream(); Kernel kernel = gpu.load(ComputingKernels.axpy());
                Buffer<float[]> x = gpu.upload(new float[128]); Buffer<float[]> y = gpu.upload(new float[128]);
                Event shared = gpu.event()) {
            for (Stream of : List.of(stream, side)) {
                all.add(during(end, () -> {
                    KernelLaunch own = kernel.prepare().grid(1).set("x", x).set("y", y).set("a", 1.0).on(of);
                    try (Graph graph = of.capture(s -> {
                        s.fill(buffer, (byte) 1);
                        own.start();
                        s.record(shared);
                    })) {
                        assertTrue(graph.nodes() >= 2);
                        graph.update(own).start();
                        graphs.incrementAndGet();
                    }
                }));
                KernelLaunch launch = kernel.prepare().grid(1).set("x", x).set("y", y).set("a", 2.0).on(of);
                all.add(during(end, launch::start));
                all.add(during(end, of::synchronize));
                all.add(during(end, of::isIdle));
                all.add(during(end, () -> of.completion().join()));
                all.add(during(end, () -> of.allocate(ArrayType.BYTES, 16).close()));
                all.add(during(end, () -> of.fill(buffer, (byte) 2)));
            }
            all.add(during(end, shared::isDone));
            all.add(during(end, shared::synchronize));
            all.add(during(end, () -> buffer.upload(new byte[16])));
            all.add(during(end, gpu::synchronize));
            all.add(during(end, () -> gpu.pinned(64).close()));
            all.add(during(end, () -> {
                try (Gpu own = Gpu.options().choose(driver.api(), cuda).open(); Stream ownStream = own.stream()) {
                    ownStream.synchronize();
                }
            }));
            for (CompletableFuture<Void> one : all) {
                one.get(3, TimeUnit.MINUTES);
            }
            gpu.synchronize();
        }
        assertTrue(graphs.get() > 0);
    }

    /** What is refused in words because of a capture is well. */
    private static CompletableFuture<Void> during(long end, Runnable work) {
        return inThread(() -> {
            do {
                try {
                    work.run();
                } catch (IllegalStateException e) {
                    if (!e.getMessage().contains("captur")) {
                        throw e;
                    }
                }
            } while (System.nanoTime() < end);
        });
    }

    /** The stream's next capture begins before the memory that was closed in this one has been given back. */
    @Test
    void whatACaptureHasPutOffIsNotDoneInTheNext() throws Exception {
        Buffer<byte[]> ordered = stream.allocate(ArrayType.BYTES, 16);
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        CompletableFuture<Graph> next = new CompletableFuture<>();
        stream.capture(s -> {
            stream.captureSlot().get().defer(() -> {
                next.completeAsync(() -> stream.capture(t -> {
                    begun.countDown();
                    awaitQuietly(end);
                }), task -> Thread.ofPlatform().start(task));
                awaitQuietly(begun);
            });
            ordered.close();
        }).close();
        end.countDown();
        next.get(1, TimeUnit.MINUTES).close();
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            assertTrue(latch.await(1, TimeUnit.MINUTES));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
