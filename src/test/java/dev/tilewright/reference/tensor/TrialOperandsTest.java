package dev.tilewright.reference.tensor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.layout.Swizzle;
import dev.tilewright.ptx.mma.MmaType;
import dev.tilewright.ptx.mma.MmaTypes;
import dev.tilewright.ptx.mma.WgmmaFloat;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TrialOperandsTest {
    private static final WgmmaFloat FORM = new WgmmaFloat(MmaTypes.F32_F16_F16, 72, false, false, false, true, false);

    /** Recordings and lines of cases name operands by a seed: these numbers are of the versions that made them. */
    @ParameterizedTest
    @CsvSource({"F16, 0x2ac57314", "BF16, 0x1a765b94", "TF32, 0xacdc2808", "E4M3, 0xf082054c", "E5M2, 0xae03b580",
            "S8, 0x726dde87", "U8, 0x726dde87"})
    void aSeedGivesTheSameNumbersForEver(MmaType type, String hash) {
        SplittableRandom random = new SplittableRandom(7);
        int[] words = IntStream.range(0, 1 << 13).map(i -> TrialOperands.word(type, random, i >> 4 & 7)).toArray();
        assertEquals(Long.decode(hash).intValue(), Arrays.hashCode(words));
    }

    @ParameterizedTest
    @CsvSource("7, 0x506968ab")
    void aSeedGivesTheSameDoublesForEver(int seed, String hash) {
        SplittableRandom random = new SplittableRandom(seed);
        long[] words = LongStream.range(0, 1 << 13).map(i -> TrialOperands.wide(random, (int) (i >> 4 & 7))).toArray();
        assertEquals(Long.decode(hash).intValue(), Arrays.hashCode(words));
    }

    /** What is near one neither overflows nor vanishes: sums of products then show how they are rounded. */
    @Property(tries = 200)
    void halvesOfTheMiddleSortsAreFinite(@ForAll long seed, @ForAll @IntRange(min = 1, max = 3) int sort) {
        int word = TrialOperands.word(MmaType.F16, new SplittableRandom(seed), sort);
        for (int at = 0; at < 32; at += 16) {
            float number = Math.abs(Float.float16ToFloat((short) (word >> at)));
            assertTrue(number >= Math.scalb(1f, -sort * sort) && number < Math.scalb(2f, sort * sort),
                    () -> "" + number);
        }
    }

    @ParameterizedTest
    @CsvSource({"true, NONE, 2", "true, B128, 2", "false, NONE, 1", "false, B32, 1", "false, B64, 2", "false, B128, 4"})
    void aTileHasAsManyStartsAsItHasStepsOfAnInstruction(boolean ofA, Swizzle swizzle, int starts) {
        TreeSet<Long> found = new TreeSet<>();
        for (int i = 0; i < 8; i++) {
            int number = i;
            found.add(TrialOperands.descriptor(FORM, ofA, swizzle, n -> {
                assertEquals(starts, n);
                return number % n;
            }));
        }
        assertEquals(starts, found.size(), List.copyOf(found)::toString);
    }
}
