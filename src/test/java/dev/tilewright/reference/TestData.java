package dev.tilewright.reference;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tilewright.reference.fault.ReferenceException;
import java.util.Random;
import org.junit.jupiter.api.function.Executable;

/** Bytes to move, and the check of a complaint. */
public final class TestData {

    private TestData() {
    }

    /** Bytes that differ from their neighbours and from shared memory's poison, the same for the same seed. */
    public static byte[] bytes(int size, long seed) {
        byte[] bytes = new byte[size];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    /** The complaint of a program that makes a mistake, its kind and whole message compared. */
    public static ReferenceException assertComplaint(ReferenceException.Kind kind, String message, Executable run) {
        ReferenceException e = assertThrows(ReferenceException.class, run);
        assertEquals(message, e.getMessage());
        assertEquals(kind, e.kind());
        return e;
    }
}
