package dev.tilewright.gpu;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.tilewright.BadRequestException;
import dev.tilewright.builder.BulkCopy;
import dev.tilewright.builder.ElementwiseKernel;
import dev.tilewright.builder.TensorCopy;
import dev.tilewright.gpu.device.CudaException;
import dev.tilewright.gpu.emulation.EmulatedCuda;
import dev.tilewright.gpu.emulation.state.DeviceModel;
import dev.tilewright.gpu.emulation.state.ExecutionOrder;
import dev.tilewright.hazard.HazardCode;
import dev.tilewright.hazard.HazardException;
import dev.tilewright.hazard.HazardOptions;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.ClusterSize;
import dev.tilewright.program.Dim3;
import dev.tilewright.program.ElementStep;
import dev.tilewright.program.GridKernels;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Operation;
import dev.tilewright.program.Scalars;
import dev.tilewright.program.Step;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.ptx.copy.StBulk;
import dev.tilewright.reference.ReferenceOptions;
import dev.tilewright.reference.fault.ReferenceException.Kind;
import dev.tilewright.reference.fault.ReferenceException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A GPU that checks programs before it launches them. */
class LaunchCheckTest {
    private static final int BYTES = 4096;
    private static final ElementwiseKernel KERNEL = BulkCopy.of(ElementType.U8).tile(256).build();

    /** The kernel's launch, of a program without its last step: the wait before the end. */
    private static Launch broken() {
        Launch launch = KERNEL.launch(List.of((long) BYTES), 0);
        TileProgram p = launch.program();
        List<Step> steps = new ArrayList<>(p.body());
        Operation.Guard last = (Operation.Guard) steps.removeLast().operation();
        List<Step> body = last.body().subList(0, last.body().size() - 1);
        steps.add(new Step("all but the wait", new Operation.Guard(last.condition(), body, last.otherwise())));
        return new Launch(new TileProgram(p.name(), p.purpose(), p.threads(), p.parameters(), p.shared(), steps),
                launch.blocks(), launch.arguments());
    }

    private static Gpu checking(HazardOptions options) {
        return Gpu.options().checkHazards(options, note -> fail(note)).emulated();
    }

    private static byte[] launch(Gpu gpu, Launch launch, byte[] input) {
        try (Kernel kernel = gpu.load(launch.program()); Buffer<byte[]> from = gpu.upload(input);
                Buffer<byte[]> to = gpu.bytes(BYTES)) {
            kernel.prepare(launch, from, to).start();
            kernel.prepare(launch, from, to).start();
            return to.download();
        }
    }

    @Test
    void aCorrectKernelRuns() {
        try (Gpu gpu = Gpu.options().checkHazards().emulated()) {
            byte[] input = new byte[BYTES];
            input[4095] = 7;
            assertArrayEquals(input, launch(gpu, KERNEL.launch(List.of((long) BYTES), 0), input));
        }
    }

    @Test
    void oneWithAHazardDoesNot() {
        try (Gpu gpu = checking(HazardOptions.DEFAULT); Buffer<byte[]> from = gpu.bytes(BYTES);
                Buffer<byte[]> to = gpu.bytes(BYTES); Kernel kernel = gpu.load(broken().program())) {
            to.fill((byte) 5);
            KernelLaunch launch = kernel.prepare(broken(), from, to);
            for (int i = 0; i < 2; i++) {
                HazardException e = assertThrows(HazardException.class, launch::start);
                assertEquals(Set.of(HazardCode.EXIT_IN_FLIGHT), e.report().codes());
                assertEquals(e.report().toString(), e.getMessage());
            }
            assertEquals(5, to.download()[0]);
        }
    }

    /** What is right in one size of clusters may be wrong in another. */
    @Test
    void eachSizeOfClustersIsChecked() {
        Launch alone = new Launch(GridKernels.neighbours(ClusterSize.AT_LAUNCH, false), Dim3.of(4, 4),
                List.of(new Argument.Buffer(0)));
        try (Gpu gpu = checking(HazardOptions.DEFAULT); Kernel kernel = gpu.load(alone.program());
                Buffer<byte[]> out = gpu.bytes(64)) {
            KernelLaunch launch = kernel.prepare(alone, out);
            launch.start();
            launch.fill(alone.inClustersOf(Dim3.ONE), out).start();
            HazardException e = assertThrows(HazardException.class,
                    () -> launch.fill(alone.inClustersOf(Dim3.of(1, 2)), out).start());
            assertTrue(e.getMessage().contains("is blockIdx (0, 1, 0)"), e.getMessage());
        }
    }

    @Test
    void ofALargeLaunchTheFirstBlocksAreChecked() {
        try (Gpu gpu = checking(HazardOptions.DEFAULT.withMostBytes(1024))) {
            HazardException e = assertThrows(HazardException.class, () -> launch(gpu, broken(), new byte[BYTES]));
            assertEquals(2, e.report().blocks());
            assertEquals(16, e.report().ofBlocks());
        }
    }

    @Test
    void tooLargeForOneBlockIsSaid() {
        try (Gpu gpu = checking(HazardOptions.DEFAULT.withMostBytes(100))) {
            String message = assertThrows(BadRequestException.class, () -> launch(gpu, broken(), new byte[BYTES]))
                    .getMessage();
            assertTrue(message.endsWith("the limit is 100: raise the limit"), message);
        }
    }

    /** On a GPU that has such instructions. */
    @Test
    void whatOnlyNewerGpusHaveIsLetThroughAndSaidOnce() {
        Parameter.Pointer out = new Parameter.Pointer("out", true);
        SharedRegion.Buffer buffer = new SharedRegion.Buffer("buffer", 256, 16);
        TileProgram program = new TileProgram("newer", "clears", 32, List.of(out), new SharedLayout(List.of(buffer)),
                Body.steps(body -> body.purpose("clear").issue(new StBulk().withWeak(), Input.of(buffer.at(0)),
                        Input.of(256L))));
        List<String> notes = new ArrayList<>();
        EmulatedCuda cuda = new EmulatedCuda(ExecutionOrder.LAZY, ReferenceOptions.DEFAULT,
                List.of(new DeviceModel("a newer GPU", 10, 0, 1, SharedLayout.LARGEST, 1 << 20)));
        Launch launch = Launch.of(program, 1, Map.of(out, new Argument.Buffer(0)));
        try (Gpu gpu = Gpu.options().encoder(EncoderChoice.JAVA).checkHazards(HazardOptions.DEFAULT, notes::add)
                .choose(cuda, cuda).open(); Kernel kernel = gpu.load(program); Buffer<byte[]> buffer0 = gpu.bytes(16)) {
            for (int i = 0; i < 2; i++) {
                kernel.prepare(launch, buffer0).start();
            }
            // It is launched: what then refuses it is the reference that runs it.
            CudaException e = assertThrows(CudaException.class, gpu::synchronize);
            assertEquals(Kind.NOT_MODELLED, ((ReferenceException) e.getCause()).kind());
        }
        assertEquals(1, notes.size());
        assertTrue(notes.getFirst()
                .startsWith("kernel 'newer' is launched without being checked to its end: not analysed: "
                + "st.bulk.weak.shared::cta (needs sm_100), step 1 ('clear', "), notes::toString);
    }

    /** The check reads the arguments that were set by name, wherever in a buffer they point. */
    @Test
    void whatWasSetByNameIsChecked() {
        Launch launch = broken();
        try (Gpu gpu = checking(HazardOptions.DEFAULT); Buffer<byte[]> all = gpu.bytes(2 * BYTES);
                Kernel kernel = gpu.load(launch.program())) {
            KernelLaunch filled = kernel.prepare(launch, all.slice(0, BYTES), all.slice(BYTES, BYTES));
            assertEquals(Set.of(HazardCode.EXIT_IN_FLIGHT),
                    assertThrows(HazardException.class, filled.copy()::start).report().codes());
        }
        ElementwiseKernel tensors = TensorCopy.of(ElementType.F32).tile(4, 32).step(ElementStep.SCALE).build();
        float[] ones = new float[4 * 32];
        Arrays.fill(ones, 1);
        try (Gpu gpu = checking(HazardOptions.DEFAULT); Buffer<float[]> from = gpu.upload(ones);
                Buffer<float[]> to = gpu.floats(ones.length); Kernel kernel = gpu.load(tensors)) {
            kernel.prepare(List.of(4L, 32L), Scalars.of(tensors.scalars().getFirst().name(), 3), from, to).start();
            assertEquals(3, to.download()[127]);
        }
    }

    @Test
    void aCaptureBeginsBehindTheCheck() {
        Launch launch = KERNEL.launch(List.of((long) BYTES), 0);
        try (Gpu gpu = checking(HazardOptions.DEFAULT); Stream stream = gpu.stream();
                Buffer<byte[]> from = gpu.bytes(BYTES); Buffer<byte[]> to = gpu.bytes(BYTES);
                Kernel kernel = gpu.load(launch.program())) {
            KernelLaunch filled = kernel.prepare(launch, from, to).on(stream);
            String message = assertThrows(IllegalStateException.class, () -> stream.capture(_ -> filled.start()))
                    .getMessage();
            assertTrue(message.endsWith("launch it once before the capture"), message);
            filled.start();
            try (Graph graph = stream.capture(_ -> filled.start())) {
                graph.start();
                stream.synchronize();
            }
        }
    }
}
