package dev.tilewright.gputest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tilewright.builder.StepCase;
import dev.tilewright.verify.CaseDevice;
import java.lang.foreign.Arena;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Steps of one's own in every builder leave what a direct computation does, to the bit. */
@OnEveryStage
record StepsGpuTest(Stage stage) {

    static Stream<StepCase> cases() {
        return StepCase.all();
    }

    @ParameterizedTest
    @MethodSource("cases")
    void everyByteIsADirectComputations(StepCase c) {
        assumeTrue(stage.takes(c.toString().hashCode(), 4), "an ordinary run takes one in four");
        CaseDevice device = stage.device(c.kernel().program().minimumTarget(), 5);
        try (Arena arena = Arena.ofConfined()) {
            assertEquals(Optional.empty(), c.run(device, arena, 1));
            assertEquals(Optional.empty(), c.run(device, arena, 4));
        }
    }
}
