package dev.tilewright.builder;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.BadRequestException;
import dev.tilewright.OrdinaryShare;
import dev.tilewright.OrdinaryTries;
import dev.tilewright.Thorough;
import dev.tilewright.layout.ElementType;
import dev.tilewright.reference.ReferenceOptions;
import dev.tilewright.verify.CaseDevice;
import dev.tilewright.verify.CopyCase;
import dev.tilewright.verify.CopyCases;
import dev.tilewright.verify.CopyCheck;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What builders make, run on the CPU: for any options and any ragged shape the result is that of applying the step to
 * one element after another, and no byte behind it is touched.
 */
class BuiltKernelsTest {
    private static final CaseDevice REFERENCE = CaseDevice.reference(ReferenceOptions.DEFAULT);

    private static final int CASES = Thorough.of(4, 60);

    static LongStream seeds() {
        return LongStream.of(1, 2, 3, 20_260_101, -1, Long.MIN_VALUE);
    }

    /** Cases that are the same in every run. */
    @ParameterizedTest
    @OrdinaryShare(6)
    @MethodSource("seeds")
    void fixedCasesMoveEveryByte(long seed) {
        check(new CopyCases(Presets.ALL, seed), CASES);
    }

    @Property(tries = 20, shrinking = ShrinkingMode.OFF)
    @OrdinaryTries(3)
    void newCasesMoveEveryByte(@ForAll long seed) {
        check(new CopyCases(Presets.ALL, seed), 5);
    }

    private static void check(CopyCases cases, int count) {
        for (int i = 0; i < count; i++) {
            CopyCase c = cases.next();
            assertEquals(Optional.empty(), CopyCheck.run(REFERENCE, c), c::toString);
        }
    }

    /** Arrays of one row that end within a tile, in the midst of what a thread moves at once. */
    @Test
    void rowsThatEndWithinATile() {
        SplittableRandom random = new SplittableRandom(26);
        for (Preset preset : List.of(Presets.named("vector-copy"), Presets.named("cp-async-pipeline"),
                Presets.named("bulk-copy"))) {
            for (int found = 0; found < Thorough.of(30, 100);) {
                ElementType type = ElementType.values()[random.nextInt(ElementType.values().length)];
                Schedule schedule = Schedule.DEFAULT;
                for (Option<?, ?> option : preset.mechanism().options()) {
                    schedule = random.nextInt(4) == 0 ? schedule
                            : schedule.with(option.name(), option.sample(random, type));
                }
                try {
                    ElementwiseKernel kernel = preset.build(type, 1, schedule);
                    long tile = kernel.tile().getFirst();
                    int chunk = 16 / type.bytes();
                    long end = tile * random.nextInt(3) + random.nextLong(tile) / chunk * chunk
                            + random.nextInt(chunk + 1);
                    CopyCase c = new CopyCase(preset, schedule, type, List.of(end), 7, found, 5);
                    assertEquals(Optional.empty(), CopyCheck.run(REFERENCE, c), c::toString);
                    found++;
                } catch (BadRequestException e) {
                    // What does not go together is drawn again.
                }
            }
        }
    }

    /**
     * Shapes at the edges, an ordinary run takes one in nine: nothing, one element, one dimension too few or too many,
     * blocks with more tiles than stages.
     */
    @ParameterizedTest
    @EnumSource
    void shapesAtTheEdges(ElementType type) {
        long row = 16 / type.bytes();
        List<List<Long>> any = List.of(List.of(), List.of(1L), List.of(0L), List.of(3L, 0L),
                List.of(1L, 1L, 1L, 1L, 1L, 1L), List.of(13L * row + 1));
        List<List<Long>> wholeRows = List.of(List.of(row), List.of(1L, row), List.of(5L, 3L * row),
                List.of(2L, 3L, 1L, 2L, 2L, row), List.of(1L, 300L, row), List.of(0L, row));
        for (Preset preset : Presets.ALL) {
            boolean ragged = preset.mechanism() != TensorCopy.MECHANISM
                    && preset.mechanism() != TensorRebind.MECHANISM || preset.name().equals("tensor-copy-1d");
            int number = type.ordinal();
            for (List<Long> shape : ragged && !preset.name().endsWith("-2d") ? any : wholeRows) {
                for (int each : new int[] {1, 7}) {
                    if (!Thorough.takes(number++, 9)) {
                        continue;
                    }
                    CopyCase c = new CopyCase(preset, Schedule.DEFAULT, type, shape, each, 3, 5);
                    assertEquals(Optional.empty(), CopyCheck.run(REFERENCE, c), c::toString);
                }
            }
        }
    }
}
