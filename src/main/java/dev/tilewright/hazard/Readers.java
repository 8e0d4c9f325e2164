package dev.tilewright.hazard;

import java.util.Arrays;

/** Reads of the same bytes that nothing orders among each other. */
final class Readers {
    ShadowAccess[] all = new ShadowAccess[4];
    int count;

    /** Adds a read, in the place of an earlier one of the same thread that it comes after. */
    void add(ShadowAccess now) {
        for (int i = 0; i < count; i++) {
            ShadowAccess t = all[i];
            if (t.actor == now.actor && t.done == now.done && t.scope == now.scope && t.isAsync() == now.isAsync()) {
                all[i] = now;
                return;
            }
        }
        if (count == all.length) {
            all = Arrays.copyOf(all, 2 * count);
        }
        all[count++] = now;
    }
}
