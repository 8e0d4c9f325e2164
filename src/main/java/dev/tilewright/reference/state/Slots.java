package dev.tilewright.reference.state;

import java.util.HashMap;
import java.util.Map;

/** Where each variable and fragment of a program lies in a thread's array of longs. */
public final class Slots {
    /** In place of a slot, where a result is not wanted. */
    public static final int NONE = -1;

    private Map<Object, Integer> places = new HashMap<>();
    private int count;

    /** Gives a variable or a fragment {@code size} neighbouring slots. @return the first */
    public int define(Object thing, int size) {
        int slot = reserve(size);
        places.put(thing, slot);
        return slot;
    }

    /** Slots without a name. @return the first */
    int reserve(int size) {
        int slot = count;
        count += size;
        return slot;
    }

    public int of(Object thing) {
        return places.get(thing);
    }

    /** Runs the given code, which sees nothing of what is defined now, and whose definitions are gone afterwards. */
    public void apart(Runnable code) {
        Map<Object, Integer> outer = places;
        places = new HashMap<>();
        code.run();
        places = outer;
    }

    public int count() {
        return count;
    }
}
