package dev.tilewright.recording;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The recordings' data and hash, against published values and the rule for changed words. */
class RecordingsWindowTest {

    private static long word(long seed, int i) {
        return ByteBuffer.wrap(RecordingsWindow.bytes(seed, 8 * (i + 1))).order(ByteOrder.LITTLE_ENDIAN).getLong(8 * i);
    }

    @Test
    void plainWordsAreSplitmix64() {
        assertEquals(0xE220A8397B1DCDAFL, word(0, 0));
        assertEquals(0x910A2DEC89025CC1L, word(0, 1));
    }

    @Test
    void someWordsHaveTiesAndSpecialValues() {
        assertEquals(0x1000, word(9, 3) & 0x1FFF);
        assertEquals(0x1000, word(9, 5) >>> 32 & 0x1FFF);
        assertEquals(0x7F800000L, word(9, 4) & 0xFFFFFFFFL);
        assertEquals(0xFF800000L, word(9, 15) & 0xFFFFFFFFL);
        assertEquals(0x3F803000L, word(9, 11 * 11 + 4) & 0xFFFFFFFFL);
        assertEquals(0x7F800000L, word(9, 11 * 12 + 4) & 0xFFFFFFFFL);
        // 59 is 3 modulo 7 and 4 modulo 11: the special value comes last and wins.
        assertEquals(0x807FFFFFL, word(9, 59) & 0xFFFFFFFFL);
    }

    @Test
    void aLongerWindowStartsAsAShorterOne() {
        assertArrayEquals(RecordingsWindow.bytes(5, 4096),
                Arrays.copyOf(RecordingsWindow.bytes(5, RecordingsWindow.BYTES), 4096));
    }

    @Test
    void theSizeIsWholeWords() {
        assertEquals("the size must be a multiple of 8 bytes, got 12",
                assertThrows(IllegalArgumentException.class, () -> RecordingsWindow.bytes(1, 12)).getMessage());
    }

    @ParameterizedTest
    @CsvSource({"'', cbf29ce484222325", "a, af63dc4c8601ec8c", "foobar, 85944171f73967e8"})
    void theHashIsFnv1a(String text, String hash) {
        assertEquals(Long.parseUnsignedLong(hash, 16), Fnv.hash(text.getBytes(StandardCharsets.UTF_8)));
    }
}
