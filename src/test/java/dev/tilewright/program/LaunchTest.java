package dev.tilewright.program;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tilewright.layout.ElementType;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.tensormap.TiledTensorMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A launch takes exactly the arguments that its program's parameters ask for, each of the right kind. */
class LaunchTest {
    private static final Parameter POINTER = new Parameter.Pointer("source", false);
    private static final Parameter NARROW = new Parameter.Int("narrow", IntType.S32);
    private static final Parameter WIDE = new Parameter.Int("wide", IntType.S64);
    private static final Parameter SCALAR = new Parameter.Scalar("scalar", ElementType.F32);
    private static final Parameter MAP = new Parameter.TensorMap("map", 2);
    private static final TileProgram PROGRAM = new TileProgram("all_kinds", "takes one of each", 32,
            List.of(POINTER, NARROW, WIDE, SCALAR, MAP), new SharedLayout(List.of()), List.of());

    private static final Argument BUFFER = new Argument.Buffer(0);
    private static final Argument NUMBER = new Argument.Int(7);
    private static final Argument BITS = new Argument.Scalar(1);
    private static final Argument TENSOR = new Argument.Tensor(map(4L, 4L), 1);

    private static TiledTensorMap map(Long... dims) {
        return TiledTensorMap.denseInnermostFirst(TensorDataType.FLOAT32, List.of(dims),
                List.of(4, 4, 4).subList(0, dims.length), Swizzle.NONE);
    }

    @Test
    void rightArgumentsAreTaken() {
        Launch launch = Launch.of(PROGRAM, 3, Map.of(POINTER, BUFFER, NARROW, NUMBER, WIDE, new Argument.Int(1L << 40),
                SCALAR, BITS, MAP, TENSOR, new Parameter.Int("other", IntType.S32), NUMBER));
        assertEquals(List.of(BUFFER, NUMBER, new Argument.Int(1L << 40), BITS, TENSOR), launch.arguments());
        assertEquals(0, new Launch(PROGRAM, 0, launch.arguments()).blocks());
    }

    @Test
    void refusals() {
        refused("blocks must be at least 0, got -1", -1, BUFFER, NUMBER, NUMBER, BITS, TENSOR);
        refused("kernel 'all_kinds' takes 5 arguments, got 4", 1, BUFFER, NUMBER, NUMBER, BITS);
        refused("parameter 'source' of kernel 'all_kinds' cannot be Int[value=7]", 1, NUMBER, NUMBER, NUMBER, BITS,
                TENSOR);
        refused("parameter 'narrow' of kernel 'all_kinds' cannot be Int[value=2147483648]", 1, BUFFER,
                new Argument.Int(1L << 31), NUMBER, BITS, TENSOR);
        refused("parameter 'narrow' of kernel 'all_kinds' cannot be Scalar[bits=1]", 1, BUFFER, BITS, NUMBER, BITS,
                TENSOR);
        refused("parameter 'wide' of kernel 'all_kinds' cannot be " + BUFFER, 1, BUFFER, NUMBER, BUFFER, BITS, TENSOR);
        refused("parameter 'scalar' of kernel 'all_kinds' cannot be Int[value=7]", 1, BUFFER, NUMBER, NUMBER, NUMBER,
                TENSOR);
        refused("parameter 'map' of kernel 'all_kinds' cannot be " + BUFFER, 1, BUFFER, NUMBER, NUMBER, BITS, BUFFER);
        Argument three = new Argument.Tensor(map(4L, 4L, 4L), 0);
        refused("parameter 'map' of kernel 'all_kinds' cannot be " + three, 1, BUFFER, NUMBER, NUMBER, BITS, three);
    }

    @Test
    void aParameterWithoutAValueIsNamed() {
        assertEquals("parameter 'narrow' of kernel 'all_kinds' has no value",
                assertThrows(IllegalArgumentException.class, () -> Launch.of(PROGRAM, 1, Map.of(POINTER, BUFFER)))
                .getMessage());
    }

    @Test
    void buffersHaveNumbersFromZero() {
        assertEquals("a buffer's number is at least 0, got -1",
                assertThrows(IllegalArgumentException.class, () -> new Argument.Buffer(-1)).getMessage());
        assertEquals("a buffer's number is at least 0, got -2",
                assertThrows(IllegalArgumentException.class, () -> new Argument.Tensor(map(4L), -2)).getMessage());
    }

    @Test
    void aPointerStaysInItsBuffer() {
        assertEquals("a pointer starts at byte 0 of its buffer or behind it, got -16",
                assertThrows(IllegalArgumentException.class, () -> new Argument.Buffer(0, -16)).getMessage());
        assertEquals("a pointer's extent is at least 0 bytes, got -2",
                assertThrows(IllegalArgumentException.class, () -> new Argument.Buffer(0, 16, -2)).getMessage());
        assertEquals(48, new Argument.Buffer(0, 16).extentIn(64));
        assertEquals(0, new Argument.Buffer(0, 64).extentIn(64));
        assertEquals(32, new Argument.Buffer(0, 32, 32).extentIn(64));
        assertEquals("points to byte 65 of buffer 2, which has 64 bytes",
                assertThrows(IllegalArgumentException.class, () -> new Argument.Buffer(2,
                        65).extentIn(64)).getMessage());
        assertEquals("points to 33 bytes from byte 32 of buffer 2 on, which has 64 bytes",
                assertThrows(IllegalArgumentException.class, () -> new Argument.Buffer(2, 32,
                        33).extentIn(64)).getMessage());
        assertEquals("points to 9223372036854775807 bytes from byte 32 of buffer 2 on, which has 64 bytes",
                assertThrows(
                IllegalArgumentException.class, () -> new Argument.Buffer(2, 32,
                        Long.MAX_VALUE).extentIn(64)).getMessage());
    }

    private static void refused(String message, int blocks, Argument... arguments) {
        assertEquals(message, assertThrows(IllegalArgumentException.class,
                () -> new Launch(PROGRAM, blocks, List.of(arguments))).getMessage());
    }

    @Test
    void aGridIsMadeOfWholeClusters() {
        TileProgram pairs = new TileProgram("pairs", "in clusters", 32, 2, List.of(), new SharedLayout(List.of()),
                List.of());
        assertEquals(4, new Launch(pairs, 4, List.of()).blocks());
        assertEquals("kernel 'pairs' runs in clusters of 2 blocks: the grid must be a multiple of that, got 3 blocks",
                assertThrows(IllegalArgumentException.class, () -> new Launch(pairs, 3, List.of())).getMessage());
    }
}
