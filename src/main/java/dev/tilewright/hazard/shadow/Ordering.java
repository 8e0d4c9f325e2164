package dev.tilewright.hazard.shadow;

import dev.tilewright.hazard.order.Clock;
import dev.tilewright.hazard.order.ReleasedValues;
import dev.tilewright.hazard.order.ThreadClock;

/** Whether one access may come after another: see docs/memory-model.md. */
public final class Ordering {

    private Ordering() {
    }

    /** Whether an access may come after another one. @param lane what the copy engine has to look at for this memory */
    public static boolean isOrdered(ShadowAccess before, ShadowAccess now, int lane) {
        ThreadClock t = now.actor;
        if (before.scope != ShadowAccess.WEAK && now.scope != ShadowAccess.WEAK && mayMeet(before, now) && reaches(before, now)
                && reaches(now, before)) {
            return true;
        }
        boolean throughFence = now.isAsync() && before.writes();
        if (before.done == null) {
            return before.actor == t && !throughFence
                    || t.knows(before.actor.cluster, before.actor.slot, throughFence ? lane : Clock.ORDERED) >= before.stamp;
        }
        return before.done == now.done && before.step == now.step || t.knows(before.done, throughFence && !before.isAsync()
                ? lane : Clock.ORDERED);
    }

    /** Whether two accesses with a scope are taken to be meant to come in any order. */
    private static boolean mayMeet(ShadowAccess a, ShadowAccess b) {
        return a.isMeeting() && b.isMeeting() || a.isMeeting() && !a.writes() || b.isMeeting() && !b.writes();
    }

    private static boolean reaches(ShadowAccess from, ShadowAccess to) {
        return ReleasedValues.reaches(from.scope, from.actor, to.actor);
    }
}
