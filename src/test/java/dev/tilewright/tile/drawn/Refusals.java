package dev.tilewright.tile.drawn;

import dev.tilewright.BadRequestException;
import dev.tilewright.builder.Schedule;
import dev.tilewright.program.Launch;
import dev.tilewright.program.expression.OutOfRegistersException;
import dev.tilewright.ptx.Target;
import dev.tilewright.tile.TileKernel;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.apache.commons.lang3.exception.ExceptionUtils;

/** What a program of a drawn kernel may be refused for: too large, or of products that the target has not. */
public final class Refusals {
    private static final String REASON = "bytes of shared memory";

    private Refusals() {
    }

    /** What a launch by a schedule leaves on a device; nothing where the kernel has no program by it. */
    public static Optional<MemorySegment> run(DrawnCase drawn, Schedule schedule,
            BiConsumer<Launch, MemorySegment> device) {
        return launches(List.of(drawn), schedule).map(launches -> {
            MemorySegment memory = drawn.memory();
            device.accept(launches.getFirst(), memory);
            return memory;
        });
    }

    /** A kernel by a schedule; nothing where that would choose what the kernel has not. */
    public static Optional<TileKernel> with(TileKernel kernel, Schedule schedule) {
        try {
            return Optional.of(kernel.with(schedule));
        } catch (BadRequestException e) {
            return Optional.empty();
        }
    }

    /** The launches by a schedule; none where the kernel has no program by it. */
    public static Optional<List<Launch>> launches(List<DrawnCase> cases, Schedule schedule) {
        List<Launch> launches = new ArrayList<>();
        try {
            TileKernel kernel = cases.getFirst().drawn().kernel().with(schedule);
            cases.forEach(drawn -> launches.add(drawn.launch(kernel, Target.SM_90A)));
            return Optional.of(launches);
        } catch (BadRequestException e) {
            if (schedule.equals(Schedule.DEFAULT)) {
                throw e;
            }
            return Optional.empty();
        } catch (IllegalArgumentException e) {
            if (ExceptionUtils.indexOfType(e, OutOfRegistersException.class) < 0
                    && !e.getMessage().contains(REASON)) {
                throw e;
            }
            return Optional.empty();
        }
    }
}
