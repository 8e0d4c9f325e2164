package dev.tilewright.hazard.shadow;

import java.util.Arrays;

/** Reads of the same bytes that nothing orders among each other. */
final class Readers {
    ShadowAccess[] all = new ShadowAccess[4];
    int count;

    /** Adds a read, which replaces an earlier one of the same thread that it comes after. */
    void add(ShadowAccess now) {
        for (int i = 0; i < count; i++) {
            ShadowAccess r = all[i];
            if (r.thread == now.thread && r.completion == now.completion && r.scope == now.scope
                    && r.kind == now.kind) {
                all[i] = now;
                return;
            }
        }
        append(now);
    }

    private void append(ShadowAccess read) {
        if (count == all.length) {
            all = Arrays.copyOf(all, 2 * count);
        }
        all[count++] = read;
    }

    /** The reads that a later write need not come after, although it meets this write; null for none. */
    Readers thatMeet(ShadowAccess write, int lane) {
        Readers result = null;
        for (int i = 0; i < count; i++) {
            if (isStillOpen(all[i], write, lane)) {
                result = result == null ? new Readers() : result;
                result.append(all[i]);
            }
        }
        return result;
    }

    /** Whether what meets a write need not come after a read. */
    static boolean isStillOpen(ShadowAccess read, ShadowAccess write, int lane) {
        return write.isMeeting() && !read.isMeeting() || Ordering.meets(read, write, lane);
    }

    /** A copy of the reads, to go its own way. @param reads nothing, a read, or several */
    static Object copy(Object reads) {
        if (!(reads instanceof Readers from)) {
            return reads;
        }
        Readers result = new Readers();
        for (int i = 0; i < from.count; i++) {
            result.append(from.all[i]);
        }
        return result;
    }
}
