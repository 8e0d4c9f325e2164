package dev.tilewright.hazard.shadow;

import dev.tilewright.ptx.Scope;
import java.util.Arrays;

/** Writes of the same bytes that nothing orders among each other: updates that are made to come in any order. */
final class Writers {
    /** Writes that are remembered. */
    private static final int MOST = 256;

    /** The last write before these that was not made to meet others; null for none. They need not all come after it. */
    ShadowAccess base;
    ShadowAccess[] all = new ShadowAccess[2];
    int count;
    /** Whether all of them are updates with a scope that includes every thread. */
    private boolean open = true;

    private Writers() { }

    /**
     * The writes from now on.
     *
     * @param before nothing, a write, or several
     * @param now a write that is made to meet others
     * @param alone whether it comes after all of them
     */
    static Object of(Object before, ShadowAccess now, boolean alone, int lane) {
        if (before == null || before == now || before instanceof ShadowAccess w && alone && w.isMeeting()) {
            return now;
        }
        Writers result = before instanceof Writers w ? w : new Writers();
        if (before instanceof ShadowAccess w && w.isMeeting()) {
            result.add(w, lane);
        } else if (before instanceof ShadowAccess w) {
            result.base = w;
        }
        if (alone) {
            result.count = 0;
            result.open = true;
        }
        result.add(now, lane);
        return result;
    }

    /** Whether an access may come in any order with all of these. */
    boolean mayBeMetBy(ShadowAccess now) {
        return open && isOpen(now) && !Ordering.overlapInPart(all[0], now);
    }

    /** Whether it is an update, or a read that meets others, with a scope that includes every thread. */
    private static boolean isOpen(ShadowAccess a) {
        return a.isMeeting() && a.reads() && a.scope != null && a.scope.compareTo(Scope.GPU) >= 0;
    }

    /**
     * Whether a later one of them lies between one of them and an access, by what is known of this place alone: an
     * update that comes before the access has read the write, or a value that came of it, and decided by that.
     */
    boolean isReadBefore(int i, ShadowAccess now, int lane) {
        for (int later = count - 1; later > i; later--) {
            ShadowAccess w = all[later];
            if (w.isDeciding() && Ordering.meet(all[i], w) && Ordering.happensBefore(w, now, lane)) {
                return true;
            }
        }
        return false;
    }

    /** Whether a read comes before a write of its own thread that comes before an access as above. */
    boolean isReadBefore(ShadowAccess read, ShadowAccess now, int lane) {
        for (int i = 0; i < count; i++) {
            ShadowAccess w = all[i];
            if (w.thread == read.thread && w.time >= read.time && read.completion == null
                    && (Ordering.happensBefore(w, now, lane) || isReadBefore(i, now, lane))) {
                return true;
            }
        }
        return false;
    }

    private void add(ShadowAccess now, int lane) {
        open &= isOpen(now) && (count == 0 || !Ordering.overlapInPart(all[0], now));
        for (int i = 0; i < count; i++) {
            ShadowAccess w = all[i];
            if (w.thread == now.thread && w.completion == null && now.completion == null) {
                System.arraycopy(all, i + 1, all, i, count - i - 1);
                all[count - 1] = now;
                return;
            }
        }
        if (count == MOST) {
            forgetSome(now, lane);
        }
        if (count == all.length) {
            all = Arrays.copyOf(all, 2 * count);
        }
        all[count++] = now;
    }

    /** Drops the writes that are ordered before an access, or else the oldest quarter. */
    private void forgetSome(ShadowAccess now, int lane) {
        int kept = 0;
        for (int i = 0; i < count; i++) {
            if (!Ordering.happensBefore(all[i], now, lane)) {
                all[kept++] = all[i];
            }
        }
        if (kept == MOST) {
            kept -= MOST / 4;
            System.arraycopy(all, MOST / 4, all, 0, kept);
        }
        count = kept;
    }

    /** The last of them. @param writes nothing, a write, or several */
    static ShadowAccess last(Object writes) {
        return writes instanceof Writers w ? w.all[w.count - 1] : (ShadowAccess) writes;
    }

    /** A copy of the writes, to go its own way. */
    static Object copy(Object writes) {
        if (!(writes instanceof Writers from)) {
            return writes;
        }
        Writers result = new Writers();
        result.all = from.all.clone();
        result.count = from.count;
        result.open = from.open;
        result.base = from.base;
        return result;
    }
}
