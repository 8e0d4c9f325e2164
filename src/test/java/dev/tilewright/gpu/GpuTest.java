package dev.tilewright.gpu;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.MissingRequirementException;
import dev.tilewright.builder.ElementwiseKernel;
import dev.tilewright.builder.TensorCopy;
import dev.tilewright.gpu.device.Devices;
import dev.tilewright.gpu.emulation.EmulatedCuda;
import dev.tilewright.gpu.emulation.state.DeviceModel;
import dev.tilewright.gpu.emulation.state.ExecutionOrder;
import dev.tilewright.io.host.HostEnvironment;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.ElementStep;
import dev.tilewright.program.Scalars;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.kernel.Gemm;
import java.lang.ref.Reference;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The runtime as an application uses it, on an emulated GPU. */
class GpuTest {
    private static final int ROWS = 37;
    private static final int COLUMNS = 100;

    @Test
    void anArrayIsScaled() {
        ElementwiseKernel scale = TensorCopy.of(ElementType.F32).tile(16, 32).step(ElementStep.SCALE).build();
        float[] array = new float[ROWS * COLUMNS];
        float[] expected = new float[array.length];
        for (int i = 0; i < array.length; i++) {
            array[i] = i - 1000;
            expected[i] = array[i] * 2.5f;
        }
        try (Gpu gpu = Gpu.emulated();
                Buffer<float[]> from = gpu.upload(array);
                Buffer<float[]> to = gpu.floats(array.length);
                Kernel kernel = gpu.load(scale)) {
            kernel.prepare(scale.launch(List.of((long) ROWS, (long) COLUMNS),
                    Scalars.of(scale.scalars().getFirst().name(), 2.5)), from, to).start();
            assertArrayEquals(expected, to.download());
        }
    }

    @Test
    void whereAGpuIsRequiredNoneIsEmulated() {
        Devices none = new Devices(List.of(), "", "there is no driver");
        List<String> notes = new ArrayList<>();
        for (String yes : List.of("true", "1", "yes", "ON ")) {
            HostEnvironment required = HostEnvironment.of(Map.of(), Map.of("TILEWRIGHT_GPU_REQUIRED", yes),
                    Path.of("/"));
            assertEquals("a GPU is required here (TILEWRIGHT_GPU_REQUIRED), so none is emulated: there is no driver",
                    assertThrows(MissingRequirementException.class,
                    () -> Gpu.openOrEmulated(none, required, notes::add))
                            .getMessage());
        }
        assertEquals(List.of(), notes);
        HostEnvironment wrong = HostEnvironment.of(Map.of(), Map.of("TILEWRIGHT_GPU_REQUIRED", "ja"), Path.of("/"));
        assertThrows(IllegalArgumentException.class, () -> Gpu.openOrEmulated(none, wrong, notes::add));
        for (String no : List.of("false", "0", "", " ")) {
            HostEnvironment free = HostEnvironment.of(Map.of(), Map.of("TILEWRIGHT_GPU_REQUIRED", no), Path.of("/"));
            Gpu.openOrEmulated(none, free, notes::add).close();
        }
        assertEquals(4, notes.size());
    }

    @Test
    void closingGivesBackAllThatWasTaken() {
        EmulatedCuda cuda = new EmulatedCuda();
        Gpu gpu = Gpu.options().choose(cuda, cuda).open();
        List<AutoCloseable> taken = List.of(gpu.floats(10), gpu.pinned(100), gpu.stream(), gpu.event(),
                gpu.load(TensorCopy.of(ElementType.F32).tile(16, 32).build()));
        assertTrue(cuda.leaks().size() >= 5, cuda.leaks()::toString);
        gpu.close();
        // Else the garbage collector may have it given back before.
        Reference.reachabilityFence(taken);
        gpu.close();
        assertEquals(List.of(), cuda.leaks());
        assertEquals("GPU 0 (emulated GPU (sm_90a)) is closed",
                assertThrows(IllegalStateException.class, () -> gpu.floats(1)).getMessage());
    }

    @Test
    void gpusAreChosenByWhatTheyCanAndHave() {
        EmulatedCuda cuda = new EmulatedCuda(ExecutionOrder.LAZY, new DeviceModel("small", 8, 0, 10, 99 << 10, 1 << 20),
                DeviceModel.hopper(2 << 20), DeviceModel.hopper(3 << 20));
        try (Gpu gpu = Gpu.options().choose(cuda, cuda).atLeast(Target.SM_90).open()) {
            assertEquals(2, gpu.info().ordinal());
        }
        List<Gpu> all = Gpu.options().choose(cuda, cuda).openAll();
        assertEquals(List.of(0, 1, 2), all.stream().map(gpu -> gpu.info().ordinal()).toList());
        all.forEach(Gpu::close);
        assertEquals("no GPU here is sm_90 or later and has 4194304 bytes free: GPU 0 (small) is sm_80; "
                + "GPU 1 (emulated GPU (sm_90a)) has 2097152 bytes free; GPU 2 (emulated GPU (sm_90a)) has 3145728 "
                + "bytes free", assertThrows(MissingRequirementException.class,
                        () -> Gpu.options().choose(cuda, cuda).atLeast(Target.SM_90).withFree(4 << 20).open())
                        .getMessage());
        assertEquals(List.of(), cuda.leaks());
    }

    /** Of an A100 a kernel has the program of sm_80, which leaves the executor's bytes; what an H200 has is refused. */
    @Test
    void anotherComputeCapabilityIsEmulated() {
        TileKernel gemm = Gemm.of(ValueType.BF16).withTiles(16, 16, 16).kernel();
        short[] a = {0x3f80, 0x4000}, b = {0x4040, 0x4080}, onCpu = new short[1], onGpu = new short[1];
        gemm.onCpu().set("a", a, 1, 2).set("b", b, 2, 1).set("c", onCpu, 1, 1).run();
        try (Gpu gpu = Gpu.options().emulated(Target.SM_80); ArrayKernel kernel = gpu.load(gemm)) {
            assertEquals("emulated GPU (sm_80)", gpu.name());
            assertEquals(Target.SM_80, gpu.target());
            kernel.launch().set("a", a, 1, 2).set("b", b, 2, 1).set("c", onGpu, 1, 1).run();
            assertArrayEquals(onCpu, onGpu);
            String message = assertThrows(MissingRequirementException.class, () -> gpu.load(TensorCopy.of(
                    ElementType.F32).build())).getMessage();
            assertEquals("kernel 'tensor_copy' needs sm_90 or later, and emulated GPU (sm_80) is sm_80", message);
        }
        assertEquals("no GPU of sm_200 is emulated: how much shared memory a block has there is not known",
                assertThrows(IllegalArgumentException.class, () -> Gpu.options().emulated(Target.of(20, 0)))
                        .getMessage());
        try (Gpu gpu = Gpu.options().emulated(Target.SM_90)) {
            assertEquals(Target.SM_90A, gpu.target());
        }
    }
}
