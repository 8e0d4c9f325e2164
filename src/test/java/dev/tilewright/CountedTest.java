package dev.tilewright;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CountedTest {
    @ParameterizedTest
    @CsvSource({"0, 0 blocks", "1, 1 block", "2, 2 blocks", "21, 21 blocks", "-1, -1 blocks"})
    void saysHowMany(long count, String said) {
        assertEquals(said, Counted.of(count, "block"));
        assertEquals(said, Counted.of(Long.toString(count), "block"));
    }

    @ParameterizedTest
    @CsvSource({"32 x 4, 32 x 4 blocks", "1 x 2, 1 x 2 blocks", "?, ? blocks"})
    void saysWhatIsWritten(String count, String said) {
        assertEquals(said, Counted.of(count, "block"));
    }
}
