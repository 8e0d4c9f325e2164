package dev.tilewright.bench.tune;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.builder.Schedule;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class MadeAheadTest {
    private static final Schedule FIRST = Schedule.parse("stages=2");
    private static final Schedule SECOND = Schedule.parse("stages=3");
    private static final Schedule NEVER = Schedule.parse("stages=4");

    @Test
    void whatIsBeingMadeAtTheEndIsUnloadedToo() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch ended = new CountDownLatch(1);
        ConcurrentLinkedQueue<Schedule> unloaded = new ConcurrentLinkedQueue<>();
        try (ExecutorService one = Executors.newSingleThreadExecutor()) {
            MadeAhead<Schedule> ahead = new MadeAhead<>(one, schedule -> {
                if (schedule.equals(SECOND)) {
                    begun.countDown();
                    await(ended);
                }
                return schedule;
            }, unloaded::add);
            ahead.request(List.of(FIRST, SECOND, NEVER));
            assertEquals(FIRST, ahead.get(FIRST));
            await(begun);
            ahead.close();
            ended.countDown();
            one.shutdown();
            assertTrue(one.awaitTermination(2, TimeUnit.MINUTES));
        }
        assertEquals(List.of(FIRST, SECOND), List.copyOf(unloaded));
    }

    private static void await(CountDownLatch latch) {
        try {
            assertTrue(latch.await(2, TimeUnit.MINUTES));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
