package dev.tilewright.reference;

import java.util.HashMap;
import java.util.Map;

/** Where each variable, fragment and token of a program lies in a thread's array of longs. Names are unique in a program. */
final class Slots {
    private final Map<String, Integer> byName = new HashMap<>();
    private int count;

    /** Gives a name so many neighbouring slots. @return the first */
    int define(String name, int size) {
        int slot = reserve(size);
        byName.put(name, slot);
        return slot;
    }

    /** Slots without a name. @return the first */
    int reserve(int size) {
        int slot = count;
        count += size;
        return slot;
    }

    int of(String name) {
        return byName.get(name);
    }

    int count() {
        return count;
    }
}
