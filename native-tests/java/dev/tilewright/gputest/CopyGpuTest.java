package dev.tilewright.gputest;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.builder.Preset;
import dev.tilewright.builder.Presets;
import dev.tilewright.builder.Schedule;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Scalars;
import dev.tilewright.verify.CaseDevice;
import dev.tilewright.verify.CopyCase;
import dev.tilewright.verify.CopyCheck;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Every builder on a real GPU: element types, steps, ragged shapes, ways to wait and to unswizzle, blocks that take one
 * tile and blocks that take more than they have stages. The result is poisoned beforehand, and every byte is compared
 * with a direct computation and with what the reference leaves, which runs one of each shape's grids, and of large
 * arrays with one of the steps, in turn, for the time that it takes: most of all this time would be its. Where the
 * reference stands in for the GPU, each type and option has one of the steps, in turn.
 */
@OnEveryStage
record CopyGpuTest(Stage stage) {
    private static final List<ElementType> TYPES = List.of(ElementType.U8, ElementType.F16, ElementType.BF16,
            ElementType.F32, ElementType.F64, ElementType.I32, ElementType.I64);
    /** Elements of an array that the reference runs with one of the steps. */
    private static final long LARGE = 100_000;
    private static final List<String> STEPS = List.of("copy", "scale", "add");

    /** Elements of the largest array: more tiles than blocks have stages, of the smallest tiles too. */
    private long large() {
        return stage == Stage.GPU ? 1_000_003 : 100_003;
    }

    @TestFactory
    Stream<DynamicContainer> cpAsyncPipelineAsOneRow() {
        return byType("cp-async-pipeline", List.of(Schedule.DEFAULT, Schedule.parse("stages=2 tile=1024B"),
                        Schedule.parse("stages=8 tile=16384B threads=512"),
                        Schedule.parse("stages=3 tile=4096B copy-bytes=8"),
                        Schedule.parse("stages=1 tile=4096B walk=interleaved")),
                type -> List.of(List.of(1L), List.of(5L), List.of(4097L), List.of(333L, 37L), List.of(7L, 3L, 11L, 13L),
                        List.of(large())));
    }

    @TestFactory
    Stream<DynamicContainer> cpAsyncPipelineOnMatrices() {
        return byType("cp-async-pipeline-2d", List.of(Schedule.DEFAULT, Schedule.parse("tile=7x48B stages=5"),
                        Schedule.parse("tile=33x80B copy-bytes=8 stages=2")),
                type -> List.of(List.of(1L, chunks(1, type)), List.of(65L, chunks(9, type)),
                List.of(3L, 50L, chunks(37, type)),
                        List.of(501L, chunks(5, type))));
    }

    @TestFactory
    Stream<DynamicContainer> bulkCopy() {
        return byType("bulk-copy", List.of(Schedule.parse("wait=parity"), Schedule.parse("wait=token"),
                        Schedule.parse("wait=parity stages=1 tile=208B"),
                        Schedule.parse("wait=token stages=7 tile=32752B"),
                        Schedule.parse("wait=parity stages=2 tile=4096B threads=64"),
                        Schedule.parse("stages=3 tile=2048B walk=interleaved")),
                type -> List.of(List.of(1L), List.of(2L), List.of(4097L), List.of(333L, 37L), List.of(large())));
    }

    @TestFactory
    Stream<DynamicContainer> tensorCopyInOneDimension() {
        return byType("tensor-copy", tensorOptions("%s", List.of(64, 32, 64, 128)), type ->
                List.of(List.of(1L), List.of(15L), List.of(257L), List.of(stage == Stage.GPU ? 100_003L : 10_007L)));
    }

    @TestFactory
    Stream<DynamicContainer> tensorCopyInTwoDimensions() {
        return byType("tensor-copy", tensorOptions("13x%s", List.of(128, 32, 48, 112)), type ->
                List.of(List.of(1L, chunks(1, type)), List.of(64L, chunks(8, type)), List.of(77L, chunks(11, type)),
                        List.of(3L, 100L, chunks(3, type))));
    }

    @TestFactory
    Stream<DynamicContainer> tensorCopyInThreeDimensions() {
        return byType("tensor-copy", tensorOptions("3x5x%s", List.of(128, 32, 64, 128)), type ->
                List.of(List.of(7L, 11L, chunks(11, type)), List.of(2L, 3L, chunks(1, type))));
    }

    @TestFactory
    Stream<DynamicContainer> tensorCopyInFourDimensions() {
        return byType("tensor-copy", tensorOptions("2x3x4x%s", List.of(64, 16, 64, 80)), type ->
                List.of(List.of(5L, 7L, 9L, chunks(5, type)), List.of(1L, 1L, 1L, chunks(17, type))));
    }

    @TestFactory
    Stream<DynamicContainer> tensorCopyInFiveDimensions() {
        return byType("tensor-copy", tensorOptions("2x1x3x2x%s", List.of(64, 32, 64, 96)), type ->
                List.of(List.of(3L, 4L, 5L, 3L, chunks(5, type)), List.of(2L, 1L, 1L, 9L, chunks(3, type))));
    }

    @TestFactory
    Stream<DynamicContainer> aWarpOfItsOwnMovesTheTiles() {
        List<Schedule> choices = List.of(Schedule.parse("stages=1 tile=2048B"),
                Schedule.parse("stages=4 tile=8192B"),
                Schedule.parse("stages=3 tile=512B threads=64 walk=interleaved wait=token"));
        List<Schedule> boxes = List.of(Schedule.parse("stages=2 tile=8x128B"),
                Schedule.parse("stages=3 tile=4x64B swizzle=64B unswizzle=step walk=interleaved threads=96"));
        List<String> steps = List.of("scale", "add");
        return Stream.concat(
                byType("bulk-copy", specialised(choices), steps,
                type -> List.of(List.of(1L), List.of(4097L), List.of(large()))),
                byType("tensor-copy", specialised(boxes), steps, type -> List.of(List.of(77L, chunks(11, type)),
                        List.of(3L, 100L, chunks(3, type)))));
    }

    private static List<Schedule> specialised(List<Schedule> choices) {
        return choices.stream().map(c -> c.with("roles", "specialised")).toList();
    }

    /**
     * Every swizzle, turned back by the store and by the threads, both ways to wait. @param rowBytes one for each
     * swizzle
     */
    private static List<Schedule> tensorOptions(String tile, List<Integer> rowBytes) {
        List<Schedule> all = new ArrayList<>();
        List<String> swizzles = List.of("none", "32B", "64B", "128B");
        for (int i = 0; i < swizzles.size(); i++) {
            for (String unswizzle : List.of("store", "step")) {
                all.add(Schedule.parse("swizzle=" + swizzles.get(i) + " unswizzle=" + unswizzle
                        + " tile=" + tile.formatted(rowBytes.get(i) + "B")
                        + " wait=" + (i % 2 == 0 ? "parity" : "token") + " stages=" + (1 + i)));
            }
        }
        return all;
    }

    /** The number of elements in this many 16-byte chunks. */
    private static long chunks(int count, ElementType type) {
        return (long) count * 16 / type.bytes();
    }

    private interface ShapesOf {
        List<List<Long>> shapes(ElementType type);
    }

    private Stream<DynamicContainer> byType(String presetName, List<Schedule> options, ShapesOf shapes) {
        return byType(presetName, options, STEPS, shapes);
    }

    private Stream<DynamicContainer> byType(String presetName, List<Schedule> options, List<String> steps,
            ShapesOf shapes) {
        Preset preset = Presets.named(presetName);
        return TYPES.stream().map(type -> DynamicContainer.dynamicContainer(type.toString(),
                options.stream().filter(choice -> isTaken(type, options.indexOf(choice)))
                        .flatMap(choice -> stage.some(steps, TYPES.indexOf(type) + options.indexOf(choice))
                .map(step -> DynamicTest.dynamicTest(
                        step + " " + choice, () -> {
                            // Loaded once, for all shapes of one rank.
                            Map<Integer, CaseDevice.Ready> kept = new HashMap<>();
                            try {
                                for (List<Long> shape : shapes.shapes(type)) {
                                    assertRight(preset, choice, type, steps, step, shape, kept);
                                }
                            } finally {
                                kept.values().forEach(CaseDevice.Ready::close);
                            }
                        })))));
    }

    /** Where the reference stands in, one in 40 of all options of all types. */
    private boolean isTaken(ElementType type, int option) {
        return stage.takes(option * TYPES.size() + TYPES.indexOf(type), 40);
    }

    private void assertRight(Preset preset, Schedule choice, ElementType type, List<String> steps,
            String step, List<Long> shape, Map<Integer, CaseDevice.Ready> kept) {
        Schedule changes = choice.with("step", step);
        long scalar = Scalars.parse(type, type.isFloat() ? "-1.7" : "3");
        CaseDevice device = stage.device(preset.minimumTarget());
        kept.computeIfAbsent(shape.size(), rank -> device.load(preset.build(type, rank, changes).program()));
        int[] tilesPerBlock = stage.tilesPerBlock(Objects.hash(choice, type.name(), step, shape));
        List<CopyCase> grids = IntStream.of(tilesPerBlock)
                .mapToObj(tiles -> new CopyCase(preset, changes, type, shape, tiles, scalar, shape.hashCode()))
                .toList();
        boolean isLarge = shape.stream().reduce(1L, Math::multiplyExact) >= LARGE;
        boolean isItsTurn =
                step.equals(steps.get(Math.floorMod(Objects.hash(choice, type.name(), shape), steps.size())));
        int referred = Math.floorMod(Objects.hash(choice, type.name(), step, shape), grids.size());
        assertEquals(Optional.empty(), CopyCheck.run(device, grids,
                isLarge && !isItsTurn ? OptionalInt.empty() : OptionalInt.of(referred)));
    }
}
