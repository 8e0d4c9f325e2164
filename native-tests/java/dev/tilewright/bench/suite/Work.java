package dev.tilewright.bench.suite;

import dev.tilewright.bench.result.Unit;
import dev.tilewright.bench.rival.RivalKernel;
import dev.tilewright.builder.Schedule;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * A kernel that a suite measures on {@link dev.tilewright.bench.device.WorkArrays}.
 *
 * @param subject of the row
 * @param parameters which work it is, see {@link dev.tilewright.bench.result.Row}
 * @param schedule how the kernel was written
 * @param means what else says how it does the work
 * @param program the kernel
 * @param launch on buffers 0, what is read, and 1, what is written; given how many blocks the device holds at once
 * @param bytes read plus written
 * @param operations arithmetic ones, 0 for none
 * @param unit of the figure
 * @param before the byte that is all over the result before it starts
 * @param mechanisms of the C++ rivals that do it in the same way
 */
record Work(String subject, Map<String, ?> parameters, Schedule schedule, Map<String, ?> means, TileProgram program,
        Function<Integer, Launch> launch, long bytes, double operations, Unit unit, byte before,
        Set<String> mechanisms) {
    private static final byte STALE = (byte) 0xCD;

    /** One that moves bytes, whatever was there before. */
    static Work moving(String subject, Map<String, ?> parameters, TileProgram program, Function<Integer, Launch> launch,
            long bytes) {
        return new Work(subject, parameters, Schedule.DEFAULT, Map.of(), program, launch, bytes, 0,
                Unit.GIGABYTES_PER_SECOND, STALE, Set.of());
    }

    /** This work by a kernel that was written so. @param more names and values of what else says how it does it */
    Work by(String choices, Object... more) {
        return new Work(subject, parameters, Schedule.parse(choices), parameters(more), program, launch, bytes,
                operations, unit, before, mechanisms);
    }

    /** This work, where the result is zeros before. */
    Work ontoZeros() {
        return new Work(subject, parameters, schedule, means, program, launch, bytes, operations, unit, (byte) 0,
                mechanisms);
    }

    /** This work, which also computes. @param number of arithmetic operations */
    Work operating(double number) {
        return new Work(subject, parameters, schedule, means, program, launch, bytes, number, unit, before, mechanisms);
    }

    /** This work, which computes and is measured by that. */
    Work computing(double number) {
        return new Work(subject, parameters, schedule, means, program, launch, bytes, number, Unit.TERAFLOPS, before,
                mechanisms);
    }

    /** This work, which C++ rivals of a mechanism do in the same way. @param one as {@link RivalKernel#mechanism} */
    Work as(String one) {
        return new Work(subject, parameters, schedule, means, program, launch, bytes, operations, unit, before,
                Set.of(one));
    }

    /** Parameters by name and value, in order. */
    static Map<String, Object> parameters(Object... namesAndValues) {
        Map<String, Object> all = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            all.put((String) namesAndValues[i], namesAndValues[i + 1]);
        }
        return all;
    }
}
