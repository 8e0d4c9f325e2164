package dev.tilewright.reference;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.tilewright.hazard.Finding;
import dev.tilewright.hazard.HazardCode;
import dev.tilewright.hazard.HazardReport;
import dev.tilewright.hazard.check.HazardCheck;
import dev.tilewright.program.Argument;
import dev.tilewright.program.ComputingKernels;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.reference.fault.ReferenceException.Kind;
import dev.tilewright.reference.fault.ReferenceException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What small kernels that compute come to, against the same computed directly in Java. */
class ComputingKernelsTest {

    private static float[] run(TileProgram program, int blocks, float[] x, float[] y, Argument... more) {
        List<Argument> arguments = new ArrayList<>(List.of(new Argument.Buffer(0), new Argument.Buffer(1)));
        arguments.addAll(List.of(more));
        MemorySegment result = MemorySegment.ofArray(y.clone());
        Launch launch = new Launch(program, blocks, arguments);
        Reference.run(launch, List.of(MemorySegment.ofArray(x), result), ReferenceOptions.DEFAULT);
        assertEquals(List.of(),
                HazardCheck.check(launch, List.of(MemorySegment.ofArray(x), MemorySegment.ofArray(y.clone())))
                .findings());
        return result.toArray(ValueLayout.JAVA_FLOAT);
    }

    @Test
    void fourElementsAThread() {
        float[] x = new float[256];
        float[] y = new float[256];
        for (int i = 0; i < x.length; i++) {
            x[i] = 1.1f * i - 40;
            y[i] = 0.3f / (i + 1);
        }
        float[] result = run(ComputingKernels.axpy(), 2, x, y, new Argument.Scalar(Float.floatToRawIntBits(1.7f)));
        for (int i = 0; i < x.length; i++) {
            assertEquals(Math.fma(x[i], 1.7f, y[i]), result[i]);
        }
    }

    @Test
    void loopsEndByData() {
        float[] x = new float[32];
        for (int i = 0; i < 32; i++) {
            x[i] = i * i * i;
        }
        float[] result = run(ComputingKernels.halvings(), 1, x, new float[32]);
        for (int i = 0; i < 32; i++) {
            int count = 0;
            for (float v = x[i]; v >= 1; v *= 0.5f) {
                count++;
            }
            assertEquals(count * (count - 1) / 2, result[i]);
        }
    }

    @Test
    void functionsWithinTheirArguments() {
        float[] x = new float[32];
        for (int i = 0; i < 32; i++) {
            x[i] = i / 7f;
        }
        float[] result = run(ComputingKernels.functions(), 1, x, new float[32]);
        for (int i = 0; i < 32; i++) {
            float inner = x[i] * x[i] + 1;
            assertEquals(inner * inner + 1, result[i]);
        }
    }

    @Test
    void approximationsAreRefusedUnlessAskedFor() {
        float[] x = new float[32];
        for (int i = 0; i < 32; i++) {
            x[i] = i / 3f;
        }
        Launch launch = new Launch(ComputingKernels.approximation(), 1,
                List.of(new Argument.Buffer(0), new Argument.Buffer(1)));
        MemorySegment result = MemorySegment.ofArray(new float[32]);
        ReferenceException refused = assertThrows(ReferenceException.class, () -> Reference.run(launch,
                List.of(MemorySegment.ofArray(x), result)));
        assertEquals(Kind.NOT_MODELLED, refused.kind());
        assertTrue(refused.getMessage().contains("ex2.approx.f32 is the hardware's approximation"),
                refused.getMessage());
        Reference.run(launch, List.of(MemorySegment.ofArray(x), result), ReferenceOptions.DEFAULT.withApproximations());
        for (int i = 0; i < 32; i++) {
            assertEquals(Math.pow(2, x[i]), result.getAtIndex(ValueLayout.JAVA_FLOAT, i), Math.pow(2, x[i]) * 0x1p-22);
        }
    }

    @Test
    void whatWasNeverAssignedIsFoundWhereItMatters() {
        for (boolean initial : new boolean[] {true, false}) {
            Launch launch = new Launch(ComputingKernels.halfAssigned(initial), 1,
                    List.of(new Argument.Buffer(0), new Argument.Buffer(1)));
            HazardReport report = HazardCheck.check(launch, List.of(MemorySegment.ofArray(new float[32]),
                    MemorySegment.ofArray(new float[32])));
            assertEquals(initial ? List.of() : List.of(HazardCode.READ_UNWRITTEN),
                    report.findings().stream().map(Finding::code).toList());
            if (!initial) {
                assertTrue(report.findings().getFirst().message().contains("register 'r'"), report.toString());
            }
        }
    }

    static Stream<Arguments> clean() {
        return Stream.of(arguments(ComputingKernels.lock(), 6), arguments(ComputingKernels.neighbours(), 4),
                arguments(ComputingKernels.carriedToken(), 1));
    }

    @ParameterizedTest
    @MethodSource
    void clean(TileProgram program, int blocks) {
        Launch launch = new Launch(program, blocks, List.of(new Argument.Buffer(0), new Argument.Buffer(1)));
        assertEquals(List.of(), HazardCheck.check(launch, List.of(MemorySegment.ofArray(new long[512]),
                MemorySegment.ofArray(new long[512]))).findings());
    }
}
