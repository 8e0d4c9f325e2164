package dev.tilewright.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.Thorough;
import dev.tilewright.builder.VectorCopy;
import dev.tilewright.gpu.concurrent.CallsInProgress;
import dev.tilewright.gpu.emulation.EmulatedCuda;
import dev.tilewright.layout.ElementType;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is closed while other threads use it is given back after their calls, and refused to the next. */
@Timeout(300)
class CallsInProgressTest {
    private static final int ROUNDS = Thorough.of(40, 100);

    @Test
    void aCloseWaitsForTheCallsBeforeItAlone() throws InterruptedException {
        CallsInProgress calls = new CallsInProgress();
        calls.awaitEnd();
        int first = calls.begin();
        CountDownLatch ended = new CountDownLatch(1);
        Thread closer = Thread.startVirtualThread(() -> {
            calls.awaitEnd();
            ended.countDown();
        });
        assertFalse(ended.await(50, TimeUnit.MILLISECONDS));
        calls.end(first);
        closer.join();
        assertEquals(0, ended.getCount());
    }

    @Test
    void itEndsWhileOthersCallWithoutAPause() throws InterruptedException {
        CallsInProgress calls = new CallsInProgress();
        AtomicBoolean stop = new AtomicBoolean();
        List<Thread> callers = IntStream.range(0, 4).mapToObj(_ -> Thread.ofPlatform().start(() -> {
            while (!stop.get()) {
                calls.end(calls.begin());
            }
        })).toList();
        for (int i = 0; i < Thorough.of(50, 200); i++) {
            calls.awaitEnd();
        }
        stop.set(true);
        for (Thread caller : callers) {
            caller.join();
        }
        calls.awaitEnd();
    }

    /** Launches, fills, copies and graph starts of a buffer that another thread closes: done, or refused as closed. */
    @Test
    void nothingIsUsedThatWasGivenBack() throws InterruptedException {
        EmulatedCuda cuda = new EmulatedCuda();
        var copy = VectorCopy.of(ElementType.F32).build();
        Set<String> said = ConcurrentHashMap.newKeySet();
        AtomicReference<Throwable> wrong = new AtomicReference<>();
        try (Gpu gpu = Gpu.options().choose(cuda, cuda).open(); Kernel kernel = gpu.load(copy);
                Buffer<float[]> from = gpu.upload(new float[64]); Stream stream = gpu.nonBlockingStream()) {
            for (int round = 0; round < ROUNDS && wrong.get() == null; round++) {
                Buffer<float[]> to = gpu.floats(64);
                KernelLaunch launch = kernel.prepare(List.of(64L), from, to).on(stream);
                Graph graph = stream.capture(_ -> launch.start());
                List<Runnable> uses = List.of(launch::start, () -> stream.fill(to, (byte) 1),
                        () -> stream.copy(from, to), graph::start, () -> to.upload(new float[64]));
                Runnable use = uses.get(round % uses.size());
                CountDownLatch go = new CountDownLatch(1);
                Thread user = Thread.ofPlatform().start(() -> {
                    go.countDown();
                    try {
                        while (true) {
                            use.run();
                        }
                    } catch (IllegalStateException e) {
                        said.add(e.getMessage().replaceAll("[0-9]+", "N"));
                    } catch (Throwable e) {
                        wrong.compareAndSet(null, e);
                    }
                });
                go.await();
                Thread.sleep(0, 200_000);
                to.close();
                user.join();
                graph.close();
                stream.synchronize();
            }
            assertNull(wrong.get(), () -> "" + wrong.get());
            assertTrue(said.stream().allMatch(s -> s.contains("is closed") || s.contains("was closed")),
                    said::toString);
            assertTrue(cuda.fault(0).isEmpty(), () -> cuda.fault(0).orElseThrow());
        }
    }
}
