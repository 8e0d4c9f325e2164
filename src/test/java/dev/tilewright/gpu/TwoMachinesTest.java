package dev.tilewright.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.builder.VectorCopy;
import dev.tilewright.gpu.device.CudaException;
import dev.tilewright.gpu.emulation.EmulatedCuda;
import dev.tilewright.layout.ElementType;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Emulated machines have the same handles and addresses, and nothing of one is taken for the other's. */
class TwoMachinesTest {

    @Test
    void whatIsOfAnotherMachineIsRefused() {
        var copy = VectorCopy.of(ElementType.F32).build();
        try (Gpu one = Gpu.emulated(); Gpu two = Gpu.emulated(); Kernel kernel = one.load(copy)) {
            Buffer<float[]> here = one.upload(new float[64]);
            Buffer<float[]> there = two.floats(64);
            assertRefused("of GPU 0 of another emulated machine", () -> kernel.prepare(List.of(64L), here, there));
            assertRefused("the stream is of GPU 0 of another emulated machine",
                    () -> kernel.prepare().on(two.stream()));
            assertRefused("the buffer is of GPU 0 of another emulated machine",
                    () -> one.stream().fill(there, (byte) 0));
            assertRefused("the event is of GPU 0 of another emulated machine", () -> one.stream().record(two.event()));
            assertRefused("the event is of GPU 0 of another emulated machine", () -> one.stream().waitFor(two.event()));
        }
    }

    @Test
    void anEventOfAnotherGpuIsNotRecorded() {
        List<Gpu> gpus = Gpu.emulated(2);
        try (Gpu one = gpus.getFirst(); Gpu two = gpus.getLast(); Stream stream = one.stream()) {
            assertRefused("the event is of GPU 1, the stream of GPU 0", () -> stream.record(two.event()));
            Event other = two.stream().record();
            stream.waitFor(other);
            stream.synchronize();
        }
    }

    @Test
    void timesAreOfTimedAndRecordedEvents() {
        try (Gpu gpu = Gpu.emulated(); Stream stream = gpu.stream()) {
            Event timed = gpu.timedEvent();
            assertEquals("an event was never recorded: Stream.record gives it a time",
                    assertThrows(IllegalStateException.class, () -> timed.millisecondsSince(timed)).getMessage());
            stream.record(timed);
            Event plain = stream.record();
            stream.synchronize();
            assertEquals("the event has no time: take one from Gpu.timedEvent()",
                    assertThrows(IllegalStateException.class, () -> plain.millisecondsSince(timed)).getMessage());
        }
    }

    @Test
    void anEventThatIsNotRecordedIsGivenBack() {
        EmulatedCuda cuda = new EmulatedCuda();
        try (Gpu gpu = Gpu.options().choose(cuda, cuda).open()) {
            Stream stream = gpu.stream();
            stream.close();
            List<String> before = cuda.leaks();
            assertThrows(IllegalStateException.class, stream::record);
            assertEquals(before, cuda.leaks());
        }
    }

    @Test
    void aLaunchOfAStreamThatIsClosedIsNamedAfterAFault() {
        EmulatedCuda cuda = new EmulatedCuda();
        var copy = VectorCopy.of(ElementType.F32).build();
        Gpu gpu = Gpu.options().choose(cuda, cuda).open();
        Kernel kernel = gpu.load(copy);
        Buffer<float[]> from = gpu.upload(new float[64]);
        Buffer<float[]> to = gpu.floats(64);
        try (Stream stream = gpu.stream()) {
            kernel.prepare(List.of(64L), from, to).on(stream).start();
        }
        cuda.lose(0, 700, "a fault");
        String message = assertThrows(CudaException.class, () -> to.download()).getMessage();
        assertTrue(message.contains("the launch that did it: kernel '" + kernel.name() + "'"), message);
        gpu.close();
    }

    private static void assertRefused(String message, Runnable what) {
        String said = assertThrows(IllegalArgumentException.class, what::run).getMessage();
        assertTrue(said.contains(message), said);
    }
}
