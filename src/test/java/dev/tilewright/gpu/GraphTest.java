package dev.tilewright.gpu;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.builder.BulkCopy;
import dev.tilewright.builder.TensorCopy;
import dev.tilewright.gpu.cuda.DriverApi;
import dev.tilewright.gpu.device.CudaException;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Argument;
import dev.tilewright.program.ClusterSize;
import dev.tilewright.program.ComputingKernels;
import dev.tilewright.program.Dim3;
import dev.tilewright.program.ElementStep;
import dev.tilewright.program.GridKernels;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Scalars;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Graphs, on the emulated driver. */
class GraphTest {
    private static final int ROWS = 24;
    private static final int COLUMNS = 16;
    private static final int COUNT = ROWS * COLUMNS;
    private static final int BYTES = 4 * COUNT;

    private final EmulatedGpus gpus = new EmulatedGpus();
    private final Gpu gpu = gpus.open();
    private final Stream stream = gpu.stream();

    @AfterEach
    void nothingIsLeftOpen() {
        gpu.close();
        assertEquals(List.of(), gpus.leaks());
    }

    private static TensorCopy scale() {
        return TensorCopy.of(ElementType.F32).tile(8, 16).step(ElementStep.SCALE).build();
    }

    /** Gives a launch what another description of it says. */
    private static void set(KernelLaunch prepared, Launch launch, Buffer<?>... buffers) {
        for (int i = 0; i < launch.arguments().size(); i++) {
            String name = launch.program().parameters().get(i).name();
            switch (launch.arguments().get(i)) {
                case Argument.Buffer b -> prepared.set(name, buffers[b.buffer()]);
                case Argument.Tensor t -> prepared.set(name, t.map(), buffers[t.buffer()], t.offset());
                case Argument.Int(long value) -> prepared.set(name, value);
                case Argument.Scalar(long bits) -> prepared.setBits(name, bits);
            }
        }
        prepared.grid(launch.grid());
    }

    private static void fill(MemorySegment memory, float from) {
        for (int i = 0; i < COUNT; i++) {
            memory.setAtIndex(ValueLayout.JAVA_FLOAT, i, from + i);
        }
    }

    @Test
    void copiesAndKernelsAreReplayedWithOtherScalarsAndTensorMaps() {
        TensorCopy scale = scale();
        List<Long> shape = List.of((long) ROWS, (long) COLUMNS);
        try (Kernel kernel = gpu.load(scale); PinnedMemory in = gpu.pinned(BYTES); PinnedMemory out = gpu.pinned(BYTES);
                Buffer<float[]> a = gpu.floats(COUNT); Buffer<float[]> b = gpu.floats(COUNT);
                Buffer<float[]> c = gpu.floats(COUNT); Buffer<float[]> d = gpu.floats(COUNT)) {
            KernelLaunch first = kernel.prepare(scale.launch(shape, Scalars.of("scalar", 1)), a, b).on(stream);
            KernelLaunch second = kernel.prepare(scale.launch(shape, Scalars.of("scalar", 1)), b, c).on(stream);
            try (Graph graph = stream.capture(s -> {
                assertSame(stream, s);
                assertTrue(s.isCapturing());
                s.upload(in.segment(), a);
                first.start();
                second.start();
                s.download(c, out.segment());
            })) {
                assertFalse(stream.isCapturing());
                assertEquals(4, graph.nodes());
                assertSame(stream, graph.stream());
                assertTrue(graph.toString().startsWith("graph of 4 nodes: kernel '"), graph.toString());
                for (int round = 0; round < 20; round++) {
                    fill(in.segment(), round);
                    float x = 1 + round % 3;
                    float y = 2 + round % 5;
                    // The tensor between the two kernels is another one every second time.
                    Buffer<float[]> between = round % 2 == 0 ? b : d;
                    set(first, scale.launch(shape, Scalars.of("scalar", x)), a, between);
                    set(second, scale.launch(shape, Scalars.of("scalar", y)), between, c);
                    graph.update(first).update(second).start();
                    stream.synchronize();
                    for (int i = 0; i < COUNT; i++) {
                        assertEquals((round + i) * x * y, out.segment().getAtIndex(ValueLayout.JAVA_FLOAT, i));
                    }
                }
            }
        }
    }

    @Test
    void theGridIsUpdatedToo() {
        try (Kernel kernel = gpu.load(ComputingKernels.axpy()); Buffer<float[]> x = gpu.upload(new float[256]);
                Buffer<float[]> y = gpu.floats(256)) {
            y.fill((byte) 0);
            x.upload(ones(256));
            KernelLaunch launch = kernel.prepare().grid(1).set("x", x).set("y", y).set("a", 1.0).on(stream);
            try (Graph graph = stream.capture(_ -> launch.start())) {
                graph.start();
                graph.update(launch.grid(2).set("a", 3.0)).start();
                float[] result = y.download();
                assertEquals(4, result[0]);
                assertEquals(3, result[255]);
            }
        }
    }

    @Test
    void aStartKeepsTheArgumentsThatTheGraphHadThen() {
        try (Kernel kernel = gpu.load(ComputingKernels.axpy()); Buffer<float[]> x = gpu.upload(ones(128));
                Buffer<float[]> y = gpu.floats(128)) {
            y.fill((byte) 0);
            KernelLaunch launch = kernel.prepare().grid(1).set("x", x).set("y", y).set("a", 1.0).on(stream);
            try (Graph graph = stream.capture(_ -> {
                launch.start();
                launch.start();
            })) {
                assertEquals(2, graph.nodes());
                graph.start();
                graph.update(launch.set("a", 10.0));
                // What the launch has after the update does not matter either.
                launch.set("a", 1000.0);
                graph.start();
                assertEquals(22, y.download()[5]);
            }
        }
    }

    @Test
    void aGraphStartsInOtherStreamsAndInTheDefaultOne() {
        try (Buffer<byte[]> buffer = gpu.bytes(16); Buffer<byte[]> copy = gpu.bytes(16); Stream other = gpu.stream();
                Graph graph = stream.capture(s -> {
                    s.fill(buffer, (byte) 7);
                    s.copy(buffer, copy);
                })) {
            copy.fill((byte) 0);
            graph.start(other);
            other.synchronize();
            assertEquals(7, copy.download()[15]);
            copy.fill((byte) 0);
            graph.start(gpu.defaultStream());
            assertEquals(7, copy.download()[15]);
        }
    }

    @Test
    void streamsThatAreJoinedByEventsAreCapturedTogether() {
        try (Stream side = gpu.stream(); Event begun = gpu.event(); Event done = gpu.event();
                Buffer<byte[]> a = gpu.bytes(16); Buffer<byte[]> b = gpu.bytes(16); Graph graph = stream.capture(s -> {
                    s.fill(a, (byte) 1);
                    s.record(begun);
                    side.waitFor(begun);
                    assertTrue(side.isCapturing());
                    side.copy(a, b);
                    side.record(done);
                    s.waitFor(done);
                })) {
            assertFalse(side.isCapturing());
            assertEquals(2, graph.nodes());
            graph.start();
            assertEquals(1, b.download()[3]);
            // The other stream is as it was.
            side.fill(b, (byte) 2);
            side.synchronize();
            assertTrue(side.isIdle());
            for (Executed use : List.<Executed>of(done::isDone, done::synchronize,
                    () -> done.millisecondsSince(begun))) {
                assertMessage("the event was last recorded in a capture, where it is a place in the graph and no point"
                        + " in time: record it again", use);
            }
            assertMessage("the capture of stream 1 has ended", () -> side.waitFor(done));
            side.record(done);
            done.synchronize();
        }
    }

    private interface Executed {
        void run();
    }

    private static IllegalStateException assertMessage(String message, Executed action) {
        IllegalStateException e = assertThrows(IllegalStateException.class, action::run);
        assertEquals(message, e.getMessage());
        return e;
    }

    @Test
    void whatCannotBeCapturedIsRefusedWithTheReasonAndDoesNoHarm() {
        try (Buffer<byte[]> buffer = gpu.bytes(16); Event outside = gpu.stream().record();
                Graph empty = stream.capture(_ -> { }); Arena arena = Arena.ofConfined()) {
            assertEquals(0, empty.nodes());
            empty.start();
            String captured = "stream 1 is being captured, and ";
            try (Graph graph = stream.capture(s -> {
                s.fill(buffer, (byte) 1);
                for (MemorySegment pageable : List.of(MemorySegment.ofArray(new byte[16]), arena.allocate(16))) {
                    String refusal = captured + "a copy of memory that is not page-locked cannot be a part of a graph:"
                            + " copy from or to Gpu.pinned or Gpu.register";
                    assertMessage(refusal, () -> s.upload(pageable, buffer));
                    assertMessage(refusal, () -> s.download(buffer, pageable));
                }
                assertMessage(captured + "waiting for it cannot be a part of a graph: wait after the capture, or for"
                        + " the graph's stream after its start", s::synchronize);
                assertMessage(captured + "asking whether it is idle cannot be a part of a graph: ask after the capture",
                        s::isIdle);
                assertMessage(captured + "an allocation cannot be a part of a graph: allocate before the capture",
                        () -> s.allocate(ArrayType.BYTES, 16));
                assertMessage(captured + "the start of another graph cannot be a part of a graph: start the kernels and"
                        + " copies themselves", () -> empty.start(s));
                assertMessage("stream 1 is being captured, and waits for an event that was recorded outside of the"
                        + " capture: let it wait before the capture, or record the event in it",
                        () -> s.waitFor(outside));
                assertMessage("stream 1 is being captured already", () -> s.capture(_ -> { }));
                String ofThisThread = "the default stream waits for all ordinary streams, and one of them is being"
                        + " captured by this thread: use another stream, or capture one from Gpu.nonBlockingStream()";
                assertMessage(ofThisThread, () -> buffer.upload(new byte[1]));
                assertMessage(ofThisThread, () -> buffer.fill((byte) 1));
                assertMessage("this waits for all streams, and one of them is being captured by this thread: wait after"
                        + " the capture", gpu::synchronize);
                assertMessage(ofThisThread, gpu.defaultStream()::isIdle);
            })) {
                graph.start();
                assertEquals(1, buffer.download()[0]);
            }
        }
        assertMessage("CUDA does not capture the default stream: capture one from Gpu.stream()",
                () -> gpu.defaultStream().capture(_ -> { }));
    }

    @Test
    void theDefaultStreamCanBeUsedWhileANonBlockingStreamIsCaptured() {
        try (Stream apart = gpu.nonBlockingStream(); Buffer<byte[]> buffer = gpu.bytes(16);
                Graph graph = apart.capture(s -> {
                    buffer.upload(new byte[16]);
                    s.fill(buffer, (byte) 1);
                })) {
            assertEquals(0, buffer.download()[0]);
            graph.start();
            apart.synchronize();
            assertEquals(1, buffer.download()[0]);
        }
    }

    @Test
    void otherThreadsUseOfTheDefaultStreamWaitsForTheCapture() throws Exception {
        try (Buffer<byte[]> buffer = gpu.bytes(16)) {
            CountDownLatch capturing = new CountDownLatch(1);
            AtomicReference<Thread> uploading = new AtomicReference<>();
            CompletableFuture<Void> upload = CompletableFuture.runAsync(() -> {
                uploading.set(Thread.currentThread());
                try {
                    capturing.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                buffer.upload(new byte[] {5});
            });
            try (Graph graph = stream.capture(s -> {
                capturing.countDown();
                while (uploading.get() == null || uploading.get().getState() != Thread.State.TIMED_WAITING) {
                    Thread.onSpinWait();
                }
                assertFalse(upload.isDone());
                s.fill(buffer, (byte) 1);
            })) {
                upload.get(2, TimeUnit.MINUTES);
                assertEquals(5, buffer.download()[0]);
                graph.start();
                assertEquals(1, buffer.download()[0]);
            }
        }
    }

    @Test
    void anExceptionInTheCaptureComesOutAndLeavesTheStreamAsItWas() {
        try (Buffer<byte[]> buffer = gpu.bytes(16); Kernel kernel = gpu.load(ComputingKernels.axpy());
                Stream side = gpu.stream()) {
            KernelLaunch unready = kernel.prepare().on(stream);
            assertThrows(IllegalStateException.class, () -> stream.capture(s -> {
                s.fill(buffer, (byte) 1);
                side.waitFor(s.record());
                unready.start();
            }));
            assertFalse(stream.isCapturing());
            assertFalse(side.isCapturing());
            side.fill(buffer, (byte) 3);
            side.synchronize();
            stream.fill(buffer, (byte) 4);
            stream.synchronize();
            assertEquals(4, buffer.download()[0]);
        }
    }

    @Test
    void aCaptureThatACallOfOtherCodeHasSpoiltSaysSo() {
        DriverApi api = gpu.cudaContext().api();
        CudaException e = assertThrows(CudaException.class,
                () -> stream.capture(s -> assertTrue(api.cuStreamSynchronize(s.handle()) != DriverApi.SUCCESS)));
        assertTrue(e.getMessage().startsWith("cuStreamEndCapture of stream 1 failed: "), e.getMessage());
        stream.synchronize();
    }

    @Test
    void aStreamThatDoesNotComeBackIsNamed() {
        try (Stream side = gpu.stream(); Buffer<byte[]> buffer = gpu.bytes(16); Event event = gpu.event()) {
            IllegalStateException e = assertThrows(IllegalStateException.class, () -> stream.capture(s -> {
                s.record(event);
                side.waitFor(event);
                side.fill(buffer, (byte) 1);
            }));
            assertEquals("a stream that joined the capture of stream 1 has not come back: record an event in it, and"
                    + " let stream 1 wait for that, before the capture ends (taking part: [stream 1, stream 2])",
                    e.getMessage());
            side.fill(buffer, (byte) 1);
            side.synchronize();
        }
    }

    @Test
    void streamsAndMemoryThatAreClosedDuringACaptureGoAfterIt() {
        Buffer<byte[]> ordered = stream.allocate(ArrayType.BYTES, 16);
        try (Buffer<byte[]> buffer = gpu.bytes(16); Graph graph = stream.capture(s -> {
            try (Stream side = gpu.stream(); Event begun = s.record()) {
                side.waitFor(begun);
                side.fill(buffer, (byte) 9);
                try (Event done = side.record()) {
                    s.waitFor(done);
                }
            }
            ordered.close();
        })) {
            assertEquals(1, graph.nodes());
            graph.start();
            assertEquals(9, buffer.download()[0]);
        }
    }

    @Test
    void aGraphIsNotStartedWithWhatIsClosed() {
        Kernel kernel = gpu.load(ComputingKernels.axpy());
        Buffer<float[]> x = gpu.floats(128);
        Buffer<float[]> y = gpu.floats(128);
        Buffer<float[]> z = gpu.floats(128);
        KernelLaunch launch = kernel.prepare().grid(1).set("x", x).set("y", y).set("a", 1.0).on(stream);
        Graph graph = stream.capture(_ -> launch.start());
        Graph copy = stream.capture(s -> s.copy(y, z));
        graph.start();
        copy.start();
        graph.update(launch.set("x", z));
        x.close();
        graph.start();
        stream.synchronize();
        z.close();
        assertMessage("the buffer of 512 bytes is closed", graph::start);
        assertMessage("the buffer of 512 bytes is closed", copy::start);
        assertMessage("the buffer of 512 bytes is closed", () -> graph.update(launch));
        graph.update(launch.set("x", y)).start();
        stream.synchronize();
        kernel.close();
        assertMessage("kernel 'axpy' is closed", graph::start);
        graph.close();
        graph.close();
        assertMessage("the graph of 1 nodes is closed", graph::start);
        assertMessage("the graph of 1 nodes is closed", () -> graph.update(launch));
        y.close();
        copy.close();
        Stream gone = gpu.stream();
        Graph empty = gone.capture(_ -> { });
        gone.close();
        assertMessage("stream 2 is closed", empty::start);
        empty.start(stream);
        empty.close();
    }

    @Test
    void aGraphIsNotStartedWithPageLockedMemoryThatIsClosed() {
        try (Arena arena = Arena.ofConfined(); Buffer<byte[]> buffer = gpu.bytes(64)) {
            PinnedMemory pinned = gpu.pinned(64);
            RegisteredMemory registered = gpu.register(arena.allocate(64, 4096));
            try (Graph up = stream.capture(s -> s.upload(pinned.segment().asSlice(16, 16), buffer));
                    Graph down = stream.capture(s -> s.download(buffer, registered.segment()));
                    Graph _ = stream.capture(_ -> {
                        String refusal = "this waits for all streams, and one of them is being captured by this thread:"
                                + " wait after the capture";
                        assertMessage(refusal, pinned::close);
                        assertMessage(refusal, registered::close);
                    })) {
                up.start();
                down.start();
                pinned.close();
                registered.close();
                assertTrue(assertThrows(IllegalStateException.class, up::start).getMessage()
                        .startsWith("the 64 bytes of page-locked memory at 0x"));
                assertThrows(IllegalStateException.class, down::start);
            }
        }
    }

    @Test
    void onlyALaunchOfTheGraphUpdatesIt() {
        try (Kernel kernel = gpu.load(ComputingKernels.axpy()); Buffer<float[]> x = gpu.floats(128)) {
            KernelLaunch launch = kernel.prepare().grid(1).set("x", x).set("y", x).set("a", 1.0).on(stream);
            try (Graph graph = stream.capture(_ -> launch.start())) {
                IllegalArgumentException e = assertThrows(IllegalArgumentException.class,
                        () -> graph.update(launch.copy()));
                assertEquals("no node of this graph was made by this launch of kernel 'axpy', 1 block of 32 threads:"
                        + " update takes the very KernelLaunch that was started in the capture", e.getMessage());
                assertThrows(IllegalArgumentException.class, () -> graph.update(launch.grid(0)));
                assertThrows(IllegalStateException.class, () -> graph.update(kernel.prepare()));
            }
        }
    }

    @Test
    void aGraphKeepsItsClusters() {
        Dim3 grid = Dim3.of(4, 2);
        try (Kernel kernel = gpu.load(GridKernels.neighbours(ClusterSize.AT_LAUNCH, true));
                Buffer<int[]> out = gpu.ints(8); Buffer<int[]> other = gpu.ints(8)) {
            String name = kernel.parameters().getFirst().name();
            KernelLaunch launch = kernel.prepare().cluster(Dim3.of(2)).grid(grid).set(name, out).on(stream);
            try (Graph graph = stream.capture(_ -> launch.start())) {
                graph.start();
                graph.update(launch.set(name, other)).start();
                int[] expected = GridKernels.expectedNumbers(grid, Dim3.of(2));
                assertArrayEquals(expected, out.download());
                assertArrayEquals(expected, other.download());
                IllegalArgumentException e = assertThrows(IllegalArgumentException.class,
                        () -> graph.update(launch.cluster(Dim3.ONE).grid(grid)));
                assertTrue(e.getMessage().endsWith("it was captured in clusters of 2 blocks, which a graph keeps, and"
                        + " has 1 now: capture it anew"), e.getMessage());
            }
        }
    }

    @Test
    void aBufferOfAGraphIsKept() throws InterruptedException {
        Graph graph = withForgottenBuffer();
        Garbage.collect();
        graph.start();
        stream.synchronize();
        graph.close();
    }

    private Graph withForgottenBuffer() {
        Buffer<byte[]> buffer = gpu.bytes(16);
        return stream.capture(s -> s.fill(buffer, (byte) 1));
    }

    @Test
    void aGraphDoesNotStartOnAnotherGpu() {
        EmulatedGpus two = new EmulatedGpus(2);
        try (Gpu first = two.open(); Gpu second = two.open(1); Stream of = first.stream();
                Stream other = second.stream(); Graph graph = of.capture(_ -> { })) {
            IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> graph.start(other));
            assertEquals("the graph is of GPU 0, stream 1 of GPU 1", e.getMessage());
            IllegalStateException join = assertThrows(IllegalStateException.class,
                    () -> of.capture(s -> other.waitFor(s.record())));
            assertEquals("stream 1 of GPU 0 is being captured, and a graph holds work of one GPU: stream 1 is of GPU 1",
                    join.getMessage());
        }
        assertEquals(List.of(), two.leaks());
    }

    @Test
    void manyThreadsStartAndUpdateOneGraph() throws Exception {
        try (Kernel kernel = gpu.load(ComputingKernels.axpy()); Buffer<float[]> x = gpu.upload(ones(128));
                Buffer<float[]> y = gpu.upload(new float[128])) {
            KernelLaunch launch = kernel.prepare().grid(1).set("x", x).set("y", y).set("a", 1.0).on(stream);
            try (Graph graph = stream.capture(_ -> launch.start())) {
                List<CompletableFuture<Void>> all = java.util.stream.IntStream.range(0, 4)
                        .mapToObj(_ -> CompletableFuture.runAsync(() -> {
                            for (int i = 0; i < 50; i++) {
                                graph.update(launch).start();
                            }
                        })).toList();
                for (CompletableFuture<Void> one : all) {
                    one.get(3, TimeUnit.MINUTES);
                }
                float[] expected = new float[128];
                java.util.Arrays.fill(expected, 200);
                assertArrayEquals(expected, y.download());
            }
        }
    }

    @Test
    void aBulkCopyOfNothingMakesNoNode() {
        BulkCopy copy = BulkCopy.of(ElementType.F32).build();
        try (Kernel kernel = gpu.load(copy); Buffer<float[]> x = gpu.floats(16)) {
            KernelLaunch launch = kernel.prepare(copy.launch(List.of(16L), 0), x, x).grid(0).on(stream);
            try (Graph graph = stream.capture(_ -> launch.start())) {
                assertEquals(0, graph.nodes());
            }
        }
    }

    private static float[] ones(int count) {
        float[] ones = new float[count];
        java.util.Arrays.fill(ones, 1);
        return ones;
    }
}
