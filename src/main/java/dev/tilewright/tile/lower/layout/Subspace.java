package dev.tilewright.tile.lower.layout;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Vectors of bits that are independent of each other, over the field of two elements, and what they add up to. */
public final class Subspace {
    private final List<Integer> vectors = new ArrayList<>();
    /** Each with a highest bit that no other has, and which of the vectors make it, a bit each. */
    private final List<int[]> reduced = new ArrayList<>();

    public static Subspace of(Collection<Integer> vectors) {
        Subspace subspace = new Subspace();
        vectors.forEach(subspace::add);
        return subspace;
    }

    /** Adds a vector, if it is none of the sums already. @return whether it was added */
    public boolean add(int vector) {
        int[] rest = rest(vector);
        if (rest[0] == 0) {
            return false;
        }
        reduced.add(new int[] {rest[0], rest[1] ^ 1 << vectors.size()});
        vectors.add(vector);
        return true;
    }

    public boolean has(int vector) {
        return rest(vector)[0] == 0;
    }

    public int size() {
        return vectors.size();
    }

    /** The vectors, in the order in which they were added. */
    public List<Integer> vectors() {
        return List.copyOf(vectors);
    }

    /** Which of the vectors a sum is made of: bit {@code i} for the {@code i}-th. */
    public int coordinates(int sum) {
        int[] rest = rest(sum);
        if (rest[0] != 0) {
            throw new IllegalArgumentException(sum + " is no sum of " + vectors);
        }
        return rest[1];
    }

    private int[] rest(int vector) {
        int left = vector;
        int made = 0;
        for (int[] one : reduced) {
            if ((left & Integer.highestOneBit(one[0])) != 0) {
                left ^= one[0];
                made ^= one[1];
            }
        }
        return new int[] {left, made};
    }
}
