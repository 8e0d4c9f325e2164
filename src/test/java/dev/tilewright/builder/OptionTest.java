package dev.tilewright.builder;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.Thorough;
import dev.tilewright.layout.ElementType;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** What builders declare about their options holds together: samples, sweeps and defaults are legal and read back. */
class OptionTest {

    @Property(tries = 100)
    void aRandomValueIsLegalAndReadsBack(@ForAll long seed, @ForAll ElementType type) {
        for (Mechanism<?> mechanism : Presets.CATALOG.mechanisms()) {
            samplesAreLegal(mechanism, new SplittableRandom(seed), type);
        }
    }

    private static <B extends KernelBuilder<B>> void samplesAreLegal(Mechanism<B> mechanism, SplittableRandom random,
            ElementType type) {
        for (Option<? super B, ?> option : mechanism.options) {
            isLegal(mechanism, option, option.sample(random, type), type);
            option.sweep().forEach(swept -> isLegal(mechanism, option, swept, type));
        }
    }

    private static <B extends KernelBuilder<B>> void isLegal(Mechanism<B> mechanism, Option<? super B, ?> option,
            String text, ElementType type) {
        B builder = mechanism.builder(type, 2, Schedule.DEFAULT.with(option.name(), text));
        assertTrue(option.admits(builder), () -> mechanism + " " + option + " " + text);
        String written = option.text(builder);
        assertEquals(written, mechanism.settings(type, 2, Schedule.DEFAULT.with(option.name(), written))
                .get(option.name()).orElseThrow());
    }

    @Test
    void defaultsAreLegal() {
        for (Preset preset : Presets.ALL) {
            for (ElementType type : ElementType.values()) {
                for (int rank = 0; rank <= 6; rank++) {
                    if (!Thorough.takes(7 * type.ordinal() + rank, 10)) {
                        continue;
                    }
                    Schedule settings = preset.settings(type, rank, Schedule.DEFAULT);
                    assertEquals(preset.mechanism().options().stream().map(Option::name).sorted().toList(),
                            List.copyOf(settings.options().keySet()));
                    assertEquals(preset.build(type, rank, Schedule.DEFAULT).program(),
                            preset.build(type, rank, settings).program());
                }
            }
        }
    }

    @Test
    void everyValueOfARangeIsDrawn() {
        assertEquals(Set.of(2, 3, 4, 5, 6, 7, 8), drawn(new Numbers(2, 8)));
        assertEquals(Set.of(32, 64, 96), drawn(new Numbers(32, 96, 32)));
        assertEquals(Set.of(4, 8, 16), drawn(Choices.numbers(4, 8, 16)));
        assertEquals(Set.of(BarrierWait.values()), drawn(Choices.of(BarrierWait.class)));
        assertEquals(Set.of(List.of(4), List.of(8), List.of(1, 4), List.of(1, 8), List.of(2, 4), List.of(2, 8)),
                drawn(new Extents(1, 2, 2, 2)));
    }

    private static <V> Set<V> drawn(Values<V> values) {
        SplittableRandom random = new SplittableRandom(1);
        Set<V> drawn = new HashSet<>();
        for (int i = 0; i < 1000; i++) {
            V value = values.sample(random, ElementType.F32);
            assertTrue(values.admits(value), value::toString);
            drawn.add(value);
        }
        return drawn;
    }

    @Test
    void rangesInWordsAndAtTheirEnds() {
        Numbers stages = new Numbers(2, 8);
        assertEquals("2 to 8", stages.range());
        assertFalse(stages.admits(1) || stages.admits(9));
        Numbers threads = new Numbers(32, 1024, 32);
        assertEquals("32 to 1024, a multiple of 32", threads.range());
        assertFalse(threads.admits(0) || threads.admits(33) || threads.admits(1056) || threads.admits(-32));
        assertEquals("4, 8 or 16", Choices.numbers(4, 8, 16).range());
        assertEquals("parity or token", Choices.of(BarrierWait.class).range());
        assertFalse(Choices.numbers(4, 8, 16).admits(12));
        assertEquals("1 dimension", new Extents(1, 1, 1, 1).range());
        assertEquals("2 dimensions", new Extents(2, 2, 1, 1).range());
        assertEquals("1 to 5 dimensions", new Extents(1, 5, 1, 1).range());
        assertFalse(new Extents(1, 2, 1, 1).admits(List.of()) || new Extents(1, 2, 1, 1).admits(List.of(1, 1, 1)));
    }
}
