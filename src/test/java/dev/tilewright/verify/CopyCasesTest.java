package dev.tilewright.verify;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.Thorough;
import dev.tilewright.builder.Option;
import dev.tilewright.builder.Presets;
import dev.tilewright.builder.Schedule;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Launch;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Random cases: the same from the same seed, valid, and varied enough to be worth running. */
class CopyCasesTest {

    private static List<CopyCase> draw(long seed, int count) {
        CopyCases cases = new CopyCases(Presets.ALL, seed);
        return Stream.generate(cases::next).limit(count).toList();
    }

    @Test
    void aSeedGivesTheSameCases() {
        int count = Thorough.of(15, 50);
        List<CopyCase> cases = draw(7, count);
        assertEquals(cases, draw(7, count));
        assertNotEquals(cases, draw(8, count));
    }

    @Test
    void casesAreValidAndVaried() {
        int count = Thorough.of(150, 600);
        List<CopyCase> cases = draw(1, count);
        Map<String, Integer> presets = new HashMap<>();
        Set<ElementType> types = EnumSet.noneOf(ElementType.class);
        Set<String> options = new HashSet<>();
        Set<Integer> ranks = new HashSet<>();
        int many = 0;
        for (CopyCase c : cases) {
            Launch launch = assertDoesNotThrow(c::launch, c::toString);
            many += launch.blocks() > 1 && c.tilesPerBlock() > 1 ? 1 : 0;
            presets.merge(c.preset().name(), 1, Integer::sum);
            types.add(c.type());
            options.addAll(c.changes().options().keySet());
            ranks.add(c.shape().size());
        }
        assertEquals(Presets.ALL.size(), presets.size());
        assertTrue(presets.values().stream().allMatch(n -> n >= Thorough.of(2, 15)),
                () -> "every preset has its share: " + presets);
        assertEquals(EnumSet.allOf(ElementType.class), types);
        assertEquals(Presets.CATALOG.mechanisms().stream().flatMap(m -> m.options().stream()).map(Option::name)
                .collect(Collectors.toSet()), options);
        assertEquals(Set.of(1, 2, 3, 4, 5, 6), ranks);
        long ragged = cases.stream().filter(c -> c.shape().getLast() * c.type().bytes() % 16 != 0).count();
        assertTrue(ragged > count / 6, "rows that are no whole chunks: " + ragged);
        assertTrue(many > count / 6, "several blocks of several tiles: " + many);
    }

    @Test
    void casesMayShareAKernelAndAreTheSameHoweverTheyAreDrawn() {
        List<CopyCase> cases = new CopyCases(Presets.ALL, 3, 4).next(102);
        CopyCases oneByOne = new CopyCases(Presets.ALL, 3, 4);
        assertEquals(Stream.generate(oneByOne::next).limit(102).toList(), cases);
        CopyCases inTurns = new CopyCases(Presets.ALL, 3, 4);
        assertEquals(cases, Stream.of(5, 0, 1, 96).flatMap(n -> inTurns.next(n).stream()).toList());
        int kernels = 1;
        for (int i = 1; i < cases.size(); i++) {
            boolean shares = cases.get(i).sharesKernelWith(cases.get(i - 1));
            if (shares) {
                assertEquals(cases.get(i - 1).launch().program(), cases.get(i).launch().program(), "case " + i);
                assertNotEquals(cases.get(i - 1), cases.get(i));
            }
            kernels += shares ? 0 : 1;
        }
        assertTrue(kernels >= 24 && kernels <= 30, "kernels of 102 cases: " + kernels);
    }

    @Test
    void aCaseCanBeNamedAgain() {
        CopyCase c = new CopyCase(Presets.named("tensor-copy"), Schedule.parse("wait=token stages=2"),
                ElementType.BF16, List.of(3L, 16L), 4, 255, -1);
        assertEquals("copy preset=tensor-copy type=bf16 shape=3x16 tiles=4 scalar=0xff seed=-1 "
                + "schedule=stages=2+wait=token", c.toString());
        assertEquals(c, new CopyKind(Presets.CATALOG, Presets.ALL).parse(CaseLine.parse(c.toString())));
    }

    @Test
    void theDataAreAsManyBytesAsTheArrayHasAndTheSameEachTime() {
        CopyCase c = new CopyCase(Presets.named("bulk-copy"), Schedule.DEFAULT, ElementType.U8, List.of(3L, 7L), 1, 0,
                5);
        try (Arena arena = Arena.ofConfined()) {
            assertEquals(21, c.data(arena).byteSize());
            assertEquals(-1, c.data(arena).mismatch(c.data(arena)));
            CopyCase other = new CopyCase(c.preset(), c.changes(), c.type(), c.shape(), 1, 0, 6);
            assertNotEquals(-1, c.data(arena).mismatch(other.data(arena)));
        }
    }

    @Test
    void theDataHoldWhatArithmeticGoesWrongOn() {
        CopyCase c = new CopyCase(Presets.named("bulk-copy"), Schedule.DEFAULT, ElementType.F32, List.of(4000L), 1, 0,
                1);
        try (Arena arena = Arena.ofConfined()) {
            float[] data = c.data(arena).toArray(ValueLayout.JAVA_FLOAT);
            boolean nan = false;
            boolean infinite = false;
            boolean subnormal = false;
            boolean negativeZero = false;
            for (float f : data) {
                nan |= Float.isNaN(f);
                infinite |= Float.isInfinite(f);
                subnormal |= f != 0 && Math.abs(f) < Float.MIN_NORMAL;
                negativeZero |= Float.floatToRawIntBits(f) == 0x80000000;
            }
            assertTrue(nan && infinite && subnormal && negativeZero);
        }
    }

    @Test
    void thereMustBeAPreset() {
        assertEquals("there is no preset to draw cases from",
                assertThrows(IllegalArgumentException.class, () -> new CopyCases(List.of(), 1)).getMessage());
        assertEquals("at least 1 case must be drawn of each kernel, got 0",
                assertThrows(IllegalArgumentException.class, () -> new CopyCases(Presets.ALL, 1, 0)).getMessage());
    }
}
