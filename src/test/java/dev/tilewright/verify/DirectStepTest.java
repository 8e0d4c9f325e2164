package dev.tilewright.verify;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.layout.ElementType;
import dev.tilewright.program.ElementStep;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.math.BigInteger;
import java.util.function.BinaryOperator;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

/** The step on whole arrays: every element, each at its own width, against Java's own arithmetic. */
class DirectStepTest {

    private static byte[] apply(ElementStep step, ElementType type, long scalar, byte[] input) {
        try (Arena arena = Arena.ofConfined()) {
            // One byte off, so that nothing relies on alignment.
            MemorySegment output = arena.allocate(input.length + 1).asSlice(1);
            DirectStep.apply(step, type, scalar, MemorySegment.ofArray(input), output);
            return output.toArray(ValueLayout.JAVA_BYTE);
        }
    }

    @Property
    void integersWrapAround(@ForAll @Size(48) byte[] input, @ForAll long scalar, @ForAll ElementType type,
            @ForAll boolean scale) {
        if (type.isFloat()) {
            return;
        }
        BinaryOperator<BigInteger> operator = scale ? BigInteger::multiply : BigInteger::add;
        byte[] expected = new byte[48];
        for (int at = 0; at < 48; at += type.bytes()) {
            BigInteger element = BigInteger.ZERO;
            for (int i = type.bytes() - 1; i >= 0; i--) {
                element = element.shiftLeft(8).or(BigInteger.valueOf(input[at + i] & 0xFF));
            }
            BigInteger result = operator.apply(element, BigInteger.valueOf(scalar));
            for (int i = 0; i < type.bytes(); i++) {
                expected[at + i] = result.shiftRight(8 * i).byteValue();
            }
        }
        assertArrayEquals(expected, apply(scale ? ElementStep.SCALE : ElementStep.ADD, type, scalar, input));
    }

    @Property
    void floatsAreJavasButForNaNs(@ForAll @Size(48) byte[] input, @ForAll float scalar) {
        MemorySegment elements = MemorySegment.ofArray(input);
        MemorySegment result = MemorySegment.ofArray(apply(ElementStep.ADD, ElementType.F32,
                Float.floatToRawIntBits(scalar) & 0xFFFFFFFFL, input));
        for (int at = 0; at < 48; at += 4) {
            float sum = elements.get(ValueLayout.JAVA_FLOAT_UNALIGNED, at) + scalar;
            assertEquals(Float.isNaN(sum) ? 0x7FFFFFFF : Float.floatToRawIntBits(sum),
                    result.get(ValueLayout.JAVA_INT_UNALIGNED, at));
        }
    }

    @Property
    void aCopyKeepsEveryBit(@ForAll @Size(48) byte[] input, @ForAll ElementType type, @ForAll long scalar) {
        assertArrayEquals(input, apply(ElementStep.COPY, type, scalar, input));
    }

    @Test
    void doublesAndHalvesByHand() {
        byte[] one = {0, 0, 0, 0, 0, 0, (byte) 0xF0, 0x3F};
        assertArrayEquals(new byte[] {0, 0, 0, 0, 0, 0, 4, 0x40},
                apply(ElementStep.SCALE, ElementType.F64, Double.doubleToRawLongBits(2.5), one));
        byte[] halves = {0x00, 0x3C, 0x01, 0x7E, (byte) 0xFF, 0x7B};
        assertArrayEquals(new byte[] {0x00, 0x41, (byte) 0xFF, 0x7F, 0x00, 0x7C},
                apply(ElementStep.SCALE, ElementType.F16, Float.floatToRawIntBits(2.5f), halves));
        byte[] brain = {(byte) 0x80, 0x3F, (byte) 0xC0, 0x7F};
        assertArrayEquals(new byte[] {0x20, 0x40, (byte) 0xFF, 0x7F},
                apply(ElementStep.SCALE, ElementType.BF16, Float.floatToRawIntBits(2.5f), brain));
    }
}
