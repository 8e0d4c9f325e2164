package dev.tilewright.gpu.emulation;

import static dev.tilewright.gpu.emulation.Session.bytes;
import static dev.tilewright.gpu.emulation.Session.ok;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.gpu.emulation.state.ExecutionOrder;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What runs before what, and when. */
class EmulatedStreamsTest {
    private final Session s = new Session();
    private final long memory = s.allocate(4);

    @AfterEach
    void close() {
        s.close();
    }

    private void assertHolds(int value) {
        assertArrayEquals(bytes(value, 4), s.look(memory, 4));
    }

    @Test
    void workIsDoneWhenSomebodyWaits() {
        long stream = s.stream();
        s.fill(memory, 1, 4, stream);
        assertHolds(0xAB);
        ok(s.cuda.cuStreamSynchronize(stream));
        assertHolds(1);
    }

    @Test
    void eagerWorkIsDoneAtOnce() {
        try (Session eager = new Session(ExecutionOrder.EAGER, 1 << 20)) {
            long address = eager.allocate(4);
            long stream = eager.stream();
            eager.fill(address, 1, 4, stream);
            assertArrayEquals(bytes(1, 4), eager.look(address, 4));
            ok(eager.cuda.cuStreamQuery(stream));
        }
    }

    @Test
    void anotherStreamsWaitDoesNothingForThisOne() {
        long first = s.stream();
        long second = s.stream();
        s.fill(memory, 1, 4, first);
        ok(s.cuda.cuStreamSynchronize(second));
        assertHolds(0xAB);
        ok(s.cuda.cuCtxSynchronize());
        assertHolds(1);
    }

    @Test
    void theDefaultStreamWaitsForOrdinaryStreamsAndTheyForIt() {
        long first = s.stream();
        long second = s.stream();
        s.fill(memory, 1, 4, first);
        s.fill(memory, 2, 4, 0);
        s.fill(memory, 3, 2, second);
        ok(s.cuda.cuStreamSynchronize(second));
        assertArrayEquals(new byte[] {3, 3, 2, 2}, s.look(memory, 4));
    }

    @Test
    void waitingForTheDefaultStreamIsWaitingForOrdinaryStreams() {
        long stream = s.stream();
        s.fill(memory, 1, 4, stream);
        assertEquals(600, s.cuda.cuStreamQuery(0));
        ok(s.cuda.cuStreamQuery(0));
        assertHolds(1);
        s.fill(memory, 2, 4, stream);
        ok(s.cuda.cuStreamSynchronize(1));
        assertHolds(2);
    }

    @Test
    void nonBlockingStreamsKnowNothingOfTheDefaultStream() {
        long stream = s.nonBlocking();
        s.fill(memory, 1, 4, stream);
        ok(s.cuda.cuStreamSynchronize(0));
        assertHolds(0xAB);
        s.fill(memory, 2, 4, 0);
        ok(s.cuda.cuStreamSynchronize(stream));
        assertHolds(1);
        ok(s.cuda.cuStreamSynchronize(0));
        assertHolds(2);
    }

    @Test
    void aQueryDoesOnePieceOfWork() {
        long stream = s.stream();
        s.fill(memory, 1, 4, stream);
        s.fill(memory, 2, 4, stream);
        assertEquals(600, s.cuda.cuStreamQuery(stream));
        assertHolds(1);
        assertEquals(600, s.cuda.cuStreamQuery(stream));
        assertHolds(2);
        ok(s.cuda.cuStreamQuery(stream));
    }

    @Test
    void eventsOrderStreams() {
        long first = s.nonBlocking();
        long second = s.nonBlocking();
        long event = s.event();
        ok(s.cuda.cuEventQuery(event));
        ok(s.cuda.cuEventSynchronize(event));
        ok(s.cuda.cuStreamWaitEvent(second, event, 0));
        s.fill(memory, 1, 4, first);
        ok(s.cuda.cuEventRecord(event, first));
        s.fill(memory, 2, 4, first);
        ok(s.cuda.cuStreamWaitEvent(second, event, 0));
        s.fill(memory, 3, 2, second);
        ok(s.cuda.cuStreamSynchronize(second));
        assertArrayEquals(new byte[] {3, 3, 1, 1}, s.look(memory, 4));
        ok(s.cuda.cuEventQuery(event));
        ok(s.cuda.cuStreamSynchronize(first));
        assertHolds(2);
    }

    @Test
    void streamsThatWaitForEachOtherInTurn() {
        long first = s.nonBlocking();
        long second = s.nonBlocking();
        List<Long> events = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            s.fill(memory, i, 4, i % 2 == 0 ? first : second);
            long event = s.event();
            ok(s.cuda.cuEventRecord(event, i % 2 == 0 ? first : second));
            ok(s.cuda.cuStreamWaitEvent(i % 2 == 0 ? second : first, event, 0));
            events.add(event);
        }
        ok(s.cuda.cuEventSynchronize(events.get(50)));
        assertHolds(50);
        ok(s.cuda.cuStreamSynchronize(first));
        assertHolds(99);
    }

    @Test
    void anEventStandsForWhatWasThereWhenItWasRecorded() {
        long stream = s.stream();
        long event = s.event();
        s.fill(memory, 1, 4, stream);
        ok(s.cuda.cuEventRecord(event, stream));
        s.fill(memory, 2, 4, stream);
        assertEquals(600, s.cuda.cuEventQuery(event));
        ok(s.cuda.cuEventSynchronize(event));
        assertHolds(1);
    }

    @Test
    void timesAreThoseOfTheWork() {
        long stream = s.stream();
        long begin = s.event();
        long end = s.event();
        MemorySegment time = s.arena.allocate(JAVA_FLOAT);
        assertEquals(400, s.cuda.cuEventElapsedTime(time, begin, end));
        ok(s.cuda.cuEventRecord(begin, stream));
        s.fill(memory, 1, 4, stream);
        ok(s.cuda.cuEventRecord(end, stream));
        assertEquals(600, s.cuda.cuEventElapsedTime(time, begin, end));
        ok(s.cuda.cuEventSynchronize(end));
        ok(s.cuda.cuEventElapsedTime(time, begin, end));
        assertTrue(time.get(JAVA_FLOAT, 0) >= 0);
        long untimed = s.value(p -> s.cuda.cuEventCreate(p, 2));
        ok(s.cuda.cuEventRecord(untimed, stream));
        ok(s.cuda.cuEventSynchronize(untimed));
        assertEquals(400, s.cuda.cuEventElapsedTime(time, begin, untimed));
    }

    @Test
    void aDestroyedStreamStillDoesItsWork() {
        long stream = s.stream();
        s.fill(memory, 1, 4, stream);
        ok(s.cuda.cuStreamDestroy(stream));
        assertEquals(400, s.cuda.cuStreamDestroy(stream));
        assertEquals(400, s.cuda.cuStreamSynchronize(stream));
        assertHolds(0xAB);
        assertArrayEquals(bytes(1, 4), s.download(memory, 4));
    }

    @Test
    void handlesAndFlagsAreLookedAt() {
        assertEquals(1, s.refused(p -> s.cuda.cuStreamCreate(p, 2, 0)));
        assertEquals(1, s.refused(p -> s.cuda.cuEventCreate(p, 8)));
        long event = s.event();
        assertEquals(1, s.cuda.cuStreamWaitEvent(0, event, 1));
        assertEquals(400, s.cuda.cuStreamWaitEvent(event, event, 0));
        assertEquals(400, s.cuda.cuEventRecord(s.stream(), 0));
        ok(s.cuda.cuEventDestroy(event));
        assertEquals(400, s.cuda.cuEventDestroy(event));
        assertEquals(1, s.cuda.cuStreamCreate(MemorySegment.NULL, 0, 0));
    }

    @Test
    void onlySoMuchWaits() {
        long stream = s.stream();
        for (int i = 0; i < 3000; i++) {
            s.fill(memory, i % 100, 4, stream);
        }
        assertTrue(s.look(memory, 1)[0] != (byte) 0xAB);
        ok(s.cuda.cuStreamSynchronize(stream));
        assertHolds(99);
    }

    /** A driver call does not end early because a thread is interrupted, and the thread stays interrupted. */
    @Test
    void interruptsAreNotTheGpus() {
        long floats = s.allocate(128);
        ok(s.cuda.cuMemsetD8Async(floats, (byte) 0, 128, 0));
        var add = EmulatedKernelsTest.add(2);
        ok(s.cuda.cuLaunchKernelEx(s.config(add, 1, 0).segment(), s.function(add), s.arguments(s.argument(floats)),
                0));
        Thread.currentThread().interrupt();
        ok(s.cuda.cuStreamSynchronize(0));
        assertTrue(Thread.interrupted());
        assertEquals(2, MemorySegment.ofArray(s.download(floats, 4)).get(JAVA_FLOAT_UNALIGNED, 0));
    }
}
