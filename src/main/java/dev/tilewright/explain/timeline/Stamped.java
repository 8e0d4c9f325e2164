package dev.tilewright.explain.timeline;

import dev.tilewright.BadRequestException;
import dev.tilewright.emit.CudaEmitter;
import dev.tilewright.emit.CudaSource;
import dev.tilewright.emit.TimeStamps;
import dev.tilewright.program.Step;
import dev.tilewright.program.StepNumbers;
import dev.tilewright.program.TileProgram;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Makes spans of time of the words that {@link TimeStamps} describes. */
final class Stamped {
    private static final int END_TIME = 1;
    private static final int FIRST_STAMP = 2;

    private final TileProgram program;
    private final CudaSource source;
    private final StepNumbers steps;
    private final TimeStamps stamps;
    private final long[] words;

    /** @param words of all threads */
    Stamped(TileProgram program, TimeStamps stamps, long[] words) {
        this.program = program;
        this.source = CudaEmitter.emit(program);
        this.steps = new StepNumbers(program);
        this.stamps = stamps;
        this.words = words;
    }

    private long word(int role, int n) {
        return words[role * stamps.words() + n];
    }

    private static long cycle(long word) {
        return word >>> TimeStamps.STEP_BITS;
    }

    private static int step(long word) {
        return (int) (word & TimeStamps.END);
    }

    /**
     * All spans, by their beginnings: nanoseconds from the first stamp of all.
     *
     * @throws BadRequestException if a thread wrote none
     */
    List<StepTime> spans() {
        long start = Long.MAX_VALUE;
        for (int role = 0; role < stamps.threads().size(); role++) {
            if (word(role, 0) == 0 || word(role, FIRST_STAMP) == 0 || word(role, END_TIME) == 0) {
                throw new BadRequestException("thread " + stamps.threads().get(role) + " of kernel '" + program.name()
                        + "' wrote no time stamps: a trace is of a kernel that has run to its end");
            }
            start = Math.min(start, word(role, 0));
        }
        List<StepTime> spans = new ArrayList<>();
        for (int role = 0; role < stamps.threads().size(); role++) {
            spans(role, start, spans);
        }
        spans.sort(Comparator.comparingDouble(StepTime::from).thenComparingInt(StepTime::role));
        return spans;
    }

    private void spans(int role, long start, List<StepTime> spans) {
        long first = word(role, FIRST_STAMP);
        int last = FIRST_STAMP;
        while (step(word(role, last)) != TimeStamps.END && last < stamps.words() - 1) {
            last++;
        }
        // What a cycle lasts is known from the time between the thread's beginning and its end.
        double nanoseconds = (double) (word(role, END_TIME) - word(role, 0))
                / Math.max(1, cycle(word(role, last)) - cycle(first));
        double offset = word(role, 0) - start;
        for (int n = FIRST_STAMP + 1; n < last; n++) {
            Step step = steps.step(step(word(role, n)));
            spans.add(new StepTime(role, step(word(role, n)), source.lineOf(step(word(role, n))),
                    StepAction.of(step.operation()),
                    step.purpose().isEmpty() ? step.operation().summary() : step.purpose(),
                    offset + (cycle(word(role, n - 1)) - cycle(first)) * nanoseconds,
                    offset + (cycle(word(role, n)) - cycle(first)) * nanoseconds));
        }
    }
}
