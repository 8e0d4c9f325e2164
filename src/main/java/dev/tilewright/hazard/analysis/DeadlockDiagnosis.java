package dev.tilewright.hazard.analysis;

import dev.tilewright.hazard.Access;
import dev.tilewright.hazard.HazardCode;
import dev.tilewright.hazard.async.Barrier;
import dev.tilewright.hazard.async.CopyCompletion;
import dev.tilewright.hazard.order.Clock;
import dev.tilewright.hazard.order.ThreadClock;
import dev.tilewright.hazard.report.Findings;
import dev.tilewright.reference.ReferenceException;
import dev.tilewright.reference.ReferenceException.Kind;

/** Says what is wrong where the reference could not go on: a fault, or threads that wait for ever. */
public final class DeadlockDiagnosis {

    private DeadlockDiagnosis() {
    }

    public static void fault(Findings findings, ThreadClock a, int step, Kind kind, String sentence) {
        HazardCode code = switch (kind) {
            case TENSOR_MAP -> HazardCode.MAP_CHANGE_NOT_FENCED;
            case BARRIER_ARRIVALS, ARRIVAL_BEFORE_BYTES -> HazardCode.WRONG_ARRIVAL_COUNT;
            case BLOCK_NOT_STARTED -> HazardCode.MISSING_BARRIER;
            case BLOCK_ENDED -> HazardCode.REMOTE_AFTER_EXIT;
            case SYNC_THREADS, WARP, WOULD_HANG -> HazardCode.DEADLOCK;
            default -> HazardCode.FAULT;
        };
        String hint = kind == Kind.ARRIVAL_BEFORE_BYTES
                ? "whoever arrives for a phase must know that the one before is complete, or arrive fewer times" : "";
        findings.add(code, step, a.block, null, findings.access(step, a, "fails"), kind == Kind.SYNC_THREADS
                ? elsewhere(findings, a) : null,
                findings.access(step, a, "") + "fails: " + sentence, hint, "", null);
    }

    /** A thread of the block that has come to another {@code __syncthreads}. */
    private static Access elsewhere(Findings findings, ThreadClock a) {
        for (ThreadClock other : a.cluster.actors()) {
            if (other.block == a.block && other.atSync != 0 && other.atSync != a.atSync) {
                return findings.access(other.atSync, other, "waits");
            }
        }
        return null;
    }

    /** @param running the clusters that have not ended */
    public static void deadlock(Findings findings, Iterable<CheckedCluster> running, ReferenceException e) {
        boolean any = false;
        for (CheckedCluster cluster : running) {
            for (ThreadClock a : cluster.actors()) {
                if (a.blockedAt != null && !a.exited) {
                    any |= waits(findings, a, a.blockedAt);
                }
            }
        }
        if (!any) {
            findings.add(HazardCode.DEADLOCK, e.step(), e.block(), null, null, null, "thread " + e.thread()
                    + ": " + e.sentence(),
                    "", "", null);
        }
    }

    /** @return whether the barrier says by itself why nobody goes on */
    private static boolean waits(Findings findings, ThreadClock a, Barrier b) {
        if (b.shortPhase >= 0) {
            txTooSmall(findings, b, b.shortStep, b.shortCopy);
            return true;
        }
        if (b.pendingArrivals() == 0 && b.startedBytes > b.expectedBytes) {
            txTooSmall(findings, b, b.expectStep == 0 ? b.lastCounted.step : b.expectStep, b.lastCounted);
            return true;
        }
        if (b.pendingArrivals() == 0 && b.startedBytes < b.expectedBytes) {
            int rank = b.owner % b.cluster.blocks.length;
            if (b.cluster.lastMask != 0 && (b.cluster.lastMask >>> rank & 1) == 0) {
                findings.add(HazardCode.MULTICAST_MISSING_CTA, b.cluster.maskStep, b.owner, null, null,
                        findings.access(b.expectStep, b.expectedBy,
                        "announces bytes"), "barrier " + b.name + " of block " + b.owner + " waits for "
                                + (b.expectedBytes - b.startedBytes)
                        + " bytes, and the copy goes to the blocks of mask 0x" + Integer.toHexString(b.cluster.lastMask)
                        + ", where the block of rank " + rank + " is missing", "", "set bit " + rank + " of the mask", null);
            } else {
                txTooLarge(findings, b);
            }
            return true;
        }
        int known = a.knows(b.cluster, b.slot, Clock.ORDERED);
        if (a.blockedParity >= 0 && b.phase > known + 1) {
            findings.add(HazardCode.WRONG_ARRIVAL_COUNT, b.step, b.owner, null, findings.access(a.blockedStep, a, "waits"), null,
                    "barrier " + b.name + " is in phase " + b.phase + " when " + findings.access(a.blockedStep, a, "")
                            + "still waits for the end of phase "
                    + known + ": its phases complete too soon, with " + b.expectedArrivals() + (b.expectedArrivals() == 1
                            ? " arrival each"
                    : " arrivals each"), "", "initialise it for as many arrivals as a phase gets", null);
            return true;
        }
        boolean untouched = b.pendingArrivals() == b.expectedArrivals() && b.expectedBytes == 0 && b.startedBytes == 0;
        if (!untouched && b.pendingArrivals() > 0) {
            findings.add(HazardCode.WRONG_ARRIVAL_COUNT, b.step, b.owner, null, findings.access(a.blockedStep, a, "waits"),
                    null, "phase " + b.phase + " of barrier " + b.name + " waits for " + b.pendingArrivals() + " more of its "
                    + b.expectedArrivals() + " arrivals, and nobody is left to arrive", "",
                    "initialise it for as many arrivals as there are, or let the others arrive", null);
            return true;
        }
        if (untouched && a.blockedParity >= 0 && b.phase > 0) {
            findings.add(HazardCode.WRONG_PARITY, a.blockedStep, a.block, null, findings.access(a.blockedStep, a, "waits"), null,
                    findings.access(a.blockedStep, a, "waits") + " for parity " + a.blockedParity + " of barrier " + b.name
                            + ", whose phase " + b.phase
                    + " nobody arrives in; phase " + (b.phase - 1) + " is complete", "", "wait for parity "
                            + (1 - a.blockedParity), null);
            return true;
        }
        return false;
    }

    public static void txTooSmall(Findings findings, Barrier b, int step, CopyCompletion copy) {
        if (!findings.has(HazardCode.TX_TOO_SMALL, step, copy.step)) {
            findings.add(HazardCode.TX_TOO_SMALL, step, b.owner, null, null, findings.access(copy.step, copy.actor, "copies"),
                    "fewer bytes are announced on barrier " + b.name + " than its copies bring" + bytes(b), "",
                    "announce the bytes of all copies that complete on it", null);
        }
        copy.blamed = true;
    }

    public static void txTooLarge(Findings findings, Barrier b) {
        if (!findings.has(HazardCode.TX_TOO_LARGE, b.expectStep, 0)) {
            findings.add(HazardCode.TX_TOO_LARGE, b.expectStep, b.owner, null, findings.access(b.expectStep, b.expectedBy,
                    "announces bytes"), null,
                    "more bytes are announced on barrier " + b.name + " than copies bring" + bytes(b), "",
                    "announce the bytes of the copies that complete on it, and start all of them", null);
        }
    }

    private static String bytes(Barrier b) {
        return b.startedBytes == b.expectedBytes ? "" : ": " + b.expectedBytes + " announced in phase " + b.phase + ", "
                + b.startedBytes + " under way";
    }
}
