package dev.tilewright.builder;

import static dev.tilewright.builder.Refusals.refused;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.Thorough;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.ElementStep;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Presets by name, and their options as users write them. */
class PresetsTest {

    private static ElementwiseKernel build(String preset, ElementType type, String option, String text) {
        return Presets.named(preset).build(type, 2, Schedule.DEFAULT.with(option, text));
    }

    @Test
    void namesAreUniqueAndFound() {
        Set<String> names = new HashSet<>();
        for (Preset preset : Presets.ALL) {
            assertTrue(names.add(preset.name()) && preset.name().matches("[a-z0-9-]+"), preset.name());
            assertEquals(preset, Presets.named(preset.name()));
            assertTrue(preset.schedule().options().keySet().stream().allMatch(preset.mechanism()::hasOption), preset
                    .name());
        }
    }

    @Test
    void anUnknownNameGetsTheListOfAll() {
        String all = Presets.ALL.stream().map(Preset::name).collect(Collectors.joining(", "));
        refused("there is no preset 'tensor-cpy': there are " + all, () -> Presets.named("tensor-cpy"));
        assertEquals(Optional.empty(), Presets.CATALOG.find("tensor-cpy"));
    }

    @ParameterizedTest
    @EnumSource
    void everyPresetBuildsForEveryTypeAndRank(ElementType type) {
        for (Preset preset : Presets.ALL) {
            for (int rank = 0; rank <= 6; rank++) {
                if (!Thorough.takes(7 * type.ordinal() + rank, 5)) {
                    continue;
                }
                ElementwiseKernel kernel = preset.build(type, rank, Schedule.DEFAULT);
                assertEquals(preset.minimumTarget(), kernel.program().minimumTarget());
                assertEquals(type, kernel.type());
                assertEquals(ElementStep.constant(preset.schedule().get("step").orElse("copy")).orElseThrow(),
                        kernel.step());
            }
        }
    }

    @Test
    void optionsOfAnotherMechanism() {
        refused("preset 'bulk-copy' has no option --swizzle; it has --tile, --stages, --threads, --step, --walk, "
                + "--roles, --wait, --cache", () -> build("bulk-copy", ElementType.F32, "swizzle", "128B"));
        refused("preset 'cp-async-pipeline' has no option --wait; it has --tile, --stages, --threads, --step, --walk, "
                + "--copy-bytes", () -> build("cp-async-pipeline", ElementType.F32, "wait", "token"));
        refused("preset 'tensor-copy' has no option --copy-bytes; it has --tile, --stages, --threads, --step, --walk, "
                + "--swizzle, --unswizzle, --roles, --wait, --cache",
                () -> build("tensor-copy", ElementType.F32, "copy-bytes", "8"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "tile | 64y64 | --tile takes extents such as 64x64, 64x128B (bytes) or 4096, got '64y64'",
        "tile | '' | --tile takes extents such as 64x64, 64x128B (bytes) or 4096, got ''",
        "tile | 64x | --tile takes extents such as 64x64, 64x128B (bytes) or 4096, got '64x'",
        "tile | B | --tile takes extents such as 64x64, 64x128B (bytes) or 4096, got 'B'",
        "tile | 99999999999 | --tile takes extents such as 64x64, 64x128B (bytes) or 4096, got '99999999999'",
        "tile | 8x30B | --tile: 30 bytes are no whole number of f32 elements",
        "tile | 8x-16B | a tile's extents are at least 1, got 8x-4",
        "stages | two | --stages takes a whole number, got 'two'",
        "stages | 2.5 | --stages takes a whole number, got '2.5'",
        "stages | 9 | tensor-copy takes 1 to 8 stages, got 9",
        "threads | '' | --threads takes a whole number, got ''",
        "threads | 0 | a block has a multiple of 32 threads, at most 1024, got 0",
        "step | mul | --step is one of copy, scale, add, got 'mul'",
        "swizzle | 48B | --swizzle: '48B' is not a swizzle: choose none, 32B, 64B or 128B",
        "unswizzle | none | --unswizzle is one of store, step, got 'none'",
        "wait | spin | --wait is one of parity, token, got 'spin'"})
    void valuesThatWillNotDo(String option, String text, String message) {
        refused(message, () -> build("tensor-copy", ElementType.F32, option, text));
    }

    @Test
    void copyBytesThatWillNotDo() {
        refused("cp.async copies 4, 8 or 16 bytes and at least one element (f64, 8 bytes), got 4",
                () -> build("cp-async-pipeline", ElementType.F64, "copy-bytes", "4"));
        refused("--copy-bytes takes a whole number, got '8B'",
                () -> build("cp-async-pipeline", ElementType.F32, "copy-bytes", "8B"));
    }

    @ParameterizedTest
    @CsvSource({"tile, 8x8, 8X32b", "tile, 8x8, ' 8, 8 '", "stages, 2, ' 2 '", "step, add, ADD", "swizzle, 64B, 64",
            "swizzle, 64B, 64b",
        "wait, token, Token", "unswizzle, step, STEP"})
    void oneChoiceMayBeWrittenInMoreThanOneWay(String option, String plain, String other) {
        var changed = build("tensor-copy", ElementType.F32, option, plain).program();
        assertEquals(changed, build("tensor-copy", ElementType.F32, option, other).program());
        assertNotEquals(changed, Presets.named("tensor-copy").build(ElementType.F32).program());
    }

    @Test
    void theDefaultTileFollowsTypeRankAndSwizzle() {
        assertEquals("2-D tensor-map copies in boxes of 16x128 f32, swizzle none, 4 stages, wait by parity, step: copy",
                purpose(2, Schedule.DEFAULT));
        assertEquals("1-D tensor-map copies in boxes of 256 f32, swizzle none, 4 stages, wait by parity, step: copy",
                purpose(1, Schedule.DEFAULT));
        assertEquals("1-D tensor-map copies in boxes of 256 f32, swizzle none, 4 stages, wait by parity, step: copy",
                purpose(0, Schedule.DEFAULT));
        assertEquals("2-D tensor-map copies in boxes of 64x8 f32, swizzle 32B, 4 stages, wait by parity, step: copy",
                purpose(5, Schedule.parse("swizzle=32B")));
        assertEquals("1-D tensor-map copies in boxes of 16 f32, swizzle 64B, 4 stages, wait by parity, step: copy",
                purpose(1, Schedule.parse("swizzle=64B")));
    }

    private static String purpose(int rank, Schedule changes) {
        return Presets.named("tensor-copy").build(ElementType.F32, rank, changes).program().purpose();
    }

    @Test
    void optionsAreListedByTheBuilder() {
        assertEquals(List.of("tile", "stages", "threads", "step", "walk", "swizzle", "unswizzle", "roles", "wait",
                "cache"), names(TensorCopy.MECHANISM));
        assertEquals(List.of("tile", "stages", "threads", "step", "walk", "copy-bytes"),
                names(CpAsyncPipeline.MECHANISM));
    }

    private static List<String> names(Mechanism<?> mechanism) {
        return mechanism.options().stream().map(Option::name).toList();
    }

    @Test
    void mechanismsComeFromThePresets() {
        List<Mechanism<?>> mechanisms = Presets.CATALOG.mechanisms();
        assertEquals(Presets.ALL.stream().map(Preset::mechanism).distinct().toList(), mechanisms);
        assertTrue(mechanisms.containsAll(List.of(CpAsyncPipeline.MECHANISM, BulkCopy.MECHANISM, TensorCopy.MECHANISM,
                TensorRebind.MECHANISM)));
    }

    @Test
    void settingsAreWhatAKernelIsBuiltWith() {
        assertEquals("cache=normal roles=together stages=4 step=scale swizzle=128B threads=256 tile=64x32 "
                + "unswizzle=store wait=parity walk=runs", Presets.named("tensor-scale")
                .settings(ElementType.F32, 2, Schedule.DEFAULT).toString());
        assertEquals("cache=normal roles=together stages=2 step=copy swizzle=32B threads=32 tile=16 "
                + "unswizzle=store wait=token walk=runs", Presets.named("tensor-scale")
                .settings(ElementType.F16, 1,
                        Schedule.parse("step=Copy swizzle=1 wait=TOKEN").with("stages", " 2")).toString());
    }

    @Test
    void aPresetSetsOnlyWhatThereIs() {
        refused("preset 'mine' has no option --swizzle; it has --tile, --stages, --threads, --step, --walk, --roles, "
                + "--wait, --cache", () -> new Preset("mine", BulkCopy.MECHANISM, "swizzled",
                Schedule.parse("swizzle=32B")));
    }

    @Test
    void presetsOfACatalogueHaveNamesOfTheirOwn() {
        Preset one = Presets.named("bulk-add");
        assertEquals("two presets are called 'bulk-add'",
                assertThrows(IllegalArgumentException.class, () -> new PresetCatalog(List.of(one, one))).getMessage());
        refused("there is no preset '': the catalogue is empty", () -> new PresetCatalog(List.of()).named(""));
    }
}
