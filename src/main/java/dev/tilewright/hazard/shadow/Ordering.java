package dev.tilewright.hazard.shadow;

import dev.tilewright.hazard.order.Clock;
import dev.tilewright.hazard.order.ThreadClock;

/** Whether one access may come after another: see docs/memory-model.md. */
public final class Ordering {

    private Ordering() {
    }

    /** Whether an access may come after another one. @param lane what the copy engine has to look at for this memory */
    public static boolean isOrdered(ShadowAccess before, ShadowAccess now, int lane) {
        return meet(before, now) || happensBefore(before, now, lane);
    }

    /** Whether an access may come after another one only because the two are made to come in any order. */
    static boolean meets(ShadowAccess before, ShadowAccess now, int lane) {
        return meet(before, now) && !happensBefore(before, now, lane);
    }

    /** Whether two accesses with scopes that include each other are made to come in any order. */
    private static boolean meet(ShadowAccess before, ShadowAccess now) {
        return before.scope != null && now.scope != null && mayMeet(before, now)
                && before.thread.reaches(now.thread, before.scope) && now.thread.reaches(before.thread, now.scope);
    }

    /** Whether an access is over before another one begins, in every order of events. @param lane as above */
    static boolean happensBefore(ShadowAccess before, ShadowAccess now, int lane) {
        ThreadClock thread = now.thread;
        boolean throughFence = now.isAsync() && before.writes();
        if (before.completion == null) {
            return before.thread == thread && !throughFence
                    || thread.knows(before.thread, throughFence ? lane : Clock.ORDERED) >= before.time;
        }
        return before.completion == now.completion && before.step == now.step
                || before.completion.isKnownTo(thread, throughFence && !before.isAsync() ? lane : Clock.ORDERED);
    }

    /** Whether two accesses with a scope are taken to be meant to come in any order. */
    private static boolean mayMeet(ShadowAccess a, ShadowAccess b) {
        return a.isMeeting() && b.isMeeting() || a.isMeeting() && !a.writes() || b.isMeeting() && !b.writes();
    }
}
