package dev.tilewright.hazard.shadow;

import java.util.Arrays;

/** Reads of the same bytes that nothing orders among each other. */
public final class Readers {
    public ShadowAccess[] all = new ShadowAccess[4];
    public int count;

    /** Adds a read, in the place of an earlier one of the same thread that it comes after. */
    public void add(ShadowAccess now) {
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
