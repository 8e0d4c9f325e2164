package dev.tilewright.hazard;

import dev.tilewright.OrdinaryShare;
import dev.tilewright.hazard.check.HazardCheck;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.layout.TensorDataType;
import dev.tilewright.program.Argument;
import dev.tilewright.program.AsyncKernels;
import dev.tilewright.program.Launch;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.ptx.Target;
import dev.tilewright.tensormap.TiledTensorMap;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Correct kernels that wait in every way there is have no findings, in the fixed order and in others. */
class CleanKernelsTest {

    static Stream<AsyncKernels.Case> cases() {
        return AsyncKernels.all().stream();
    }

    @ParameterizedTest
    @OrdinaryShare(3)
    @MethodSource("cases")
    void haveNoFindings(AsyncKernels.Case c) {
        TiledTensorMap map = TiledTensorMap.outermostFirst(TensorDataType.FLOAT32).shape(256, 32).box(8, 32)
                .build(Target.SM_90);
        Map<Parameter, Argument> values =
                new HashMap<>(Map.of(AsyncKernels.SOURCE, new Argument.Buffer(0), AsyncKernels.RESULT,
                new Argument.Buffer(1), AsyncKernels.FLAGS, new Argument.Buffer(2), AsyncKernels.MAP,
                new Argument.Tensor(map, 0)));
        try (Arena arena = Arena.ofConfined()) {
            List<MemorySegment> memory = Stream.generate(() -> arena.allocate(AsyncKernels.BYTES, 16)).limit(3)
                    .toList();
            HazardReport report = HazardCheck.check(Launch.of(c.program(), c.blocks(), values), memory,
                    HazardOptions.DEFAULT.withSeeds(1L, 2L, 3L, 4L, 5L));
            assertEquals(List.of(), report.findings(), report::toString);
            assertTrue(report.complete() && report.checkedBytes() > 0);
        }
    }
}
