package dev.tilewright.gpu.concurrent;

import java.util.ArrayList;
import java.util.List;

/** How far some streams' launches had come before a wait that was for all of them. */
public final class LaunchMarks {
    private record Mark(LaunchLog log, long number) { }

    private final List<Mark> marks = new ArrayList<>();

    private LaunchMarks() { }

    public static LaunchMarks of(LaunchLog log) {
        return of(List.of(log));
    }

    public static LaunchMarks of(Iterable<LaunchLog> logs) {
        LaunchMarks all = new LaunchMarks();
        logs.forEach(log -> all.marks.add(new Mark(log, log.mark())));
        return all;
    }

    /** The wait has ended. */
    public void haveEnded() {
        marks.forEach(mark -> mark.log.endedUpTo(mark.number));
    }
}
