package dev.tilewright.hazard.analysis;

import dev.tilewright.hazard.HazardCode;
import dev.tilewright.hazard.Place;
import dev.tilewright.hazard.async.Barrier;
import dev.tilewright.hazard.async.CopyCompletion;
import dev.tilewright.hazard.async.CopyCompletion.By;
import dev.tilewright.hazard.order.Clock;
import dev.tilewright.hazard.order.ThreadClock;
import dev.tilewright.hazard.report.Findings;
import dev.tilewright.hazard.shadow.Ordering;
import dev.tilewright.hazard.shadow.ShadowAccess;

/** Says of two accesses that nothing orders what sort of mistake it is, what would order them, and what to change. */
public final class RaceClassifier {
    private final Findings findings;

    public RaceClassifier(Findings findings) {
        this.findings = findings;
    }

    /** @param lane what an access of the copy engine to this memory has to look at */
    public void conflict(ShadowAccess before, ShadowAccess now, Place place, int lane) {
        if (before.done != null && before.done.blamed || now.done != null && now.done.blamed) {
            return;
        }
        ThreadClock t = now.actor;
        if (before.done == null) {
            ordinaryBefore(before, now, place, lane, t);
        } else if (before.writes()) {
            copyWriteBefore(before, now, place, lane, t);
        } else {
            copyReadBefore(before, now, place);
        }
    }

    // ---- what came before was done at once

    private void ordinaryBefore(ShadowAccess before, ShadowAccess now, Place place, int lane, ThreadClock t) {
        boolean known = before.actor == t || t.knows(before.actor.cluster, before.actor.slot, Clock.ORDERED) >= before.stamp;
        if (known && now.isAsync() && before.writes()) {
            add(HazardCode.MISSING_PROXY_FENCE, now.step, place, now, before, "no proxy fence lies between the two",
                    "the thread that writes needs fence.proxy.async behind its writes, before it lets others know of them");
            return;
        }
        boolean seen = t.seen != null && before.actor.cluster == t.cluster
                && t.seen.get(before.actor.slot, Clock.ORDERED) >= before.stamp
                || t.seen != null && t.seen.other(before.actor.cluster).get(before.actor.slot, Clock.ORDERED) >= before.stamp;
        if (seen && (now.kind & 3) != ShadowAccess.WRITE) {
            add(HazardCode.FLAG_NOT_ACQUIRED, now.step, place, now, before, "step " + t.seenAt + " ('"
                    + findings.purpose(t.seenAt)
                    + "') read a value that was stored after it, but does not acquire",
                            "let that load acquire, or put a fence behind it");
            return;
        }
        if (!place.shared() && before.actor.block != t.block) {
            add(HazardCode.GLOBAL_RACE, now.step, place, now, before, "nothing orders the two blocks",
                    "give each block bytes of its own, or let one wait for a value that the other releases");
            return;
        }
        if (!before.writes() && now.done != null) {
            ThreadClock.Waited wait = t.lastWait;
            if (wait != null && wait.barrier().lastArrival(before.actor) >= 0) {
                if (wait.vain()) {
                    add(HazardCode.WRONG_PARITY, wait.step(), place, now, before, "the wait for barrier " + wait.barrier().name
                            + " passed for a phase that was long complete",
                                    "wait for the parity of the phase that the readers arrive in");
                    return;
                }
                if (wait.barrier().overran) {
                    add(HazardCode.WRONG_ARRIVAL_COUNT, wait.barrier().step, place, now, before, "barrier " + wait.barrier().name
                            + " completes its phases before all readers have arrived",
                                    "initialise it for one arrival of each reader");
                    return;
                }
            }
            add(HazardCode.OVERWRITE_UNREAD, now.step, place, now, before, "the reading thread may not be done yet",
                    "let the reader arrive at a barrier that the copying thread waits for before it refills the bytes");
            return;
        }
        boolean weakFlag = before.scope != ShadowAccess.WEAK && !now.writes() && now.scope == ShadowAccess.WEAK;
        add(weakFlag ? HazardCode.FLAG_NOT_ACQUIRED : HazardCode.MISSING_BARRIER, now.step, place, now, before,
                weakFlag ? "an ordinary load need not see it, and orders nothing" : "nothing orders the two threads",
                weakFlag ? "load it with ld.acquire" : "put __syncthreads(), or an mbarrier, between the two");
    }

    // ---- what came before is a copy that writes

    private void copyWriteBefore(ShadowAccess before, ShadowAccess now, Place place, int lane, ThreadClock t) {
        CopyCompletion done = before.done;
        if (done.by != By.BARRIER && before.actor.cluster != t.cluster) {
            add(HazardCode.GLOBAL_RACE, now.step, place, now, before, "nothing orders the two blocks",
                    "give each block bytes of its own, or let one wait for a value that the other releases after it has waited for its copy");
            return;
        }
        boolean met = before.actor == t || t.knows(before.actor.cluster, before.actor.slot, Clock.ORDERED) >= before.stamp;
        if (!met && !now.writes() && before.replaced != null && Ordering.isOrdered(before.replaced, now, lane)) {
            // The read comes after what the bytes held before, and knows nothing of the copy: it is the copy that came too early.
            add(HazardCode.OVERWRITE_UNREAD, before.step, place, before, now, "the reading thread may not be done yet",
                    "let the reader arrive at a barrier that the copying thread waits for before it refills the bytes");
            return;
        }
        boolean told = done.at != CopyCompletion.NEVER || done.barrier != null && t.knows(done, Clock.ORDERED);
        if (told && now.isAsync() && !before.isAsync() && t.knows(done, Clock.ORDERED)) {
            add(HazardCode.MISSING_PROXY_FENCE, now.step, place, now, before,
                    "no proxy fence lies between the end of the copy and this",
                    "cp.async writes as ordinary stores do: fence.proxy.async is needed behind its wait");
            return;
        }
        if (done.at != CopyCompletion.NEVER) {
            add(HazardCode.MISSING_BARRIER, now.step, place, now, before,
                    "its own thread has waited for it, but nothing orders the two threads",
                    "put __syncthreads() behind the wait");
            return;
        }
        if (done.by == By.BARRIER || done.barrier != null) {
            barrierCopyBefore(before, now, place, t, done);
            return;
        }
        ThreadClock.Groups groups = done.by == By.CP_ASYNC ? before.actor.copies() : before.actor.stores();
        if (!met) {
            add(HazardCode.MISSING_BARRIER, now.step, place, now, before, "nothing orders the two threads",
                    "wait for the copy's group, and put __syncthreads() between the two");
        } else if (groups.open.contains(done)) {
            add(HazardCode.GROUP_NEVER_WAITED, now.step, place, now, before,
                    "no commit has closed the copy's group, so that no wait waits for it",
                    "close the group behind the copy");
        } else if (groups.waitTick > done.tick && (before.actor == t || t.knows(before.actor.cluster, before.actor.slot,
                Clock.ORDERED)
                >= groups.waitOwn)) {
            boolean unfinished = done.by == By.BULK_WRITE;
            add(HazardCode.WAIT_TOO_SHALLOW, now.step, place, now, before, "step " + groups.waitStep + " ('"
                    + findings.purpose(groups.waitStep) + "') lets " + groups(groups.waitPending, unfinished ? "unfinished"
                            : "in flight")
                    + (unfinished ? ", or waits for their sources alone" : ""),
                    unfinished ? "wait for the group itself, without .read" : "let that wait leave fewer groups pending");
        } else if (now.writes()) {
            add(HazardCode.OVERWRITE_UNREAD, now.step, place, now, before, "the earlier copy may not have landed",
                    "wait for its group first");
        } else {
            findings.add(HazardCode.READ_IN_FLIGHT, now.step, t.block, place, findings.access(now), findings.access(before),
                    what(place, now, before), "no wait for its group lies between the two",
                            "wait for the group before this step", done);
        }
    }

    private void barrierCopyBefore(ShadowAccess before, ShadowAccess now, Place place, ThreadClock t, CopyCompletion done) {
        Barrier b = done.barrier;
        if (b.phase == done.phase && b.expectedBytes == 0 && b.startedBytes > 0 && b.lastArrival(done.actor) == done.phase - 1
                && done.phase > 0) {
            add(HazardCode.TX_TOO_SMALL, b.arrivalStep, place, now, before, "phase " + (done.phase - 1) + " of barrier " + b.name
                    + " completes without the bytes, because nobody announces them", "announce them with the arrival: "
                    + "mbarrier.arrive.expect_tx");
        } else if (b.latePhase == done.phase) {
            add(HazardCode.TX_LATE, b.lateStep, place, now, before, "phase " + (done.phase - 1) + " of barrier " + b.name
                    + " completes without the bytes, because they are announced after the arrival",
                    "announce the bytes before the arrival, or with it: mbarrier.arrive.expect_tx");
        } else if (b.vain != null && b.vain.tick() > done.tick) {
            add(HazardCode.WRONG_PARITY, b.vain.step(), place, now, before, "the wait for barrier " + b.name
                    + " passed for the phase before that of the copy", "wait for parity " + (done.phase & 1)
                    + ", that of phase " + done.phase);
        } else if (now.writes() && now.done != null) {
            add(HazardCode.OVERWRITE_UNREAD, now.step, place, now, before, "the earlier copy may not have landed",
                    "wait for phase " + done.phase + " of barrier " + b.name + " first");
        } else {
            add(HazardCode.READ_IN_FLIGHT, now.step, place, now, before, "thread " + t.thread + " has not waited for phase "
                    + done.phase
                    + " of barrier " + b.name + ", nor met a thread that has", "wait for it before this step");
        }
    }

    // ---- what came before is a copy that reads

    private void copyReadBefore(ShadowAccess before, ShadowAccess now, Place place) {
        CopyCompletion done = before.done;
        if (!place.shared() && before.actor.block != now.actor.block) {
            add(HazardCode.GLOBAL_RACE, now.step, place, now, before, "nothing orders the two blocks",
                    "let the writing block wait for a value that the other releases after its copy");
        } else if (done.at != CopyCompletion.NEVER) {
            add(HazardCode.OVERWRITE_IN_STORE, now.step, place, now, before,
                    "its own thread has waited for it, but nothing orders the two threads",
                            "put __syncthreads() behind the wait");
        } else if (done.by == By.BULK_READ && before.actor.stores().waitTick > done.tick) {
            add(HazardCode.OVERWRITE_IN_STORE, now.step, place, now, before, "step " + before.actor.stores().waitStep + " ('"
                    + findings.purpose(before.actor.stores().waitStep) + "') lets " + groups(before.actor.stores().waitPending,
                            "unread"), "let that wait leave fewer groups pending");
        } else {
            add(HazardCode.OVERWRITE_IN_STORE, now.step, place, now, before, "nothing waits for the copy to have read them",
                    done.by == By.BULK_READ ? "wait for its group with cp.async.bulk.wait_group.read first"
                            : "wait for its end first");
        }
    }

    private static String groups(int count, String how) {
        return count == 0 ? "the group be " + how : count == 1 ? "a group be " + how + ": this one" : count + " groups be "
                + how + ", this one among them";
    }

    /** A thread reads shared memory that holds whatever an earlier block left there. */
    public void unwritten(ShadowAccess now, Place place) {
        findings.add(HazardCode.READ_UNWRITTEN, now.step, now.actor.block, place, findings.access(now), null,
                findings.access(now) + " " + place + ", which nothing has written", "shared memory begins with what earlier blocks left",
                "read where the bytes were put, such as the stage that was waited for, or write them first", null);
    }

    private void add(HazardCode code, int step, Place place, ShadowAccess now, ShadowAccess before, String wanted, String fix) {
        if (findings.has(code, step, before.step)) {
            return;
        }
        findings.add(code, step, now.actor.block, place, findings.access(now), findings.access(before), what(place, now,
                before), wanted, fix,
                null);
    }

    private String what(Place place, ShadowAccess now, ShadowAccess before) {
        return findings.access(now) + " " + place + ", and " + findings.access(before) + " them";
    }
}
