package dev.tilewright.hazard.shadow;

import dev.tilewright.hazard.order.Clock;
import dev.tilewright.hazard.order.ThreadClock;

/** Whether one access may come after another: see docs/memory-model.md. */
public final class Ordering {

    private Ordering() {
    }

    /** Whether an access may come after another one. @param lane what the copy engine has to look at for this memory */
    public static boolean isOrdered(ShadowAccess before, ShadowAccess now, int lane) {
        ThreadClock thread = now.thread;
        if (before.scope != null && now.scope != null && mayMeet(before, now)
                && before.thread.reaches(thread, before.scope) && thread.reaches(before.thread, now.scope)) {
            return true;
        }
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
