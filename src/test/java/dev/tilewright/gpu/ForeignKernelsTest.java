package dev.tilewright.gpu;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.builder.ElementwiseKernel;
import dev.tilewright.builder.TensorCopy;
import dev.tilewright.builder.VectorCopy;
import dev.tilewright.gpu.compile.Compilation;
import dev.tilewright.gpu.compile.CudaFunction;
import dev.tilewright.gpu.device.CudaException;
import dev.tilewright.gpu.device.DeviceInfo;
import dev.tilewright.gpu.device.Devices;
import dev.tilewright.gpu.emulation.EmulatedCuda;
import dev.tilewright.gpu.module.EmulatedImages;
import dev.tilewright.gpu.module.KernelImages;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Argument;
import dev.tilewright.program.ClusterSize;
import dev.tilewright.program.ComputingKernels;
import dev.tilewright.program.Dim3;
import dev.tilewright.program.ElementStep;
import dev.tilewright.program.GridKernels;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Scalars;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Parameter;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Kernels that launches choose clusters for, kernels of an application's own source, which take the same path with
 * another image, and tensor maps that the driver makes.
 */
class ForeignKernelsTest {
    private final EmulatedCuda cuda = new EmulatedCuda();

    @AfterEach
    void nothingIsLeftOpen() {
        assertEquals(List.of(), cuda.leaks());
    }

    /** A GPU where CUDA C++ of a name is a program of the same name. */
    private Gpu open(EncoderChoice encoder, TileProgram... programs) {
        DeviceInfo info = Devices.probe(cuda).require(0);
        return new Gpu(cuda, info, new KernelImages() {
            @Override
            public Compilation of(TileProgram program) {
                return new Compilation(cuda.image(program), List.of());
            }

            @Override
            public Compilation of(CudaFunction function) {
                for (TileProgram program : programs) {
                    if (program.name().equals(function.name())) {
                        return new Compilation(cuda.image(program), List.of());
                    }
                }
                return new Compilation(new byte[64], List.of());
            }
        }, encoder, null);
    }

    private static CudaFunction source(TileProgram program) {
        return new CudaFunction(program.name(), "extern \"C\" __global__ void " + program.name() + "();", List.of(),
                program.parameters(), program.block(), program.cluster(), 0);
    }

    @Test
    void sourceIsLoadedOnceAndLaunchedByName() {
        TileProgram axpy = ComputingKernels.axpy();
        float[] twos = new float[128];
        Arrays.fill(twos, 2);
        try (Gpu gpu = open(EncoderChoice.JAVA, axpy);
                Kernel kernel = gpu.load(source(axpy));
                Kernel again = gpu.load(source(axpy));
                Buffer<float[]> x = gpu.upload(twos);
                Buffer<float[]> y = gpu.upload(twos)) {
            assertEquals(kernel.function(), again.function());
            kernel.prepare().grid(1).set("x", x).set("y", y).set("a", 1.5).start();
            assertEquals(5, y.download()[127]);
            assertEquals(32, kernel.attributes().mostThreadsPerBlock());
        }
    }

    @Test
    void whatAPointerNeedsFollowsFromTheIntegers() {
        TileProgram copy = VectorCopy.of(ElementType.F32).build().program();
        CudaFunction checked = source(copy).requires("source", 1, "bytes").requires("result", 2, "bytes", "tiles");
        assertThrows(IllegalArgumentException.class, () -> checked.requires("bytes", 1));
        assertThrows(IllegalArgumentException.class, () -> checked.requires("source", -1));
        assertEquals("kernel '" + copy.name() + "' has no integer parameter 'result' (Parameter.Int), by which the "
                + "extent of"
                + " 'source' is multiplied: its parameters are " + copy.parameters().stream().map(Parameter::name)
                .toList(), assertThrows(IllegalArgumentException.class, () -> checked.requires("source", 4, "result"))
                .getMessage());
        try (Gpu gpu = open(EncoderChoice.JAVA, copy); Kernel kernel = gpu.load(checked);
                Buffer<byte[]> x = gpu.bytes(16); Buffer<byte[]> y = gpu.bytes(64)) {
            KernelLaunch launch = kernel.prepare().grid(1).set("source", x).set("result", y).set("bytes", 16)
                    .set("tiles", 1)
                    .set("tiles_per_block", 1);
            launch.start();
            launch.set("bytes", 32);
            String text = "kernel '" + copy.name() + "': parameter 'source' needs 32 bytes of memory (1 byte x "
                    + "bytes), got a"
                    + " buffer of 16 bytes";
            assertEquals(text, assertThrows(IllegalArgumentException.class, launch::start).getMessage());
            assertEquals(text, assertThrows(IllegalArgumentException.class, launch::start).getMessage());
            assertEquals(text, assertThrows(IllegalArgumentException.class, () -> launch.copy().start()).getMessage());
            // In any order.
            launch.set("source", y).start();
            assertEquals("kernel '" + copy.name() + "': parameter 'result' needs 128 bytes of memory (2 bytes x bytes "
                    + "x tiles),"
                    + " got a buffer of 64 bytes",
                    assertThrows(IllegalArgumentException.class, () -> launch.set("tiles", 2).start()).getMessage());
            assertEquals("kernel '" + copy.name() + "': parameter 'source' needs more than 2^63 bytes of memory (1 "
                    + "byte x bytes), got a buffer of 64 bytes", assertThrows(IllegalArgumentException.class,
                            () -> launch.set("bytes", Long.MAX_VALUE).start()).getMessage());
            launch.set("bytes", -1).set("tiles", 2).grid(0).start();
        }
    }

    @Test
    void sourceThatIsNoKernelIsRefusedAndTriedAgain() {
        TileProgram axpy = ComputingKernels.axpy();
        try (Gpu gpu = open(EncoderChoice.JAVA)) {
            for (int i = 0; i < 2; i++) {
                assertTrue(assertThrows(RuntimeException.class, () -> gpu.load(source(axpy))).getMessage()
                        .contains("cuModuleLoadData of axpy"));
            }
        }
    }

    @Test
    void launchesChooseTheirClusters() {
        TileProgram places = GridKernels.places(new Dim3(4, 1, 1), ClusterSize.AT_LAUNCH);
        for (Dim3 cluster : List.of(Dim3.of(1), Dim3.of(2), Dim3.of(2, 4), Dim3.of(16))) {
            Launch launch = new Launch(places, new Dim3(16, 4, 1), cluster, List.of(new Argument.Buffer(0)));
            try (Gpu gpu = open(EncoderChoice.JAVA);
                    Kernel kernel = gpu.load(places);
                    Buffer<byte[]> out = gpu.bytes(GridKernels.placesBytes(launch))) {
                KernelLaunch prepared = kernel.prepare(launch, out);
                prepared.start();
                int[] expected = GridKernels.expectedPlaces(launch);
                assertArrayEquals(expected, out.as(ArrayType.INTS).download());
                out.fill((byte) 0);
                prepared.copy().start();
                MemorySegment bytes = MemorySegment.ofArray(new int[expected.length]);
                out.download(bytes);
                assertArrayEquals(expected, bytes.toArray(JAVA_INT));
                assertThrows(IllegalArgumentException.class, () -> prepared.cluster(Dim3.of(32)));
                assertThrows(IllegalArgumentException.class, () -> prepared.grid(new Dim3(1, 70_000, 1)));
            }
        }
    }

    @Test
    void clustersThatTheDeviceDoesNotHoldAreRefused() {
        TileProgram places = GridKernels.places(new Dim3(4, 1, 1), ClusterSize.AT_LAUNCH);
        FailingDriver driver = new FailingDriver(cuda).answerEvery("cuOccupancyMaxActiveClusters", 0);
        try (Gpu gpu = Gpu.options().choose(driver.api(), cuda).open(); Kernel kernel = gpu.load(places)) {
            String message = assertThrows(IllegalArgumentException.class, () -> kernel.prepare().cluster(Dim3.of(8)))
                    .getMessage();
            assertTrue(message.contains("holds no cluster of 8 blocks of kernel 'places'"), message);
            assertThrows(IllegalArgumentException.class, () -> gpu.load(ComputingKernels.axpy()).prepare()
                    .cluster(Dim3.of(2)));
        }
    }

    @Test
    void theDriverEncodesTensorMaps() {
        ElementwiseKernel scale = TensorCopy.of(ElementType.F32).tile(4, 32).step(ElementStep.SCALE).build();
        Launch launch = scale.launch(List.of(4L, 32L), Scalars.of(scale.scalars().getFirst().name(), 3));
        float[] array = new float[128];
        array[77] = 7;
        for (EncoderChoice choice : EncoderChoice.values()) {
            FailingDriver driver = new FailingDriver(cuda);
            DeviceInfo info = Devices.probe(cuda).require(0);
            try (Gpu gpu = new Gpu(driver.api(), info, new EmulatedImages(info, cuda), choice, null);
                    Kernel kernel = gpu.load(scale);
                    Buffer<float[]> x = gpu.upload(array);
                    Buffer<float[]> y = gpu.floats(128)) {
                for (int i = 0; i < 3; i++) {
                    kernel.prepare(launch, x, y).start();
                }
                assertEquals(21, y.download()[77]);
                if (choice != EncoderChoice.JAVA) {
                    driver.failEvery("cuTensorMapEncodeTiled", 2);
                    Buffer<float[]> other = gpu.floats(128);
                    String message = assertThrows(CudaException.class, () -> kernel.prepare(launch, x, other))
                            .getMessage();
                    assertTrue(message.contains("cuTensorMapEncodeTiled failed: CUDA_ERROR_OUT_OF_MEMORY"), message);
                }
            }
        }
    }
}
