package dev.tilewright.cli.verify;

import dev.tilewright.Progress;
import java.time.Duration;

/** How far a run is: by its cases, or by its time where it has one. Told by one thread at a time. */
final class VerifyProgress {
    private static final String WHAT = "verifying";

    private final Progress progress;
    private final long cases;
    private final long begin;
    private final Duration most;
    private long ended;

    /** @param begin by {@link System#nanoTime} @param most how long it goes on; null for until its cases have ended */
    VerifyProgress(Progress progress, long cases, long begin, Duration most) {
        this.progress = progress;
        this.cases = cases;
        this.begin = begin;
        this.most = most;
    }

    /** A case has ended. */
    void ended() {
        ended++;
        if (most == null) {
            progress.at(WHAT, ended, cases);
        } else {
            progress.at(WHAT, Math.min(Duration.ofNanos(System.nanoTime() - begin).toSeconds(), most.toSeconds()),
                    most.toSeconds());
        }
    }
}
