package dev.tilewright.gpu;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tilewright.BadRequestException;
import dev.tilewright.builder.BulkCopy;
import dev.tilewright.builder.CpAsyncPipeline;
import dev.tilewright.builder.Scalars;
import dev.tilewright.builder.TensorCopy;
import dev.tilewright.builder.TileKernel;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.ElementStep;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A host array through a kernel and back. */
class TileRunnerTest {
    private static final TileKernel COPY = BulkCopy.of(ElementType.F32).build();
    private final Arena arena = Arena.ofConfined();
    private final ReferenceDriver driver = new ReferenceDriver();

    @AfterEach
    void close() {
        driver.close();
        arena.close();
    }

    private float[] run(TileKernel kernel, List<Long> shape, long scalar, float... input) {
        MemorySegment output = arena.allocate(4L * input.length, 16);
        TileRunner.run(driver, kernel, shape, scalar, arena.allocateFrom(JAVA_FLOAT, input), output);
        return output.toArray(JAVA_FLOAT);
    }

    @Test
    void arraysComeBackWithTheStepApplied() {
        float[] input = {1, 2, 3, 4, 5, 6};
        assertArrayEquals(input, run(COPY, List.of(2L, 3L), 0, input));
        assertArrayEquals(new float[] {2, 4, 6, 8, 10, 12}, run(CpAsyncPipeline.of(ElementType.F32).step(ElementStep.SCALE).build(),
                List.of(6L), Scalars.parse(ElementType.F32, "2"), input));
        assertArrayEquals(new float[] {-4, -3, -2, -1}, run(TensorCopy.of(ElementType.F32).step(ElementStep.ADD).build(),
                List.of(1L, 4L), Scalars.parse(ElementType.F32, "-5"), 1, 2, 3, 4));
        assertArrayEquals(new float[] {9}, run(COPY, List.of(), 0, 9));
    }

    @Test
    void anEmptyArrayTouchesNoDevice() {
        driver.close();
        run(COPY, List.of(3L, 0L), 0);
        run(COPY, List.of(0L), 0);
    }

    @Test
    void aShapeThatWillNotDoIsRefusedBeforeAnything() {
        driver.close();
        assertThrows(BadRequestException.class, () -> run(TensorCopy.of(ElementType.F32).build(), List.of(2L, 3L), 0, 1, 2, 3, 4, 5, 6));
    }

    @Test
    void inputAndOutputAreOfTheArraysSize() {
        assertEquals("an array of shape [2, 3] of f32 has 24 bytes, got an input of 20 and an output of 20",
                assertThrows(IllegalArgumentException.class, () -> run(COPY, List.of(2L, 3L), 0, 1, 2, 3, 4, 5)).getMessage());
        assertEquals("an array of shape [2] of f32 has 8 bytes, got an input of 8 and an output of 4", assertThrows(IllegalArgumentException.class,
                () -> TileRunner.run(driver, COPY, List.of(2L), 0, arena.allocate(8), arena.allocate(4))).getMessage());
        assertEquals("an array of shape [2] of f32 has 8 bytes, got an input of 12 and an output of 8", assertThrows(IllegalArgumentException.class,
                () -> TileRunner.run(driver, COPY, List.of(2L), 0, arena.allocate(12), arena.allocate(8))).getMessage());
        assertEquals("an array of shape [0, 4] of f32 has 0 bytes, got an input of 4 and an output of 4",
                assertThrows(IllegalArgumentException.class, () -> run(COPY, List.of(0L, 4L), 0, 1)).getMessage());
    }
}
