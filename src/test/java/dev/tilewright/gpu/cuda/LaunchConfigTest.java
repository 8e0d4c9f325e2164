package dev.tilewright.gpu.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** The bytes of a CUlaunchConfig, at the offsets that a C compiler gives for cuda.h of CUDA 13.0 (offsetof, sizeof). */
class LaunchConfigTest {

    private static MemorySegment attributes(MemorySegment config) {
        return MemorySegment.ofAddress(config.get(JAVA_LONG, 40)).reinterpret(3 * 72);
    }

    @Property
    void everyFieldIsWhereTheDriverLooksForIt(@ForAll @IntRange(min = 1) int gx, @ForAll @IntRange(min = 1) int gy,
            @ForAll @IntRange(min = 1) int gz, @ForAll @IntRange(min = 1) int bx, @ForAll @IntRange(min = 1) int by,
            @ForAll @IntRange(min = 1) int bz, @ForAll int shared, @ForAll long stream) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment config = new LaunchConfig(arena).grid(gx, gy, gz).block(bx, by, bz).sharedBytes(shared)
                    .stream(stream).segment();
            assertEquals(56, config.byteSize());
            int[] expected = {gx, gy, gz, bx, by, bz, shared};
            for (int i = 0; i < expected.length; i++) {
                assertEquals(expected[i], config.get(JAVA_INT, 4L * i));
            }
            assertEquals(stream, config.get(JAVA_LONG, 32));
            assertEquals(0, config.get(JAVA_INT, 48));
        }
    }

    @Test
    void attributesAreAddedOnceAndChangedAfterwards() {
        try (Arena arena = Arena.ofConfined()) {
            LaunchConfig config = new LaunchConfig(arena).cluster(2, 1, 1).cooperative(true)
                    .programmaticSerialization(true)
                    .cluster(4, 2, 1);
            assertEquals(3, config.segment().get(JAVA_INT, 48));
            MemorySegment attributes = attributes(config.segment());
            assertEquals(4, attributes.get(JAVA_INT, 0));
            assertEquals(4, attributes.get(JAVA_INT, 8));
            assertEquals(2, attributes.get(JAVA_INT, 12));
            assertEquals(1, attributes.get(JAVA_INT, 16));
            assertEquals(2, attributes.get(JAVA_INT, 72));
            assertEquals(1, attributes.get(JAVA_INT, 80));
            assertEquals(6, attributes.get(JAVA_INT, 144));
            assertEquals(1, attributes.get(JAVA_INT, 152));
        }
    }

    @Test
    void nothingIsLaunchedWithNoBlocks() {
        try (Arena arena = Arena.ofConfined()) {
            LaunchConfig config = new LaunchConfig(arena);
            assertEquals("a launch has at least 1 in each dimension, not 1 x 0 x 1",
                    assertThrows(IllegalArgumentException.class, () -> config.grid(1, 0, 1)).getMessage());
        }
    }
}
