package dev.tilewright.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The fields of a matrix descriptor; where it leads to is held against recordings by {@code RecordingReplayTest}. */
class MatrixDescriptorTest {
    private static final Swizzle[] BY_CODE = {Swizzle.NONE, Swizzle.B128, Swizzle.B64, Swizzle.B32};

    @Test
    void theBitsOfTheUsualDescriptor() {
        // What CUTLASS makes of a K-major bf16 tile with 128B swizzle at 0x400: leading 1, stride 64, layout type 1.
        assertEquals(0x4000_0040_0001_0040L, new MatrixDescriptor(0x400, 16, 1024, 0, Swizzle.B128).encode());
    }

    @Property
    void everyFieldHasItsBits(@ForAll @LongRange long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        int start = random.nextInt(1 << 14);
        int leading = random.nextInt(1 << 14);
        int stride = random.nextInt(1 << 14);
        int base = random.nextInt(8);
        int code = random.nextInt(4);
        MatrixDescriptor made = new MatrixDescriptor(16 * start, 16 * leading, 16 * stride, base, BY_CODE[code]);
        String bits = "%2s%10s%3s%3s%14s%2s%14s%2s%14s".formatted(binary(code, 2), "", binary(base, 3), "",
                binary(stride, 14), "", binary(leading, 14), "", binary(start, 14)).replace(' ', '0');
        assertEquals(Long.parseUnsignedLong(bits, 2), made.encode());
        assertEquals(made, MatrixDescriptor.decode(made.encode()));
    }

    private static String binary(int value, int digits) {
        return ("0".repeat(digits) + Integer.toBinaryString(value)).substring(Integer.toBinaryString(value).length());
    }

    @ParameterizedTest
    @CsvSource({"8, 16, 16, 0, B128, start", "0, 262144, 16, 0, B128, leadingByteOffset",
        "0, 16, -16, 0, NONE, strideByteOffset", "0, 0, 0, 8, NONE, 'baseOffset must be in [0, 7], got 8'",
        "0, 0, 0, 0, B128_ATOM_64B, 'no swizzle 128B_ATOM_64B: choose none, 32B, 64B or 128B'"})
    void fieldsOutOfRangeAreRefused(int start, int leading, int stride, int base, Swizzle swizzle, String words) {
        String message = assertThrows(IllegalArgumentException.class,
                () -> new MatrixDescriptor(start, leading, stride, base, swizzle)).getMessage();
        assertTrue(message.contains(words), message);
    }

    @Test
    void bitsOutsideOfTheFieldsAreRefused() {
        assertEquals("0x0000000000004000 is no matrix descriptor: bits 14 to 15, 30 to 31, 46 to 48 and 52 to 61 must "
                + "be "
                + "zero, and of them 0x4000 are set",
                assertThrows(IllegalArgumentException.class, () -> MatrixDescriptor.decode(0x4000)).getMessage());
        for (int bit : new int[] {15, 30, 31, 46, 47, 48, 52, 61}) {
            assertThrows(IllegalArgumentException.class, () -> MatrixDescriptor.decode(1L << bit), "bit " + bit);
        }
    }

    @Test
    void elementsThatThereAreNotAreRefused() {
        MatrixDescriptor descriptor = new MatrixDescriptor(0, 16, 1024, 0, Swizzle.B128);
        assertThrows(IllegalArgumentException.class, () -> descriptor.addressOf(-1, 0, 2, MatrixMajor.K));
        assertThrows(IllegalArgumentException.class, () -> descriptor.addressOf(0, 0, 8, MatrixMajor.K));
        assertThrows(IllegalArgumentException.class, () -> descriptor.addressOf(0, 0, 4, MatrixMajor.MN));
    }

    @ParameterizedTest
    @EnumSource
    void theExplanationNamesEveryField(MatrixMajor major) {
        String text = new MatrixDescriptor(0x400, 8192, 1024, 3, Swizzle.B64).explain(major);
        assertTrue(text.startsWith("matrix descriptor 0x8006004002000040, " + major + "-major (transpose "
                + major.transpose() + ")"), text);
        for (String words : new String[] {"1024", "8192", "64B", "line 3 of 8"}) {
            assertTrue(text.contains(words), text);
        }
        assertEquals(major == MatrixMajor.K, text.contains("not looked at"), text);
    }
}
