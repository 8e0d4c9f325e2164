package dev.tilewright;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Of the invocations of a test one in so many runs, and all of them in a thorough run. */
class OrdinaryShareTest {
    private static int ran;

    @ParameterizedTest
    @OrdinaryShare(3)
    @ValueSource(ints = {1, 2, 3, 4, 5, 6})
    void somethingLong(int parameter) {
        ran++;
    }

    @AfterAll
    static void asManyAsItSays() {
        int all = ran;
        ran = 0;
        assertEquals(Thorough.of(2, 6), all);
    }
}
