package dev.tilewright.hazard.flow;

import dev.tilewright.program.Operation;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.ptx.cluster.BarrierClusterWait;
import dev.tilewright.ptx.mbarrier.MbarrierArrival;
import dev.tilewright.ptx.warp.BarWarpSync;
import dev.tilewright.ptx.warp.BarrierCtaRed;
import dev.tilewright.ptx.warp.BarrierCtaSync;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Which mbarriers hand bytes from writing threads to reading threads, as the program's steps show. */
public record HandOvers(ProgramFlow flow, BarrierSteps steps) {
    /** The first arrival of a thread after a step, in the same loop; 0 for none. */
    public int arrivalAfter(ThreadValues thread, int step) {
        return flow.steps(o -> o instanceof Operation.Instruction i && i.form() instanceof MbarrierArrival).stream()
                .filter(s -> s > step && flow.shareLoop(step, s) && flow.mayPerform(thread, s)).findFirst().orElse(0);
    }

    /**
     * A thread's arrivals in the same innermost loop as a step, or in none if that is in none: those after it first.
     */
    public List<Integer> arrivalsAround(ThreadValues thread, int step) {
        List<Integer> all = flow.steps(o -> o instanceof Operation.Instruction i && i.form() instanceof MbarrierArrival)
                .stream().filter(s -> flow.loopAround(s) == flow.loopAround(step) && flow.mayPerform(thread, s))
                .toList();
        return Stream.concat(all.stream().filter(s -> s > step), all.stream().filter(s -> s < step)).toList();
    }

    /** The array of mbarriers at which a thread hands over what it writes in a step of a loop. */
    public Optional<SharedRegion> after(ThreadValues writer, int step) {
        int arrival = arrivalAfter(writer, step);
        return arrival == 0 ? Optional.empty() : steps.region(arrival);
    }

    /**
     * Whether a thread reaches a step without having waited for any mbarrier of an array, and without meeting those
     * who may have. What cannot be told is taken to wait.
     */
    public boolean comesWithoutWaiting(ThreadValues thread, int step, SharedRegion array) {
        List<Integer> waits = steps.waitingNear(array);
        boolean waitsItself = waits.stream().anyMatch(s -> flow.mayPerform(thread, s));
        if (waits.stream().anyMatch(s -> s < step && flow.mayPerform(thread, s))) {
            return false;
        }
        boolean warpOnly = waits.isEmpty() || waitsItself;
        return flow.loopAround(step) != 0 && flow.steps(o -> meets(o, warpOnly)).stream()
                .noneMatch(s -> flow.shareLoop(s, step) && flow.mayPerform(thread, s));
    }

    /** The first wait for an mbarrier of an array that a thread reaches after a step; 0 for none. */
    public int waitAfter(ThreadValues thread, int step, SharedRegion array) {
        return steps.waitingNear(array).stream().filter(s -> s > step && flow.mayStillPerform(thread, step, s))
                .findFirst().orElse(0);
    }

    /**
     * An array of mbarriers by which other threads hand over what they write of a buffer, and for which a thread does
     * not wait before a step; empty for none.
     *
     * @param others threads that may write
     */
    public Optional<SharedRegion> notWaitedFor(ThreadValues reader, int step, Object buffer,
            List<ThreadValues> others) {
        for (int write : flow.steps(o -> ProgramFlow.writesShared(o, buffer))) {
            Optional<ThreadValues> writer = others.stream().filter(t -> flow.surelyPerforms(t, write)).findFirst();
            Optional<SharedRegion> counting = steps.region(write);
            Optional<SharedRegion> array = counting.isPresent() ? counting : writer.flatMap(w -> after(w, write));
            if (writer.isPresent() && array.isPresent() && comesWithoutWaiting(reader, step, array.get())) {
                return array;
            }
        }
        return Optional.empty();
    }

    private static boolean meets(Operation operation, boolean inBlocksAlone) {
        return operation instanceof Operation.SyncThreads || operation instanceof Operation.Instruction i
                && (i.form() instanceof BarrierCtaSync || i.form() instanceof BarrierCtaRed
                    || i.form() instanceof BarrierClusterWait || !inBlocksAlone && i.form() instanceof BarWarpSync);
    }
}
