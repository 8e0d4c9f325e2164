package llama;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;

import dev.tilewright.ptx.Target;
import dev.tilewright.tile.TileKernel;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Schedules that only some GPUs have are said for these alone. */
class KernelsTest {
    private static final Map<String, Long> EXTENTS = Map.of("columns", 2048L, "depth", 512L, "inner", 1024L, "segments",
            63L, "width", 2048L);

    @ParameterizedTest
    @ValueSource(strings = {"sm_80", "sm_89", "sm_90", "sm_90a", "sm_100a", "sm_120a"})
    void kernelsAreMadeForEveryTarget(String name) {
        Target target = Target.parse(name);
        Kernels kernels = Kernels.of(Config.preset("1b"), target);
        for (int rows : List.of(1, 64, 512)) {
            Stream.of(Stream.of(kernels.embed(), kernels.norm(), kernels.addNorm(), kernels.gated(rows),
                    kernels.logits(), kernels.parts(rows, 512), kernels.parts(rows, 2048), kernels.rotate(),
                    kernels.pick(), kernels.greatest(), kernels.advance()), kernels.attention().stream())
                    .flatMap(some -> some).forEach(kernel -> lower(kernel, target, rows));
        }
    }

    private static void lower(TileKernel kernel, Target target, long rows) {
        Map<String, Long> extents = new TreeMap<>();
        kernel.dims().forEach(dim -> extents.put(dim.name(), dim.name().equals("rows") ? rows
                : EXTENTS.getOrDefault(dim.name(), 64L)));
        assertDoesNotThrow(() -> kernel.lowered(target, extents), () -> kernel.name() + " for " + target);
    }
}
