package dev.tilewright.builder;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tilewright.BadRequestException;

/** What every test of a refusal does. */
public final class Refusals {

    private Refusals() {
    }

    /** The request is refused with exactly this sentence. */
    public static void refused(String message, Runnable wrong) {
        assertEquals(message, assertThrows(BadRequestException.class, wrong::run).getMessage());
    }
}
