package dev.tilewright.builder.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

/** Three groups of four warps have the registers of a multiprocessor, and no more. */
class RegisterShareTest {
    @Test
    void moreThanThereAreIsRefused() {
        assertEquals(504, 2 * RegisterShare.PRODUCT.computing() + RegisterShare.PRODUCT.loading());
        assertEquals("three groups share 504 registers for a thread of each, got 2 x 240 + 32 = 512", assertThrows(
                IllegalArgumentException.class, () -> new RegisterShare(240, 32)).getMessage());
    }
}
