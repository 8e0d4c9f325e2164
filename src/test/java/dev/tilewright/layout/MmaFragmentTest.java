package dev.tilewright.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Fragments: every element in one place, and the formulas as the PTX ISA prints them, one figure at a time. */
class MmaFragmentTest {

    static Stream<MmaFragment> all() {
        Stream<MmaFragment> a = Stream.of(MmaFragment.a(8, 4, 64), MmaFragment.a(16, 4, 64), MmaFragment.a(16, 8, 64),
                MmaFragment.a(16, 16, 64), MmaFragment.a(16, 4, 32), MmaFragment.a(16, 8, 32), MmaFragment.a(16, 8, 16),
                MmaFragment.a(16, 16, 16), MmaFragment.a(8, 16, 8), MmaFragment.a(16, 16, 8), MmaFragment.a(16, 32, 8),
                MmaFragment.a(64, 16, 16), MmaFragment.a(64, 8, 32), MmaFragment.a(64, 32, 8));
        Stream<MmaFragment> b = Stream.of(MmaFragment.b(4, 8, 64), MmaFragment.b(16, 8, 64), MmaFragment.b(4, 8, 32),
                MmaFragment.b(8, 8, 32), MmaFragment.b(8, 8, 16), MmaFragment.b(16, 8, 16), MmaFragment.b(16, 8, 8),
                MmaFragment.b(32, 8, 8));
        Stream<MmaFragment> c = Stream.of(MmaFragment.accumulator(8, 8, 32), MmaFragment.accumulator(8, 8, 64),
                MmaFragment.accumulator(16, 8, 16), MmaFragment.accumulator(16, 8, 32), MmaFragment.accumulator(16, 8,
                        64),
                MmaFragment.accumulator(64, 8, 32), MmaFragment.accumulator(64, 256, 32),
                MmaFragment.accumulator(64, 24, 16));
        return Stream.of(a, b, c).flatMap(s -> s);
    }

    @ParameterizedTest
    @MethodSource("all")
    void everyElementIsInOnePlace(MmaFragment f) {
        Set<List<Integer>> seen = new HashSet<>();
        for (int t = 0; t < f.threads(); t++) {
            for (int r = 0; r < f.registers(); r++) {
                for (int e = 0; e < f.perRegister(); e++) {
                    int row = f.row(t, r, e);
                    int column = f.column(t, r, e);
                    assertTrue(row >= 0 && row < f.rows() && column >= 0 && column < f.columns());
                    assertTrue(seen.add(List.of(row, column)));
                    assertEquals(List.of(t, r, e), List.of(f.thread(row, column), f.register(row, column),
                            f.element(row, column)), f + " " + row + " " + column);
                }
            }
        }
        assertEquals(f.rows() * f.columns(), seen.size());
    }

    /** PTX ISA, "Matrix fragments for mma.m16n8k16 with floating point type": a0 to a7, b0 to b3, c0 to c3. */
    @Test
    void m16n8k16OfSixteenBits() {
        for (int lane = 0; lane < 32; lane++) {
            int group = lane >> 2;
            int inGroup = lane % 4;
            for (int i = 0; i < 8; i++) {
                assertPlace(MmaFragment.a(16, 16, 16), lane, i, i < 2 || i >= 4 && i < 6 ? group : group + 8,
                        i < 4 ? inGroup * 2 + (i & 1) : inGroup * 2 + (i & 1) + 8);
            }
            for (int i = 0; i < 4; i++) {
                assertPlace(MmaFragment.b(16, 8, 16), lane, i, inGroup * 2 + (i & 1) + (i >= 2 ? 8 : 0), group);
                assertPlace(MmaFragment.accumulator(16, 8, 32), lane, i, i < 2 ? group : group + 8, inGroup * 2
                        + (i & 1));
                assertPlace(MmaFragment.accumulator(16, 8, 16), lane, i, i < 2 ? group : group + 8, inGroup * 2
                        + (i & 1));
            }
        }
    }

    /** PTX ISA, "Matrix fragments for mma.m16n8k32": a0 to a15, b0 to b7. */
    @Test
    void m16n8k32OfEightBits() {
        for (int lane = 0; lane < 32; lane++) {
            int group = lane >> 2;
            int inGroup = lane % 4;
            for (int i = 0; i < 16; i++) {
                assertPlace(MmaFragment.a(16, 32, 8), lane, i, i < 4 || i >= 8 && i < 12 ? group : group + 8,
                        inGroup * 4 + (i & 3) + (i >= 8 ? 16 : 0));
            }
            for (int i = 0; i < 8; i++) {
                assertPlace(MmaFragment.b(32, 8, 8), lane, i, inGroup * 4 + (i & 3) + (i >= 4 ? 16 : 0), group);
            }
        }
    }

    /**
     * PTX ISA, "Matrix fragments for mma.m16n8k8" of .tf32, and of .f64 where the figures are the same; .m8n8k4 of
     * .f64.
     */
    @Test
    void fragmentsOfWholeRegisters() {
        for (int lane = 0; lane < 32; lane++) {
            int group = lane >> 2;
            int inGroup = lane % 4;
            for (int bits : new int[] {32, 64}) {
                for (int i = 0; i < 4; i++) {
                    assertPlace(MmaFragment.a(16, 8, bits), lane, i, i % 2 == 0 ? group : group + 8,
                            i < 2 ? inGroup : inGroup + 4);
                }
                for (int i = 0; i < 2; i++) {
                    assertPlace(MmaFragment.b(8, 8, bits), lane, i, inGroup + 4 * i, group);
                }
            }
            assertPlace(MmaFragment.a(8, 4, 64), lane, 0, group, inGroup);
            assertPlace(MmaFragment.b(4, 8, 64), lane, 0, inGroup, group);
            assertPlace(MmaFragment.accumulator(8, 8, 64), lane, 1, group, inGroup * 2 + 1);
        }
    }

    /**
     * "The accumulators: thread t of warp w holds, for n in steps of 8, rows 16w + t/4 and that + 8, columns n + 2(t
     * mod 4)."
     */
    @Test
    void accumulatorsOfAWarpgroup() {
        MmaFragment d = MmaFragment.accumulator(64, 64, 32);
        for (int t = 0; t < 128; t++) {
            for (int n = 0; n < 64; n += 8) {
                for (int i = 0; i < 4; i++) {
                    assertPlace(d, t, n / 2 + i, t / 32 * 16 + t % 32 / 4 + (i >= 2 ? 8 : 0), n + 2 * (t % 4)
                            + (i & 1));
                }
            }
        }
        assertEquals(128, MmaFragment.accumulator(64, 256, 32).registers());
        assertEquals(64, MmaFragment.accumulator(64, 256, 16).registers());
    }

    private static void assertPlace(MmaFragment f, int lane, int value, int row, int column) {
        int r = value / f.perRegister();
        int e = value % f.perRegister();
        assertEquals(List.of(row, column), List.of(f.row(lane, r, e), f.column(lane, r, e)), f + " " + lane + " "
                + value);
    }

    @Test
    void sizesThatNoInstructionHasAreRefused() {
        for (Runnable made : List.<Runnable>of(() -> MmaFragment.a(32, 16, 16), () -> MmaFragment.a(16, 12, 16),
                () -> MmaFragment.b(16, 16, 16), () -> MmaFragment.a(16, 16, 4), () -> MmaFragment.accumulator(16, 12,
                        32),
                () -> MmaFragment.accumulator(16, 8, 8), () -> MmaFragment.a(16, 16, 16).row(32, 0, 0),
                () -> MmaFragment.a(16, 16, 16).thread(16, 0))) {
            assertThrows(IllegalArgumentException.class, made::run);
        }
    }
}
