package dev.tilewright.gpu.emulation;

import static dev.tilewright.gpu.emulation.Session.bytes;
import static dev.tilewright.gpu.emulation.Session.ok;
import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.gpu.cuda.KernelNode;
import dev.tilewright.gpu.cuda.LaunchConfig;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Captures, graphs, and what is refused while a capture is under way. */
class EmulatedCaptureTest {
    private static final int GLOBAL = 0;
    private static final int THREAD_LOCAL = 1;
    private static final int RELAXED = 2;

    private final Session s = new Session();
    private final long memory = s.allocate(4);
    private final long stream = s.stream();

    @AfterEach
    void close() {
        s.close();
    }

    private void begin(int mode) {
        ok(s.cuda.cuStreamBeginCapture(stream, mode));
    }

    private long end() {
        return s.value(p -> s.cuda.cuStreamEndCapture(stream, p));
    }

    private void launch(long graph, int times) {
        long executable = s.value(p -> s.cuda.cuGraphInstantiate(p, graph, 0));
        for (int i = 0; i < times; i++) {
            ok(s.cuda.cuGraphLaunch(executable, stream));
        }
        ok(s.cuda.cuGraphExecDestroy(executable));
    }

    private void assertHolds(int... values) {
        byte[] expected = new byte[values.length];
        for (int i = 0; i < values.length; i++) {
            expected[i] = (byte) values[i];
        }
        assertArrayEquals(expected, s.download(memory, values.length));
    }

    @Test
    void whatIsCapturedRunsWhenTheGraphIsLaunched() {
        begin(THREAD_LOCAL);
        s.fill(memory, 1, 4, stream);
        s.fill(memory, 2, 2, stream);
        long graph = end();
        assertHolds(0xAB, 0xAB, 0xAB, 0xAB);
        launch(graph, 1);
        assertHolds(2, 2, 1, 1);
        s.fill(memory, 9, 4, stream);
        launch(graph, 3);
        assertHolds(2, 2, 1, 1);
        ok(s.cuda.cuGraphDestroy(graph));
        assertEquals(1, s.cuda.cuGraphDestroy(graph));
    }

    @Test
    void otherStreamsJoinByEvents() {
        long other = s.stream();
        long fork = s.event();
        long join = s.event();
        begin(GLOBAL);
        s.fill(memory, 1, 4, stream);
        ok(s.cuda.cuEventRecord(fork, stream));
        ok(s.cuda.cuStreamWaitEvent(other, fork, 0));
        s.fill(memory, 2, 2, other);
        s.fill(memory + 2, 3, 2, stream);
        ok(s.cuda.cuEventRecord(join, other));
        ok(s.cuda.cuStreamWaitEvent(stream, join, 0));
        s.fill(memory, 4, 1, stream);
        assertEquals(903, s.refused(p -> s.cuda.cuStreamEndCapture(other, p)));
        long graph = end();
        MemorySegment count = s.argument(0L);
        ok(s.cuda.cuGraphGetNodes(graph, MemorySegment.NULL, count));
        assertEquals(4, count.get(JAVA_LONG, 0));
        launch(graph, 1);
        assertHolds(4, 2, 3, 3);
        assertEquals(907, s.cuda.cuEventQuery(join));
        assertEquals(907, s.cuda.cuStreamWaitEvent(stream, join, 0));
    }

    @Test
    void aForkThatDoesNotComeBackGivesNoGraph() {
        long other = s.stream();
        long fork = s.event();
        begin(GLOBAL);
        s.fill(memory, 1, 4, stream);
        ok(s.cuda.cuEventRecord(fork, stream));
        ok(s.cuda.cuStreamWaitEvent(other, fork, 0));
        s.fill(memory, 2, 2, other);
        assertEquals(904, s.refused(p -> s.cuda.cuStreamEndCapture(stream, p)));
        ok(s.cuda.cuStreamSynchronize(other));
        assertEquals(401, s.refused(p -> s.cuda.cuStreamEndCapture(stream, p)));
    }

    @Test
    void twoCapturesDoNotMeet() {
        long other = s.stream();
        long event = s.event();
        begin(RELAXED);
        ok(s.cuda.cuStreamBeginCapture(other, RELAXED));
        ok(s.cuda.cuEventRecord(event, stream));
        assertEquals(902, s.cuda.cuStreamWaitEvent(other, event, 0));
        assertEquals(901, s.refused(p -> s.cuda.cuStreamEndCapture(stream, p)));
        assertEquals(901, s.refused(p -> s.cuda.cuStreamEndCapture(other, p)));
        ok(s.cuda.cuStreamSynchronize(stream));
    }

    @Test
    void aCaptureDoesNotWaitForWhatWasBeforeIt() {
        long event = s.event();
        ok(s.cuda.cuEventRecord(event, stream));
        begin(RELAXED);
        assertEquals(905, s.cuda.cuStreamWaitEvent(stream, event, 0));
        assertEquals(901, s.cuda.cuMemsetD8Async(memory, (byte) 0, 4, stream));
        assertEquals(901, s.refused(p -> s.cuda.cuStreamEndCapture(stream, p)));
    }

    @Test
    void theDefaultStreamSpoilsACapture() {
        begin(RELAXED);
        assertEquals(906, s.cuda.cuMemsetD8Async(memory, (byte) 0, 4, 0));
        assertEquals(2, status());
        assertEquals(901, s.refused(p -> s.cuda.cuStreamEndCapture(stream, p)));
        assertEquals(900, s.cuda.cuStreamBeginCapture(0, RELAXED));
        begin(RELAXED);
        assertEquals(906, s.refused(p -> s.cuda.cuStreamGetCaptureInfo(0, p, MemorySegment.NULL, MemorySegment.NULL,
                MemorySegment.NULL, MemorySegment.NULL)));
        assertEquals(401, s.cuda.cuStreamBeginCapture(stream, RELAXED));
        end();
    }

    @Test
    void aCapturedStreamCannotBeWaitedFor() {
        begin(RELAXED);
        assertEquals(900, s.cuda.cuStreamSynchronize(stream));
        assertEquals(901, s.refused(p -> s.cuda.cuStreamEndCapture(stream, p)));
        begin(RELAXED);
        assertEquals(900, s.cuda.cuCtxSynchronize());
        assertEquals(901, s.refused(p -> s.cuda.cuStreamEndCapture(stream, p)));
        begin(RELAXED);
        assertEquals(900, s.cuda.cuStreamQuery(stream));
        ok(s.cuda.cuStreamDestroy(stream));
    }

    @Test
    void whatGoesThroughNoStreamIsUnsafe() throws InterruptedException {
        begin(THREAD_LOCAL);
        assertEquals(0, elsewhere());
        assertEquals(900, s.refused(p -> s.cuda.cuMemAlloc(p, 16)));
        assertEquals(901, s.refused(p -> s.cuda.cuStreamEndCapture(stream, p)));
        begin(GLOBAL);
        assertEquals(900, elsewhere());
        assertEquals(901, s.refused(p -> s.cuda.cuStreamEndCapture(stream, p)));
        begin(RELAXED);
        s.allocate(16);
        assertEquals(0, elsewhere());
        end();
    }

    /** An allocation by another thread. */
    private int elsewhere() throws InterruptedException {
        AtomicInteger result = new AtomicInteger();
        Thread.ofPlatform().start(() -> {
            ok(s.cuda.cuCtxSetCurrent(s.context));
            result.set(s.refused(p -> s.cuda.cuMemAlloc(p, 16)));
        }).join();
        return result.get();
    }

    @Test
    void theThreadThatBeganACaptureEndsIt() throws InterruptedException {
        begin(THREAD_LOCAL);
        AtomicInteger result = new AtomicInteger();
        Thread.ofPlatform().start(() -> {
            ok(s.cuda.cuCtxSetCurrent(s.context));
            result.set(s.refused(p -> s.cuda.cuStreamEndCapture(stream, p)));
        }).join();
        assertEquals(908, result.get());
        end();
    }

    private int status() {
        return s.number(p -> s.cuda.cuStreamGetCaptureInfo(stream, p, MemorySegment.NULL, MemorySegment.NULL,
                MemorySegment.NULL, MemorySegment.NULL));
    }

    @Test
    void theNodeOfTheLastLaunchIsKnown() {
        assertEquals(0, status());
        begin(RELAXED);
        assertEquals(1, status());
        s.fill(memory, 1, 4, stream);
        MemorySegment out = s.arena.allocate(JAVA_LONG, 5);
        ok(s.cuda.cuStreamGetCaptureInfo(stream, out.asSlice(0, 8), out.asSlice(8, 8), out.asSlice(16, 8),
                out.asSlice(24, 8), out.asSlice(32, 8)));
        assertEquals(1, out.get(JAVA_INT, 0));
        assertTrue(out.get(JAVA_LONG, 8) > 0);
        assertEquals(1, out.get(JAVA_LONG, 32));
        long node = out.get(ADDRESS, 24).reinterpret(8).get(JAVA_LONG, 0);
        assertEquals(1, s.cuda.cuGraphDestroy(out.get(JAVA_LONG, 16)));
        long graph = end();
        assertEquals(graph, out.get(JAVA_LONG, 16));
        MemorySegment nodes = s.arena.allocate(JAVA_LONG, 3);
        MemorySegment count = s.argument(3L);
        ok(s.cuda.cuGraphGetNodes(graph, nodes, count));
        assertEquals(1, count.get(JAVA_LONG, 0));
        assertArrayEquals(new long[] {node, 0, 0}, nodes.toArray(JAVA_LONG));
        assertEquals(0, status());
    }

    @Test
    void kernelsOfAnExecutableGraphTakeOtherArguments() {
        var add = EmulatedKernelsTest.add(1);
        long function = s.function(add);
        long first = s.allocate(128);
        long second = s.allocate(128);
        s.fill(first, 0, 128, 0);
        s.fill(second, 0, 128, 0);
        LaunchConfig config = s.config(add, 1, stream);
        begin(RELAXED);
        ok(s.cuda.cuLaunchKernelEx(config.segment(), function, s.arguments(s.argument(first)), 0));
        s.fill(memory, 1, 4, stream);
        long graph = end();
        MemorySegment nodes = s.arena.allocate(JAVA_LONG, 2);
        ok(s.cuda.cuGraphGetNodes(graph, nodes, s.argument(2L)));
        long executable = s.value(p -> s.cuda.cuGraphInstantiate(p, graph, 0));
        ok(s.cuda.cuGraphLaunch(executable, stream));
        MemorySegment other = KernelNode.of(config.segment(), function, s.arguments(s.argument(second)), s.arena);
        ok(s.cuda.cuGraphExecKernelNodeSetParams(executable, nodes.getAtIndex(JAVA_LONG, 0), other));
        assertEquals(1, s.cuda.cuGraphExecKernelNodeSetParams(executable, nodes.getAtIndex(JAVA_LONG, 1), other));
        ok(s.cuda.cuGraphDestroy(graph));
        ok(s.cuda.cuGraphLaunch(executable, stream));
        ok(s.cuda.cuGraphLaunch(executable, stream));
        assertFalse(Arrays.equals(bytes(0, 4), s.download(first, 4)));
        assertEquals(1, asFloat(s.download(first, 4)));
        assertEquals(2, asFloat(s.download(second, 4)));
    }

    private static float asFloat(byte[] bytes) {
        return MemorySegment.ofArray(bytes).get(JAVA_FLOAT_UNALIGNED, 0);
    }

    @Test
    void oneExecutableGraphFollowsItselfOnAnyStream() {
        begin(RELAXED);
        s.fill(memory, 1, 4, stream);
        long graph = end();
        long executable = s.value(p -> s.cuda.cuGraphInstantiate(p, graph, 0));
        long first = s.nonBlocking();
        long second = s.nonBlocking();
        s.fill(memory, 5, 4, first);
        ok(s.cuda.cuGraphLaunch(executable, first));
        ok(s.cuda.cuGraphLaunch(executable, second));
        ok(s.cuda.cuStreamSynchronize(second));
        ok(s.cuda.cuStreamQuery(first));
    }

    @Test
    void graphsThatTheEmulationDoesNotTake() {
        begin(RELAXED);
        s.fill(memory, 1, 4, stream);
        long graph = end();
        long executable = s.value(p -> s.cuda.cuGraphInstantiate(p, graph, 0));
        assertEquals(1, s.refused(p -> s.cuda.cuGraphInstantiate(p, 77, 0)));
        assertEquals(1, s.refused(p -> s.cuda.cuGraphInstantiate(p, graph, 1 << 20)));
        assertEquals(1, s.cuda.cuGraphLaunch(graph, stream));
        begin(RELAXED);
        assertEquals(801, s.cuda.cuGraphLaunch(executable, stream));
        assertEquals(801, s.refused(p -> s.cuda.cuMemAllocAsync(p, 16, stream)));
        assertEquals(801, s.cuda.cuMemFreeAsync(memory, stream));
        end();
    }
}
