package dev.tilewright.gpu;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.builder.BulkCopy;
import dev.tilewright.builder.ElementwiseKernel;
import dev.tilewright.gpu.device.OutOfDeviceMemoryException;
import dev.tilewright.gpu.emulation.EmulatedCuda;
import dev.tilewright.gpu.emulation.state.DeviceModel;
import dev.tilewright.gpu.emulation.state.ExecutionOrder;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Launch;
import dev.tilewright.reference.ReferenceOptions;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A launch on host memory, in one call. */
class GpuRunTest {
    private static final ElementwiseKernel KERNEL = BulkCopy.of(ElementType.U8).tile(64).build();

    private static Launch launch(long bytes) {
        return KERNEL.launch(List.of(bytes), 0);
    }

    @Test
    void memoryOfAnyKindHasTheResult() {
        try (Gpu gpu = Gpu.emulated(); Arena arena = Arena.ofConfined()) {
            MemorySegment from = MemorySegment.ofArray(new byte[] {1, 2, 3, 4}).asReadOnly();
            MemorySegment to = arena.allocate(4);
            gpu.run(launch(4), List.of(from, to));
            assertArrayEquals(new byte[] {1, 2, 3, 4}, to.toArray(JAVA_BYTE));
            // Buffers that no argument names may come along.
            byte[] array = new byte[4];
            gpu.run(launch(4), List.of(from, MemorySegment.ofArray(array), arena.allocate(0), arena.allocate(9)));
            assertArrayEquals(new byte[] {1, 2, 3, 4}, array);
        }
    }

    @Test
    void aLaunchOfNoBlocksDoesNothing() {
        try (Gpu gpu = Gpu.emulated()) {
            byte[] array = {7};
            gpu.run(launch(0), List.of(MemorySegment.ofArray(new byte[0]), MemorySegment.ofArray(array)));
            assertArrayEquals(new byte[] {7}, array);
        }
    }

    @Test
    void whatDoesNotSuitTheLaunchIsRefusedAndNothingIsLeft() {
        EmulatedCuda cuda = new EmulatedCuda(ExecutionOrder.LAZY, ReferenceOptions.DEFAULT,
                List.of(DeviceModel.hopper(1 << 20)));
        try (Gpu gpu = Gpu.options().choose(cuda, cuda).open()) {
            MemorySegment four = MemorySegment.ofArray(new byte[4]);
            assertEquals("kernel 'bulk_copy': parameter 'result' is buffer 1 of the launch, got 1 buffer: "
                    + "give 2 or more",
                    assertThrows(IllegalArgumentException.class, () -> gpu.run(launch(4), List.of(four))).getMessage());
            assertThrows(IllegalArgumentException.class, () -> gpu.run(launch(5), List.of(four, four)));
            assertThrows(OutOfDeviceMemoryException.class,
                    () -> gpu.run(launch(4), List.of(four, MemorySegment.ofArray(new byte[2 << 20]))));
            assertEquals(1 << 20, gpu.memory().free());
        }
        assertEquals(List.of(), cuda.leaks());
    }

    /** Kernels of one name may be of several programs: each launch is held against the one that was loaded. */
    @Test
    void aLaunchIsOfTheLoadedProgram() {
        ElementwiseKernel other = BulkCopy.of(ElementType.U8).tile(128).build();
        assertNotEquals(KERNEL.program(), other.program());
        try (Gpu gpu = Gpu.emulated(); Kernel kernel = gpu.load(KERNEL.program()); Buffer<byte[]> x = gpu.bytes(4)) {
            assertEquals("the launch is of kernel 'bulk_copy', the loaded kernel is another program: 'bulk_copy'",
                    assertThrows(IllegalArgumentException.class,
                            () -> kernel.prepare(other.launch(List.of(4L), 0), x, x)).getMessage());
            ElementwiseKernel equal = BulkCopy.of(ElementType.U8).tile(64).build();
            kernel.prepare(equal.launch(List.of(4L), 0), x, x).start();
            gpu.synchronize();
        }
    }

    @Test
    void oneKnowsWhetherItIsEmulated() {
        try (Gpu gpu = Gpu.emulated()) {
            assertTrue(gpu.isEmulated());
        }
    }
}
