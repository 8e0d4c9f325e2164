package dev.tilewright.gpu.context;

import dev.tilewright.gpu.concurrent.LaunchLog;
import dev.tilewright.gpu.concurrent.LaunchMarks;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/** What the streams of a context have launched. Safe for use by several threads. */
public final class LaunchLogs {
    /** Logs of closed streams that are kept. */
    private static final int MOST_RETIRED = 16;

    private final Set<LaunchLog> logs = ConcurrentHashMap.newKeySet();
    /** Those of streams that are closed, the oldest first. */
    private final Queue<LaunchLog> retired = new ConcurrentLinkedQueue<>();

    public void add(LaunchLog log) {
        logs.add(log);
    }

    /** A stream is gone, and its launches may still run: they are remembered, in words, of the last such streams. */
    public void retire(LaunchLog log) {
        log.retire();
        retired.add(log);
        while (retired.size() > MOST_RETIRED) {
            LaunchLog oldest = retired.poll();
            if (oldest != null) {
                logs.remove(oldest);
            }
        }
    }

    /** How far the launches have come that a wait for the legacy default stream waits for. */
    public LaunchMarks blockingMarks() {
        return LaunchMarks.of(logs.stream().filter(LaunchLog::isBlocking).toList());
    }

    /** How far all launches have come. */
    public LaunchMarks marks() {
        return LaunchMarks.of(logs);
    }

    /** The launches that may have caused the fault which is reported now: all that are not known to have ended. */
    List<String> unfinished() {
        return logs.stream().flatMap(log -> log.unfinished().stream()).toList();
    }
}
