package dev.tilewright.reference.state;

import java.util.HashMap;
import java.util.Map;

/** Where each variable and fragment of a program lies in a thread's array of longs. */
public final class Slots {
    /** In place of a slot, where a result is not wanted. */
    public static final int NONE = -1;

    private Map<Object, Integer> places = new HashMap<>();
    /** By their words. */
    private final Map<Long, Integer> constants = new HashMap<>();
    private int count;
    private boolean again;

    /** Gives a variable or a fragment {@code size} neighbouring slots. @return the first */
    public int define(Object thing, int size) {
        Integer before = again ? places.get(thing) : null;
        int slot = before == null ? reserve(size) : before;
        places.put(thing, slot);
        return slot;
    }

    /** A slot for a thing that is not to be seen yet. */
    public int place(Object thing) {
        Integer before = again ? places.get(thing) : null;
        return before == null ? reserve(1) : before;
    }

    /** The thing lies where something lies already. */
    public void define(Object thing, Place place) {
        places.put(thing, place.slot);
    }

    /** A slot that is reserved. */
    public record Place(int slot) { }

    /** Whether what is defined now may have been defined before, and then keeps its place. */
    public boolean again() {
        return again;
    }

    public void again(boolean now) {
        again = now;
    }

    /** A slot that holds the word, and that nothing writes to. */
    public int constant(long word) {
        return constants.computeIfAbsent(word, _ -> reserve(1));
    }

    /** What a thread's slots hold before its first step: the constants, and zeros. */
    public long[] initial() {
        long[] words = new long[count];
        constants.forEach((word, slot) -> words[slot] = word);
        return words;
    }

    /** Slots without a name. @return the first */
    public int reserve(int size) {
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
}
