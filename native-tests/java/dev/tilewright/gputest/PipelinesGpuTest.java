package dev.tilewright.gputest;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tilewright.builder.pipeline.PipelineCases;
import dev.tilewright.program.Launch;
import dev.tilewright.verify.CaseDevice;
import dev.tilewright.verify.draw.CopyKernels.Copies;
import dev.tilewright.verify.draw.CopyKernels;
import dev.tilewright.verify.draw.PipelineCase;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Pipelines of every kind, and copies that threads perform together, leave what a plain loop leaves. */
@OnEveryStage
record PipelinesGpuTest(Stage stage) {
    private static final int ROUNDS = 10;

    static Stream<PipelineCase> cases() {
        return PipelineCases.all();
    }

    @ParameterizedTest
    @MethodSource("cases")
    void pipelines(PipelineCase c) {
        assumeTrue(stage.takes(c.toString().hashCode(), 4), "an ordinary run takes one in four");
        MemorySegment source = PipelineCases.source();
        for (int round = 0; round < stage.most(1, ROUNDS); round++) {
            MemorySegment result = PipelineCases.result(c);
            run(c.launch(), source, result, round);
            assertEquals(-1, PipelineCases.firstWrong(c, source, result), c + ", round " + round);
        }
    }

    static Stream<Copies> copies() {
        return IntStream.range(0, 40).mapToObj(i -> CopyKernels.random(new SplittableRandom(i), 1 << i % 5));
    }

    @ParameterizedTest
    @MethodSource("copies")
    void copiesAtAnyAddresses(Copies copies) {
        assumeTrue(stage.takes(copies.toString().hashCode(), 4), "an ordinary run takes one in four");
        byte[] source = copies.source();
        byte[] result = new byte[copies.resultBytes()];
        run(copies.launch(), MemorySegment.ofArray(source), MemorySegment.ofArray(result), 1);
        assertArrayEquals(copies.expected(source), result, copies::toString);
    }

    private void run(Launch launch, MemorySegment source, MemorySegment result, int round) {
        CaseDevice device = stage.device(launch.program().minimumTarget(), round);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment sent = arena.allocate(source.byteSize(), 256).copyFrom(source);
            MemorySegment received = arena.allocate(result.byteSize(), 256).fill((byte) 0xCD);
            device.run(launch, List.of(sent, received));
            MemorySegment.copy(received, ValueLayout.JAVA_BYTE, 0, result, ValueLayout.JAVA_BYTE, 0,
                    result.byteSize());
        }
    }
}
