package dev.tilewright.gputest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.builder.Presets;
import dev.tilewright.builder.Schedule;
import dev.tilewright.gpu.Buffer;
import dev.tilewright.gpu.DriverTensorMapEncoder;
import dev.tilewright.gpu.EncoderChoice;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.Kernel;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Launch;
import dev.tilewright.ptx.Target;
import dev.tilewright.recording.RandomEncodeCalls;
import dev.tilewright.tensormap.TensorMap;
import dev.tilewright.tensormap.TensorMapDescriptor;
import dev.tilewright.tensormap.TensorMapEncoder;
import dev.tilewright.tensormap.TensorMapException;
import dev.tilewright.tensormap.TiledTensorMap;
import dev.tilewright.tensormap.Validation;
import dev.tilewright.tensormap.call.EncodeCall;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tensor maps encoded in Java and by a Hopper GPU's driver: the same refusals, and the same 128 bytes. */
@Tag("gpu")
class TensorMapEncodeGpuTest {
    private static final int DISAGREEMENTS_SHOWN = 20;

    @ParameterizedTest(name = "100,000 calls of seed {0}")
    @ValueSource(longs = {20261121})
    void randomCallsAgreeBitForBit(long seed) {
        DriverTensorMapEncoder driver = TestGpu.hopper().driverTensorMapEncoder();
        RandomEncodeCalls calls = new RandomEncodeCalls(seed);
        List<String> disagreements = new ArrayList<>();
        int asked = 0;
        int accepted = 0;
        while (asked < 100_000) {
            EncodeCall call = calls.next();
            // What the driver's parameters cannot hold is refused without it: that would be no comparison.
            if (!DriverTensorMapEncoder.canAsk(call)) {
                continue;
            }
            asked++;
            Optional<TensorMapDescriptor> fromDriver = encode(driver, call);
            Optional<TensorMapDescriptor> fromJava = encode(TensorMapEncoder.java(), call);
            accepted += fromDriver.isPresent() ? 1 : 0;
            if (!fromDriver.equals(fromJava) && disagreements.size() < DISAGREEMENTS_SHOWN) {
                disagreements.add("driver " + fromDriver + ", Java " + fromJava + " for " + call);
            }
            if (fromDriver.isPresent()) {
                assertEquals(fromDriver.get(), driver.encode(TensorMap.of(call), call.address(), Target.SM_90A),
                        call::toString);
            }
        }
        assertEquals(List.of(), disagreements);
        assertTrue(accepted > 15_000, accepted + " accepted");
    }

    private static Optional<TensorMapDescriptor> encode(TensorMapEncoder encoder, EncodeCall call) {
        try {
            return Optional.of(encoder.encode(call, Target.SM_90A));
        } catch (TensorMapException e) {
            return Optional.empty();
        }
    }

    /** A refusal by the driver is explained by its rules, each with field, value and limit. */
    @Test
    void theDriversRefusalsAreExplained() {
        DriverTensorMapEncoder driver = TestGpu.hopper().driverTensorMapEncoder();
        TiledTensorMap map = valid();
        TiledTensorMap wrong = new TiledTensorMap(map.type(), List.of(101L, 60L), List.of(404L), List.of(32, 300),
                map.elementStrides(), map.interleave(), map.swizzle(), map.l2Promotion(), map.fill());
        TensorMapException e = assertThrows(TensorMapException.class,
                () -> driver.encode(wrong, 4104, Target.SM_90A));
        assertEquals("cuTensorMapEncodeTiled refuses this tensor map: "
                + Validation.of(wrong.at(4104), Target.SM_90A).report(),
                e.getMessage());
        assertEquals(List.of("address-aligned", "stride-aligned", "box-range"),
                e.validation().errors().stream().map(v -> v.rule().id()).toList());
    }

    /** A launch with a map that the driver would refuse says which kernel's and every rule, with either encoder. */
    @ParameterizedTest
    @EnumSource
    void aLaunchNamesTheKernelTheMapAndEveryViolation(EncoderChoice choice) {
        TestGpu.hopper();
        Launch launch = Presets.named("tensor-copy").build(ElementType.F32, 2, Schedule.DEFAULT).launch(List.of(64L,
                64L), 0);
        List<Argument> arguments = launch.arguments().stream().map(a ->
                a instanceof Argument.Tensor(TiledTensorMap map, int buffer, long _)
                ? new Argument.Tensor(new TiledTensorMap(map.type(), map.dims(), List.of(260L), map.box(),
                map.elementStrides(),
                        map.interleave(), map.swizzle(), map.l2Promotion(), map.fill()), buffer) : a).toList();
        try (Gpu gpu = TestGpu.open(choice); Kernel kernel = gpu.load(launch.program());
                Buffer<byte[]> from = gpu.bytes(1 << 16); Buffer<byte[]> to = gpu.bytes(1 << 16)) {
            assertEquals(choice.title(), gpu.tensorMapEncoder().name());
            TensorMapException e = assertThrows(TensorMapException.class,
                    () -> kernel.prepare(new Launch(launch.program(), 1, arguments), from, to));
            assertTrue(e.getMessage().startsWith("kernel '" + launch.program().name() + "' cannot be launched: "
                    + choice.title()
                    + " refuses its tensor map '"), e.getMessage());
            assertTrue(e.getMessage()
                    .contains("\n  error: stride[0] is 260 and must be a multiple of 16 bytes: pad it to 272"
                    + " bytes (stride-aligned)"), e.getMessage());
            // The kernel is as good as before.
            kernel.prepare(launch, from, to).start();
            gpu.synchronize();
        }
    }

    @Test
    void javaIsTheDefaultOnHopper() {
        assertEquals("pure Java", TestGpu.hopper().tensorMapEncoder().name());
    }

    private static TiledTensorMap valid() {
        return Presets.named("tensor-copy").build(ElementType.F32, 2, Schedule.DEFAULT).launch(List.of(64L, 64L), 0)
                .arguments()
                .stream()
                .filter(a -> a instanceof Argument.Tensor).map(a -> (TiledTensorMap) ((Argument.Tensor) a).map())
                .findFirst().orElseThrow();
    }
}
