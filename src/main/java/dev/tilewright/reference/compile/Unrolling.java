package dev.tilewright.reference.compile;

import dev.tilewright.program.Operation;
import dev.tilewright.program.Step;
import java.util.List;

/** Decides which loops are compiled turn by turn. @param allowed whether any are */
record Unrolling(boolean allowed) {
    /** Operations of an unrolled loop that is compiled turn by turn. */
    private static final int MOST_UNROLLED = 1 << 13;

    boolean takes(Operation.Loop loop) {
        long turns = turns(loop);
        return turns > 0 && turns * operations(loop.body()) <= MOST_UNROLLED;
    }

    /** How often an unrolled loop turns; 0 where its turns are not compiled one by one. */
    private long turns(Operation.Loop loop) {
        if (!allowed || !loop.unrolled()) {
            return 0;
        }
        long from = loop.from().constant().orElseThrow();
        long until = loop.until().constant().orElseThrow();
        long by = loop.by().constant().orElseThrow();
        return by <= 0 || until <= from || until > Integer.MAX_VALUE - by ? 0 : Math.ceilDiv(until - from, by);
    }

    /** About as many as steps become, or more than are compiled turn by turn. */
    private long operations(List<Step> body) {
        long sum = 0;
        for (Step step : body) {
            if (sum > MOST_UNROLLED) {
                return sum;
            }
            long inner = 1;
            for (List<Step> steps : step.operation().bodies()) {
                inner += operations(steps);
            }
            sum += step.operation() instanceof Operation.Loop loop ? Math.max(1, turns(loop)) * inner : inner;
        }
        return sum;
    }
}
