package dev.tilewright.hazard;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.OrdinaryShare;
import dev.tilewright.Thorough;
import dev.tilewright.builder.GridPolicy;
import dev.tilewright.builder.Preset;
import dev.tilewright.builder.Presets;
import dev.tilewright.builder.Schedule;
import dev.tilewright.layout.ElementType;
import dev.tilewright.reference.ReferenceOptions;
import dev.tilewright.verify.CaseDevice;
import dev.tilewright.verify.CopyCase;
import dev.tilewright.verify.CopyCheck;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Choices that change which threads do what, and when: no hazard, and the right bytes. */
class CleanOptionsTest {
    private static final List<Long> SHAPE = List.of(150L, 208L);

    static Stream<Arguments> choices() {
        Map<String, List<Schedule>> all = new TreeMap<>();
        all.put("vector-copy", List.of(Schedule.parse("walk=interleaved tile=4096B")));
        all.put("cp-async-pipeline", List.of(Schedule.parse("stages=1 tile=4096B"),
                Schedule.parse("walk=interleaved tile=4096B"),
                Schedule.parse("stages=1 walk=interleaved tile=4096B copy-bytes=4"),
                Schedule.parse("stages=3 threads=96 tile=4096B"),
                Schedule.parse("stages=2 tile=3x64B threads=32"),
                Schedule.parse("stages=4 tile=8x64B threads=32 walk=interleaved")));
        all.put("bulk-copy", List.of(Schedule.parse("walk=interleaved tile=4096B"),
                Schedule.parse("stages=1 tile=2048B cache=evict_first")));
        all.put("bulk-add", List.of(Schedule.parse("roles=specialised tile=4096B"),
                Schedule.parse("tile=4096B threads=64"),
                Schedule.parse("roles=specialised tile=4096B stages=1 threads=64 walk=interleaved"),
                Schedule.parse("roles=specialised tile=1024B stages=3 threads=64 wait=token")));
        all.put("tensor-copy", List.of(Schedule.parse("walk=interleaved tile=8x256B cache=evict_first")));
        all.put("tensor-scale", List.of(Schedule.parse("roles=specialised stages=2 threads=128"),
                Schedule.parse("roles=specialised unswizzle=step walk=interleaved stages=3 threads=96")));
        all.put("tensor-rebind", List.of(Schedule.parse("step=add roles=specialised stages=2 threads=96"),
                Schedule.parse("blocks-per-slab=3 tile=8x256B stages=2"),
                Schedule.parse("blocks-per-slab=64 stages=1 cache=evict_first")));
        return all.entrySet().stream().flatMap(e -> e.getValue().stream()
                .map(changes -> Arguments.of(e.getKey(), changes)));
    }

    @ParameterizedTest
    @OrdinaryShare(8)
    @MethodSource("choices")
    void haveNoFindingsAndMoveEveryByte(String name, Schedule changes) {
        Preset preset = Presets.named(name);
        Predicate<Object> share = Thorough.share(3);
        for (ElementType type : List.of(ElementType.F32, ElementType.BF16)) {
            for (GridPolicy spread : List.of(GridPolicy.tilesEach(1), GridPolicy.over(3), GridPolicy.over(1),
                    GridPolicy.waves(2, 3))) {
                if (share.test(spread)) {
                    CleanPresetsTest.check(preset.build(type, SHAPE.size(), changes), SHAPE, spread);
                }
            }
            for (int each : List.of(1, 2, 7, 1000)) {
                if (!share.test(each)) {
                    continue;
                }
                CopyCase moved = new CopyCase(preset, changes, type, SHAPE, each, 0x3F80, each);
                assertEquals(Optional.empty(), CopyCheck.run(CaseDevice.reference(ReferenceOptions.DEFAULT), moved),
                        moved::toString);
            }
        }
    }
}
