package dev.tilewright.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.builder.VectorCopy;
import dev.tilewright.gpu.cuda.DriverApi;
import dev.tilewright.gpu.device.CudaException;
import dev.tilewright.gpu.emulation.EmulatedCuda;
import dev.tilewright.gpu.emulation.state.DeviceModel;
import dev.tilewright.gpu.emulation.state.ExecutionOrder;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.ComputingKernels;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

/** Whatever handle a call has in hand: it is given back after the call, though another thread closes it meanwhile. */
@Order(20)
@Timeout(300)
class ClosingRacesTest {
    private static final DeviceModel MODEL = DeviceModel.hopper(1L << 30);

    private static final Set<Thread.State> WAITS =
            EnumSet.of(Thread.State.WAITING, Thread.State.TIMED_WAITING, Thread.State.BLOCKED);

    private EmulatedCuda cuda;
    private PausingDriver driver;
    private List<Gpu> gpus;
    private Things things;

    private void open() {
        cuda = new EmulatedCuda(ExecutionOrder.LAZY, MODEL, MODEL);
        driver = new PausingDriver(cuda);
        gpus = Gpu.options().choose(driver.api(), cuda).openAll();
    }

    @AfterEach
    void close() {
        if (gpus != null) {
            gpus.forEach(Gpu::close);
        }
    }

    /** One of each that has a handle. */
    private final class Things {
        private final Gpu gpu = gpus.getFirst();
        private final dev.tilewright.gpu.Stream stream = gpu.stream();
        private final Buffer<float[]> x = gpu.upload(new float[128]);
        private final Buffer<float[]> y = gpu.upload(new float[128]);
        private final Buffer<byte[]> ordered = stream.allocate(ArrayType.BYTES, 16);
        private final Buffer<byte[]> there = gpus.getLast().bytes(64);
        private final Event first = recorded();
        private final Event second = recorded();
        private final PinnedMemory pinned = gpu.pinned(64);
        private final MemorySegment host = Arena.ofAuto().allocate(64);
        private final RegisteredMemory registered = gpu.register(host);
        private final Kernel kernel = gpu.load(ComputingKernels.axpy());
        private final KernelLaunch launch = launch(kernel);
        private final Graph graph = stream.capture(s -> {
            s.upload(pinned.segment(), x);
            launch.start();
        });

        private Things() {
            // So that it is unloaded when it is closed, not kept for the next.
            kernel.preferSharedMemory(0);
        }

        private KernelLaunch launch(Kernel of) {
            return of.prepare().grid(1).set("a", 1.0).set("x", x).set("y", y).on(stream);
        }

        private void close() {
            Stream.of(graph, kernel, registered, pinned, second, first, there, ordered, y, x, stream)
                    .forEach(thing -> said(() -> ClosingRacesTest.close(thing)));
        }

        private Event recorded() {
            Event event = gpu.timedEvent();
            stream.record(event);
            stream.synchronize();
            return event;
        }
    }

    /** A use, the driver's function that it calls, what is closed meanwhile, and the function that gives that back. */
    private record Meeting(String use, String call, Function<Things, Runnable> act, String closed,
            Function<Things, AutoCloseable> thing, String release) {

        private String title() {
            return use + " and the end of " + closed;
        }
    }

    private static Stream<Meeting> meetings(String use, String call, Function<Things, Runnable> act,
            String... closed) {
        return Stream.of(closed).map(what -> switch (what) {
            case "stream" -> new Meeting(use, call, act, what, t -> t.stream, "cuStreamDestroy");
            case "event" -> new Meeting(use, call, act, what, t -> t.first, "cuEventDestroy");
            case "other event" -> new Meeting(use, call, act, what, t -> t.second, "cuEventDestroy");
            case "buffer" -> new Meeting(use, call, act, what, t -> t.x, "cuMemFree");
            case "other buffer" -> new Meeting(use, call, act, what, t -> t.y, "cuMemFree");
            case "pinned memory" -> new Meeting(use, call, act, what, t -> t.pinned, "cuMemFreeHost");
            case "registration" -> new Meeting(use, call, act, what, t -> t.registered, "cuMemHostUnregister");
            case "kernel" -> new Meeting(use, call, act, what, t -> t.kernel, "cuModuleUnload");
            case "graph" -> new Meeting(use, call, act, what, t -> t.graph, "cuGraphExecDestroy");
            case "GPU" -> new Meeting(use, call, act, what, t -> t.gpu, "cuDevicePrimaryCtxRelease");
            default -> throw new IllegalArgumentException(what);
        });
    }

    /** The driver has said that an event has no time yet: another thread's record behind that changes nothing. */
    @Test
    void anEventThatIsRecordedBehindTheAnswerHadNoTime() throws Exception {
        open();
        Gpu gpu = gpus.getFirst();
        try (dev.tilewright.gpu.Stream stream = gpu.stream(); Event begin = gpu.timedEvent(); Event end =
                gpu.timedEvent()) {
            stream.record(begin);
            driver.pauseNextWhenAnswered("cuEventElapsedTime");
            CompletableFuture<Double> time = CompletableFuture.supplyAsync(() -> end.millisecondsSince(begin));
            driver.awaitPause();
            stream.record(end);
            driver.goOn();
            ExecutionException e = assertThrows(ExecutionException.class, () -> time.get(3, TimeUnit.MINUTES));
            assertEquals("an event was never recorded: Stream.record gives it a time", e.getCause().getMessage());
        }
    }

    private Stream<Meeting> meetings() {
        return Stream.of(
                meetings("isDone", "cuEventQuery", t -> t.first::isDone, "event", "GPU"),
                meetings("a wait for an event", "cuEventSynchronize", t -> t.first::synchronize, "event", "GPU"),
                meetings("a time", "cuEventElapsedTime", t -> () -> t.second.millisecondsSince(t.first), "event",
                        "other event", "GPU"),
                meetings("record", "cuEventRecord", t -> () -> t.stream.record(t.first), "event", "stream", "GPU"),
                meetings("waitFor", "cuStreamWaitEvent", t -> () -> t.stream.waitFor(t.first), "event", "stream",
                "GPU"), meetings("isIdle", "cuStreamQuery", t -> t.stream::isIdle, "stream", "GPU"),
                meetings("a wait for a stream", "cuStreamSynchronize", t -> t.stream::synchronize, "stream", "GPU"),
                meetings("a future", "cuEventRecord", t -> t.stream::completion, "stream", "GPU"),
                meetings("fill", "cuMemsetD8Async", t -> () -> t.stream.fill(t.x, (byte) 1), "stream", "buffer", "GPU"),
                meetings("copy", "cuMemcpyDtoDAsync", t -> () -> t.stream.copy(t.x, t.y), "stream", "buffer",
                        "other buffer", "GPU"),
                meetings("upload", "cuMemcpyHtoDAsync", t -> () -> t.stream.upload(t.pinned.segment(), t.x), "stream",
                        "buffer", "pinned memory", "GPU"),
                meetings("download", "cuMemcpyDtoHAsync", t -> () -> t.stream.download(t.x, t.host.asSlice(4, 8)),
                        "stream", "buffer", "registration", "GPU"),
                meetings("an upload by another GPU", "cuMemcpyHtoDAsync", 
                        t -> () -> t.there.gpu().defaultStream().upload(t.pinned.segment(), t.there), "pinned memory",
                        "GPU"),
                meetings("an upload of an array", "cuMemcpyHtoDAsync", t -> () -> t.x.upload(new float[128]), "buffer",
                        "GPU"),
                meetings("allocate", "cuMemAllocAsync", t -> () -> t.stream.allocate(ArrayType.BYTES, 16).close(),
                "stream",
                        "GPU"),
                meetings("the end of ordered memory", "cuMemFreeAsync", t -> t.ordered::close, "stream", "GPU"),
                meetings("a launch", "cuLaunchKernelEx", t -> t.launch::start, "stream", "buffer", "kernel", "GPU"),
                meetings("a captured launch", "cuLaunchKernelEx",
                        t -> () -> t.stream.capture(_ -> t.launch.start()).close(), "stream", "buffer", "kernel",
                        "GPU"),
                meetings("a graph's start", "cuGraphLaunch", t -> t.graph::start, "graph", "stream", "buffer", "kernel",
                        "pinned memory", "GPU"),
                meetings("a graph's update", "cuGraphExecKernelNodeSetParams", t -> () -> t.graph.update(t.launch),
                        "graph", "buffer", "kernel", "GPU"),
                meetings("preferSharedMemory", "cuFuncSetAttribute", t -> () -> t.kernel.preferSharedMemory(50),
                "kernel",
                        "GPU"),
                meetings("free memory", "cuMemGetInfo", t -> t.gpu::memory, "GPU"),
                meetings("a load", "cuModuleLoadData", t -> () -> t.gpu.load(VectorCopy.of(ElementType.F32).build())
                .close(), "GPU"), meetings("a wait for the GPU", "cuCtxSynchronize", t -> t.gpu::synchronize, "GPU"))
                .flatMap(s -> s);
    }

    /** One thread is in the driver with a handle when another closes it. */
    @TestFactory
    Stream<DynamicTest> itIsGivenBackAfterTheCallThatHasIt() {
        return meetings().map(meeting -> DynamicTest.dynamicTest(meeting.title(), () -> {
            open();
            things = new Things();
            try {
                meet(meeting);
            } finally {
                close();
            }
        }));
    }

    /** A stream is being given back by another thread when its GPU is closed, and then the driver does not take it. */
    @Test
    void whatIsRefusedMeanwhileIsOfferedAgainBeforeTheContextGoes() throws Exception {
        cuda = new EmulatedCuda(ExecutionOrder.LAZY, MODEL);
        FailingDriver refusing = new FailingDriver(cuda).failNext("cuStreamDestroy", 2);
        driver = new PausingDriver(refusing.api());
        gpus = List.of(Gpu.options().choose(driver.api(), cuda).open());
        dev.tilewright.gpu.Stream stream = gpus.getFirst().stream();
        driver.pauseNext("cuStreamDestroy");
        CompletableFuture<Void> givingBack = inThread(new AtomicReference<>(), stream::close);
        driver.awaitPause();
        AtomicReference<Thread> thread = new AtomicReference<>();
        CompletableFuture<Void> closing = inThread(thread, gpus.getFirst()::close);
        while (!closing.isDone() && thread.get().getState() != Thread.State.BLOCKED) {
            Thread.onSpinWait();
        }
        driver.goOn();
        closing.get(3, TimeUnit.MINUTES);
        assertTrue(assertThrows(ExecutionException.class, () -> givingBack.get(3, TimeUnit.MINUTES)).getCause()
                instanceof CudaException);
        assertEquals(List.of(), cuda.leaks());
    }

    private void meet(Meeting meeting) throws Exception {
        Runnable act = meeting.act().apply(things);
        AutoCloseable thing = meeting.thing().apply(things);
        driver.pauseNext(meeting.call());
        CompletableFuture<Void> acting = inThread(new AtomicReference<>(), act);
        driver.awaitPause();
        AtomicReference<Thread> thread = new AtomicReference<>();
        CompletableFuture<Void> closing = inThread(thread, () -> close(thing));
        while (!closing.isDone() && !WAITS.contains(thread.get().getState())) {
            Thread.onSpinWait();
        }
        boolean early = driver.calls().contains(meeting.release());
        driver.goOn();
        closing.get(3, TimeUnit.MINUTES);
        try {
            acting.get(3, TimeUnit.MINUTES);
        } catch (ExecutionException e) {
            // What comes after the call may find it closed.
            assertTrue(e.getCause() instanceof IllegalStateException, () -> "" + e.getCause());
        }
        assertFalse(early, () -> meeting.release() + " came while " + meeting.call() + " was being made");
        assertEquals(List.of(), driver.refused());
        assertNotEquals(-1, driver.calls().lastIndexOf(meeting.release()), driver.calls()::toString);
        assertTrue(driver.calls().indexOf(meeting.call()) < driver.calls().lastIndexOf(meeting.release()),
                driver.calls()::toString);
        assertTrue(cuda.fault(0).isEmpty(), () -> cuda.fault(0).orElseThrow());
    }

    private static CompletableFuture<Void> inThread(AtomicReference<Thread> thread, Runnable work) {
        return CompletableFuture.runAsync(work, task -> {
            thread.set(Thread.ofPlatform().unstarted(task));
            thread.get().start();
        });
    }

    private static void close(AutoCloseable thing) {
        try {
            thing.close();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /**
     * All of it by several threads at once, on things that come and go: what a call finds closed it says, and the
     * driver refuses nothing. {@code -Dtilewright.closing.operations} makes more than some thousands.
     */
    @Test
    void threadsThatUseAndCloseWhatTheyLike() throws Exception {
        open();
        driver.noteRefusals();
        int threads = 4;
        int operations = Integer.getInteger("tilewright.closing.operations", 8_000) / threads;
        AtomicReferenceArray<Things> shared = new AtomicReferenceArray<>(2);
        IntStream.range(0, 2).forEach(i -> shared.set(i, new Things()));
        List<Function<Things, Runnable>> uses = meetings().map(Meeting::act).distinct().toList();
        List<Function<Things, AutoCloseable>> closed = meetings().filter(m -> !m.closed().equals("GPU"))
                .map(Meeting::thing).toList();
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            Random random = new Random(t);
            all.add(inThread(new AtomicReference<>(), () -> {
                for (int i = 0; i < operations; i++) {
                    int at = random.nextInt(shared.length());
                    Things now = shared.get(at);
                    if (random.nextInt(40) == 0) {
                        shared.getAndSet(at, new Things()).close();
                    } else if (random.nextInt(20) == 0) {
                        AutoCloseable one = closed.get(random.nextInt(closed.size())).apply(now);
                        said(() -> close(one));
                    } else {
                        said(uses.get(random.nextInt(uses.size())).apply(now));
                    }
                }
            }));
        }
        for (CompletableFuture<Void> one : all) {
            one.get(4, TimeUnit.MINUTES);
        }
        IntStream.range(0, shared.length()).forEach(i -> shared.get(i).close());
        assertEquals(List.of(), driver.refused());
        assertTrue(cuda.fault(0).isEmpty(), () -> cuda.fault(0).orElseThrow());
    }

    /** Does it, or hears that something is closed, or is in a capture of another thread. */
    private static void said(Runnable work) {
        try {
            work.run();
        } catch (IllegalStateException e) {
            if (!e.getMessage().contains("closed") && !e.getMessage().contains("captur")) {
                throw e;
            }
        } catch (CudaException e) {
            // Another thread has recorded an event whose time is asked for.
            if (e.error().number() != DriverApi.NOT_READY) {
                throw e;
            }
        }
    }
}
