package dev.tilewright.gputest.race;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the race's table calls reached and missed, and by what it checks bytes. */
class TableTest {
    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
    private final Table table = new Table(new PrintStream(printed, true, StandardCharsets.UTF_8));

    private static Figure figure(double value) {
        return Figure.of(value);
    }

    private String lastLine() {
        return printed.toString(StandardCharsets.UTF_8).lines().reduce((_, line) -> line).orElseThrow();
    }

    @Test
    void aTimeIsReachedUpToItsBound() {
        table.time("launch", "us", figure(2.1), figure(2), 1.05);
        assertTrue(lastLine().endsWith("reached"), lastLine());
        table.time("launch", "us", figure(2.2), figure(2), 1.05);
        assertTrue(lastLine().endsWith("MISSED"), lastLine());
        assertEquals(List.of("launch, us"), table.missed());
    }

    @Test
    void aRateIsReachedFromItsBoundOn() {
        table.rate("copy", "GB/s", figure(97), figure(100), 0.97);
        table.share("stream", "GB/s", figure(45), figure(1), 50, "pinned copies", 0.9);
        assertEquals(List.of(), table.missed());
        table.rate("copy", "GB/s", figure(96), figure(100), 0.97);
        table.share("stream", "GB/s", figure(44), figure(1), 50, "pinned copies", 0.9);
        table.zero("allocated", "bytes", 1);
        assertEquals(List.of("copy, GB/s", "stream, GB/s", "allocated"), table.missed());
    }

    @Test
    void whereThereIsNoOtherSideNothingIsReached() {
        table.time("launch", "us", figure(2), null, 1.05);
        assertTrue(lastLine().contains("no C++ side"), lastLine());
        assertTrue(lastLine().stripTrailing().endsWith("not compared"), lastLine());
        assertNull(Figure.ofTurns(Arrays.asList(figure(1), null)));
    }

    @Test
    void figuresAreMedians() {
        assertEquals(new Figure(3, 1, 9, 3), Figure.of(9, 1, 3));
        assertEquals(3, Figure.ofTurns(List.of(Figure.of(1, 2, 3), Figure.of(3, 3, 3), Figure.of(7, 7, 9))).median());
    }

    @Test
    void aWrongWordIsFound() {
        MemorySegment words = MemorySegment.ofArray(new int[3_000_001]);
        Pattern.fill(words, 5);
        Pattern.expect("all", words, 5, 0);
        assertThrows(IllegalStateException.class, () -> Pattern.expect("another seed", words, 6, 0));
        words.setAtIndex(ValueLayout.JAVA_INT, 3_000_000, words.getAtIndex(ValueLayout.JAVA_INT, 3_000_000) ^ 1);
        IllegalStateException wrong =
                assertThrows(IllegalStateException.class, () -> Pattern.expect("all", words, 5, 0));
        assertTrue(wrong.getMessage().startsWith("all: word 3000000 of 3000001 is "), wrong.getMessage());
        assertFalse(table.missed().contains("all"));
    }
}
