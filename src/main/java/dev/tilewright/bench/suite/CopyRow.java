package dev.tilewright.bench.suite;

import dev.tilewright.builder.ElementwiseKernel;
import dev.tilewright.builder.Schedule;
import dev.tilewright.program.Launch;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.function.LongFunction;

/**
 * A kernel that copies, and how an array of some bytes goes through it.
 *
 * @param name of the subject
 * @param parameters which work it does, where others of that name do another
 * @param kernel made as the schedule says
 * @param shape of an array of this many bytes, in elements
 * @param schedule with a grid, given how many blocks the device holds at once
 * @param shift bytes by which the arrays begin behind a multiple of 16, and end before
 * @param demanded ratio to cuMemcpy that it has to reach with 1 GiB, and with 64 MiB 0.97; null for none
 */
public record CopyRow(String name, Map<String, String> parameters, ElementwiseKernel kernel,
        LongFunction<List<Long>> shape, IntFunction<Schedule> schedule, int shift, Double demanded) {
    private static final double DEMANDED_OF_SMALL = 0.97;
    private static final long SMALL = 64L << 20;
    private static final long LARGE = 1L << 30;

    Launch launch(long bytes, int residentBlocks) {
        return kernel.launch(shape.apply(bytes - shift), 0, schedule.apply(residentBlocks).grid().orElseThrow());
    }

    /** Bytes of an array that are copied of this many; a ragged shape leaves some over. */
    long copied(long bytes) {
        return shape.apply(bytes - shift).stream().reduce((long) kernel.type().bytes(), Math::multiplyExact);
    }

    /** What is demanded of an array of this many bytes; null for nothing. */
    Double demandedOf(long bytes) {
        return demanded == null || bytes != SMALL && bytes < LARGE ? null
                : bytes == SMALL ? Double.valueOf(DEMANDED_OF_SMALL) : demanded;
    }
}
