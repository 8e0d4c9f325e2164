package dev.tilewright.gpu;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.builder.VectorCopy;
import dev.tilewright.gpu.compile.Compilation;
import dev.tilewright.gpu.compile.CudaFunction;
import dev.tilewright.gpu.cuda.DriverApi;
import dev.tilewright.gpu.device.Devices;
import dev.tilewright.gpu.emulation.EmulatedCuda;
import dev.tilewright.gpu.module.KernelImages;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.ClusterSize;
import dev.tilewright.program.Dim3;
import dev.tilewright.program.ElementStep;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Parameter;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * What the driver tells of a kernel when it is loaded, and what that refuses. Source of an application's own is stood
 * in for by a tile program of the same name, which the emulated GPU runs.
 */
class KernelLimitsTest {
    private static final TileProgram SCALE =
            VectorCopy.of(ElementType.F32).step(ElementStep.SCALE).build().program();
    private static final List<String> REMARKS = List.of("ptxas info : (C7508) first", "warning: second");
    private static final int[] BYTES = {8, 8, 8, 4, 4, 4};

    private final EmulatedCuda cuda = new EmulatedCuda();
    private int[] parameterBytes = BYTES;
    private int blocks = -1;
    private int clusters = -1;
    private final Gpu gpu = open();

    private Gpu open() {
        DriverApi api = (DriverApi) Proxy.newProxyInstance(DriverApi.class.getClassLoader(),
                new Class<?>[] {DriverApi.class}, (_, method, arguments) -> answer(method, arguments));
        return new Gpu(api, Devices.probe(api).require(0), new KernelImages() {
            @Override
            public Compilation of(TileProgram program) {
                return new Compilation(cuda.image(program), REMARKS);
            }

            @Override
            public Compilation of(CudaFunction function) {
                return new Compilation(cuda.image(SCALE), REMARKS);
            }
        }, EncoderChoice.JAVA, null);
    }

    @Test
    void whatTheCompilerSaidIsTold() {
        Kernel kernel = gpu.load(SCALE);
        assertEquals(REMARKS, kernel.remarks());
        kernel.close();
        assertThrows(IllegalStateException.class, kernel::remarks);
        try (Gpu emulated = Gpu.emulated(); Kernel same = emulated.load(SCALE)) {
            assertEquals(List.of(), same.remarks());
        }
    }

    private Object answer(Method method, Object[] arguments) throws Throwable {
        switch (method.getName()) {
            case "cuFuncGetParamInfo" -> {
                int index = (int) (long) arguments[1];
                if (parameterBytes == null) {
                    return DriverApi.NOT_SUPPORTED;
                }
                if (index >= parameterBytes.length) {
                    return DriverApi.INVALID_VALUE;
                }
                ((MemorySegment) arguments[3]).set(JAVA_LONG, 0, parameterBytes[index]);
                return DriverApi.SUCCESS;
            }
            case "cuOccupancyMaxActiveBlocksPerMultiprocessor", "cuOccupancyMaxActiveClusters" -> {
                int wanted = method.getName().endsWith("Clusters") ? clusters : blocks;
                if (wanted >= 0) {
                    ((MemorySegment) arguments[0]).set(JAVA_INT, 0, wanted);
                    return DriverApi.SUCCESS;
                }
            }
            default -> { }
        }
        try {
            return method.invoke(cuda, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    @AfterEach
    void nothingStaysOpen() {
        gpu.close();
        assertEquals(List.of(), cuda.leaks());
    }

    private static CudaFunction source(List<Parameter> parameters) {
        return new CudaFunction(SCALE.name(), "its source", List.of(), parameters, SCALE.block(), ClusterSize.NONE, 0);
    }

    private String refusal(CudaFunction function) {
        return assertThrows(IllegalArgumentException.class, () -> gpu.load(function)).getMessage();
    }

    @Test
    void sourceIsLaunchedByTheNamesOfItsParameters() {
        try (Kernel kernel = gpu.load(source(SCALE.parameters())); Buffer<float[]> from =
                gpu.upload(new float[] {1, 2, 3, 4});
                Buffer<float[]> to = gpu.floats(4)) {
            String scalar = SCALE.parameters().getLast().name();
            kernel.prepare().grid(1).requires("source", 16).set("source", from).set("result", to).set("bytes", 16)
                    .set("tiles", 1).set("tiles_per_block", 1).set(scalar, 3).start();
            assertArrayEquals(new float[] {3, 6, 9, 12}, to.download());
        }
        parameterBytes = null;
        gpu.load(source(SCALE.parameters().subList(0, 2))).close();
    }

    @Test
    void parametersAreHeldAgainstTheFunctions() {
        String title = "kernel '" + SCALE.name() + "'";
        List<Parameter> parameters = new ArrayList<>(SCALE.parameters());
        assertEquals(title + " is declared with 5 parameters, and its source has more: declare each, in the source's "
                + "order", refusal(source(parameters.subList(0, 5))));
        parameters.set(2, new Parameter.Int("bytes", IntType.S32));
        assertEquals(title + ": parameter 2, 'bytes', is declared as an integer of 4 bytes, and has 8 bytes in its "
                + "source:"
                + " declare each as it is there, in the source's order", refusal(source(parameters)));
        parameters.set(2, new Parameter.TensorMap("map", 2));
        assertTrue(refusal(source(parameters)).contains("is declared as a tensor map of 128 bytes, and has 8 bytes"));
        parameters.set(2, new Parameter.Scalar("half", ElementType.F16));
        assertTrue(refusal(source(parameters)).contains("is declared as a number of type f16 of 2 bytes"));
        parameterBytes = new int[] {8};
        assertEquals(title + " is declared with 6 parameters, and its source has 1: 'result' is one too many",
                refusal(source(SCALE.parameters())));
        parameterBytes = new int[] {4};
        assertTrue(refusal(source(SCALE.parameters())).contains("'source', is declared as a pointer of 8 bytes"));
    }

    @Test
    void aNameThatTheSourceDoesNotHaveIsSaid() {
        assertEquals("the source of kernel 'other' defines no function of this name with C linkage: declare it as "
                + "extern \"C\""
                + " __global__ void other(...), or correct the name",
                refusal(CudaFunction.of("other", "its source", 32, List.of())));
    }

    @Test
    void whatNoMultiprocessorHoldsIsRefusedWhenItIsLoaded() {
        blocks = 0;
        assertTrue(refusal(source(SCALE.parameters()))
                .startsWith("no multiprocessor of emulated GPU (sm_90a) holds a block of"
                + " kernel '" + SCALE.name() + "': 256 threads with "));
        blocks = -1;
        clusters = 0;
        assertTrue(refusal(source(SCALE.parameters()).withCluster(ClusterSize.of(Dim3.of(2))))
                .contains("holds no cluster of 2 blocks of kernel"));
        clusters = 7;
        try (Kernel kernel = gpu.load(source(SCALE.parameters()).withCluster(ClusterSize.of(Dim3.of(2))))) {
            assertEquals(7, kernel.residentClusters());
        }
    }

    @Test
    void theCarveOutIsAWish() {
        try (Kernel kernel = gpu.load(SCALE)) {
            kernel.preferSharedMemory(100);
            kernel.preferSharedMemory(-1);
            assertEquals("shared memory takes 0 to 100 percent, or -1 for the driver's choice, got 101",
                    assertThrows(IllegalArgumentException.class, () -> kernel.preferSharedMemory(101)).getMessage());
            assertEquals(kernel.residentBlocks(), kernel.residentClusters());
        }
    }
}
