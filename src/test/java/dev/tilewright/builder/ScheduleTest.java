package dev.tilewright.builder;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tilewright.layout.ElementType;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.program.ElementStep;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The text form of what is chosen of a kernel, and how choices replace each other. */
class ScheduleTest {

    @ParameterizedTest
    @ValueSource(strings = {"none", "none, 264 blocks", "stages=4 tile=16384B", "stages=4 tile=8x512B, 1 tile a block",
        "roles=specialised, 2 tiles a block", "walk=interleaved, 4 tiles a block in waves of 264"})
    void whatIsPrintedIsRead(String text) {
        assertEquals(text, Schedule.parse(text).toString());
    }

    @Test
    void aScheduleIsItsOptionsAndItsGrid() {
        assertEquals(new Schedule(Map.of("stages", "4", "tile", "64x32"), Optional.of(GridPolicy.waves(264, 4))),
                Schedule.parse("tile=64x32 stages=4", "4 tiles a block in waves of 264"));
        assertEquals("stages=4 tile=64x32", Schedule.parse("tile=64x32 stages=4").optionsText());
        assertEquals("own", Schedule.DEFAULT.gridText());
    }

    @Test
    void changesReplaceWhatWasChosen() {
        Schedule own = Schedule.parse("stages=4 tile=4096B, 2 tiles a block");
        assertEquals("stages=2 tile=4096B wait=token, 2 tiles a block",
                own.with(Schedule.parse("stages=2 wait=token")).toString());
        assertEquals("stages=4 tile=4096B, 8 blocks", own.with(Schedule.parse("none, 8 blocks")).toString());
        assertEquals("tile=4096B, 2 tiles a block", own.without("stages").toString());
        assertEquals(List.of("stages=1 tile=8B", "stages=2 tile=8B"), Schedule.combinations(
                List.of(Schedule.parse("tile=8B")), "stages", List.of("1", "2")).stream().map(Schedule::toString)
                .toList());
    }

    @Test
    void aKernelHasTheGridOfItsSchedule() {
        Preset preset = Presets.named("bulk-copy");
        ElementwiseKernel kernel = preset.build(ElementType.F32, 2, Schedule.parse("tile=1024B, 3 blocks"));
        List<Long> shape = List.of(100L, 1000L);
        assertEquals(3, kernel.launch(shape, 0).blocks());
        assertEquals(kernel.launch(shape, 0, GridPolicy.over(3)), kernel.launch(shape, 0));
        assertEquals(7, kernel.launch(shape, 0, GridPolicy.over(7)).blocks());
    }

    @Test
    void optionsOfBuildersAreTypedToo() {
        Schedule typed = Schedule.DEFAULT.with(TensorCopy.Builder.SWIZZLE, Swizzle.B128)
                .with(TensorCopy.Builder.TILE, List.of(16, 32)).with(KernelBuilder.STEP, ElementStep.SCALE)
                .with(BulkPipelineBuilder.ROLES, Roles.SPECIALISED);
        assertEquals("roles=specialised step=scale swizzle=128B tile=16x32", typed.toString());
        Preset preset = Presets.named("tensor-copy");
        assertEquals(preset.build(ElementType.F32, 2, Schedule.parse("roles=specialised step=scale swizzle=128B "
                + "tile=16x128B")).program(), preset.build(ElementType.F32, 2, typed).program());
        assertEquals("a schedule has stages=9: choose 1 to 8", assertThrows(IllegalArgumentException.class,
                () -> Schedule.DEFAULT.with(BulkCopy.Builder.STAGES, 9)).getMessage());
    }

    /** Whatever a builder's option holds is written, and builds the kernel that the text builds. */
    @Property(tries = 100)
    void aBuildersValueIsWrittenAsItIsRead(@ForAll long seed, @ForAll ElementType type) {
        for (Mechanism<?> mechanism : Presets.CATALOG.mechanisms()) {
            mechanism.options().forEach(option -> isWritten(option, new SplittableRandom(seed), type));
        }
    }

    private static <V> void isWritten(Option<?, V> option, SplittableRandom random, ElementType type) {
        String text = option.sample(random, type);
        assertEquals(Schedule.DEFAULT.with(option.name(), text),
                Schedule.DEFAULT.with(option, option.values.parse(option.name(), text, type)));
    }

    @Test
    void whatIsNoScheduleIsRefused() {
        Map.of("stages", "options are such as 'stages=4 tile=64x128', or 'none', got 'stages'",
                "", "options are such as 'stages=4 tile=64x128', or 'none', got ''",
                "a=1 a=2", "options name 'a' twice",
                "stages=3, tile=64x64", "grid is '2 tiles a block', '264 blocks', '2 tiles a block in waves of 264' or "
                        + "'own', got 'tile=64x64': options stand before the comma, with spaces between them",
                "none, 0 blocks", "grid is '2 tiles a block', '264 blocks', '2 tiles a block in waves of 264' or "
                        + "'own', got '0 blocks'").forEach((text, why) -> assertEquals(why,
                assertThrows(IllegalArgumentException.class, () -> Schedule.parse(text)).getMessage()));
    }
}
