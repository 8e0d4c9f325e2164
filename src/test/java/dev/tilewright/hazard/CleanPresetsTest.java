package dev.tilewright.hazard;

import dev.tilewright.OrdinaryShare;
import dev.tilewright.Thorough;
import dev.tilewright.hazard.check.HazardCheck;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.builder.ElementwiseKernel;
import dev.tilewright.builder.GridPolicy;
import dev.tilewright.builder.Preset;
import dev.tilewright.builder.Presets;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Launch;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** No preset has a hazard, one tile a block and many. */
class CleanPresetsTest {

    static Stream<Preset> presets() {
        return Presets.ALL.stream();
    }

    @ParameterizedTest
    @OrdinaryShare(3)
    @MethodSource("presets")
    void haveNoFindings(Preset preset) {
        Predicate<Object> share = Thorough.share(4);
        for (ElementType type : List.of(ElementType.F32, ElementType.BF16, ElementType.U8)) {
            ElementwiseKernel kernel = preset.build(type);
            for (GridPolicy spread : List.of(GridPolicy.tilesEach(1), GridPolicy.over(3), GridPolicy.over(1))) {
                if (share.test(spread)) {
                    check(kernel, List.of(150L, 208L), spread);
                }
            }
        }
    }

    static HazardReport check(ElementwiseKernel kernel, List<Long> shape, GridPolicy spread) {
        Launch launch = kernel.launch(shape, 0x3F80, spread);
        long bytes = shape.stream().reduce((long) kernel.type().bytes(), Math::multiplyExact);
        try (Arena arena = Arena.ofConfined()) {
            HazardReport report = HazardCheck.check(launch,
                    List.of(arena.allocate(bytes, 16), arena.allocate(bytes, 16),
                    workspace(arena, kernel.workspaceBytes(launch))));
            assertEquals(List.of(), report.findings(), () -> kernel.program() .name() + " " + kernel.program()
                    .purpose() + " " + shape + " "
                    + spread + "\n" + report);
            return report;
        }
    }

    private static MemorySegment workspace(Arena arena, long bytes) {
        return bytes == 0 ? MemorySegment.NULL : arena.allocate(bytes, 128);
    }
}
