package dev.tilewright.hazard.analysis;

import dev.tilewright.hazard.HazardCode;
import dev.tilewright.hazard.report.FindingSet;
import dev.tilewright.hazard.report.UnwrittenFindings;
import dev.tilewright.hazard.shadow.ByteRange;
import dev.tilewright.reference.observe.ExecutionObserver.Reach;
import dev.tilewright.reference.observe.ExecutionObserver.UnwrittenRead;

/** Why a value matters that comes from bytes, or a register, which nothing has written. */
record UnwrittenTracker(RaceClassifier races, HandOverCulprits handOvers, FindingSet findings,
        UnwrittenFindings words) {
    /** @param reader the thread that read the value @param user the thread that lets it matter, in a step */
    void reaches(CheckedThread reader, UnwrittenRead read, CheckedThread user, int step, Reach reach) {
        if (!read.register().isEmpty()) {
            if (!findings.hasAt(HazardCode.READ_UNWRITTEN, read.step())) {
                findings.add(words.reaches(reader.clock, read.step(), read.register(), user.clock, step, reach));
            }
            return;
        }
        races.readUnwritten(read.step());
        ByteRange bytes = new ByteRange(true, read.owner(), read.address(), read.bytes());
        if (reader.lastWait != null && reader.lastWait.vain()) {
            findings.add(words.reachesAfterVainWait(reader.clock, read.step(), bytes, reader.lastWait));
        } else {
            findings.addFirst(words.reaches(reader.clock, read.step(), bytes, user.clock, step, reach,
                    handOvers.notWaitedFor(reader, read.step(), bytes)));
        }
    }
}
