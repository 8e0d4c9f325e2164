package dev.tilewright.hazard.shadow;

import dev.tilewright.hazard.order.Clock;
import dev.tilewright.hazard.order.ThreadClock;

/** Whether one access may come after another: see docs/memory-model.md. */
public final class Ordering {

    private Ordering() { }

    /** Whether an access may come after another one. @param lane what the copy engine has to look at for this memory */
    public static boolean isOrdered(ShadowAccess before, ShadowAccess now, int lane) {
        return meet(before, now) || happensBefore(before, now, lane);
    }

    /** Whether an access is sure to come after another one, by what its thread knows. */
    public static boolean happensBefore(ShadowAccess before, ShadowAccess now, int lane) {
        ThreadClock thread = now.thread;
        boolean throughFence = now.isAsync() && before.writes();
        if (before.completion == null) {
            return before.thread == thread && !throughFence
                    || thread.knows(before.thread, throughFence ? lane : Clock.ORDERED) >= before.time;
        }
        return before.completion == now.completion && before.step == now.step
                || before.completion.isKnownTo(thread, throughFence && !before.isAsync() ? lane : Clock.ORDERED);
    }

    /** Whether an access may come after another one only because the two are made to come in any order. */
    static boolean meets(ShadowAccess before, ShadowAccess now, int lane) {
        return meet(before, now) && !happensBefore(before, now, lane);
    }

    /** Whether two accesses are made to come in any order, with scopes that include each other's threads. */
    public static boolean meet(ShadowAccess before, ShadowAccess now) {
        return areMeantToMeet(before, now) && !overlapInPart(before, now)
                && before.thread.reaches(now.thread, before.scope)
                && now.thread.reaches(before.thread, now.scope);
    }

    /**
     * Whether two accesses to some of the same bytes, with scopes, are of different places or sizes: nothing makes
     * these come in any order.
     */
    public static boolean overlapInPart(ShadowAccess a, ShadowAccess b) {
        return a.word != b.word && a.word != ShadowAccess.ANY_WORD && b.word != ShadowAccess.ANY_WORD;
    }

    /** Whether two accesses with a scope are made to come in any order, if only their scopes were large enough. */
    public static boolean areMeantToMeet(ShadowAccess a, ShadowAccess b) {
        return a.scope != null && b.scope != null && (a.isWaiting() || b.isWaiting()
                || a.isMeeting() && b.isMeeting() && !isLookAtOwnBlock(a, b) && !isLookAtOwnBlock(b, a));
    }

    /** Whether a thread looks once at what another thread of its block stores: __syncthreads() belongs between. */
    private static boolean isLookAtOwnBlock(ShadowAccess look, ShadowAccess store) {
        return !look.writes() && !look.isOpen() && !store.reads() && look.thread.block() == store.thread.block();
    }
}
