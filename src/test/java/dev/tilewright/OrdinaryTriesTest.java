package dev.tilewright;

import static org.junit.jupiter.api.Assertions.assertEquals;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.lifecycle.AfterContainer;

/** A property with fewer ordinary tries gets as many, and all of them in a thorough run. */
class OrdinaryTriesTest {
    private static int tried;

    @Property(tries = 30)
    @OrdinaryTries(4)
    void somethingLong(@ForAll long sample) {
        tried++;
    }

    @AfterContainer
    static void asManyAsItSays() {
        int ran = tried;
        tried = 0;
        assertEquals(Thorough.of(4, 30), ran);
    }
}
