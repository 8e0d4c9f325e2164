package dev.tilewright.verify;

import java.util.Locale;
import java.util.Random;
import java.util.stream.IntStream;

/** In what company places of a batch come again. */
public enum Company {
    /** Some of them, one as a rule, and nothing else. */
    ALONE {
        @Override
        int[] places(int count, int wanted, Random random) {
            return shuffled(count, random).limit(wanted).sorted().toArray();
        }
    },
    /** In another order, all of them as a rule. */
    OTHER_ORDER {
        @Override
        int[] places(int count, int wanted, Random random) {
            return shuffled(count, random).limit(wanted).toArray();
        }
    },
    /** Among others: every other one is new. */
    AMONG_OTHERS {
        @Override
        int[] places(int count, int wanted, Random random) {
            return IntStream.range(0, wanted).map(i -> i % 2 == 0 ? random.nextInt(count) : -1).toArray();
        }
    };

    /**
     * The number of the place that each one is, or -1 of a new one.
     *
     * @param count of places there are
     * @param wanted of places there are in the other launch, at most as many where none is new
     */
    abstract int[] places(int count, int wanted, Random random);

    private static IntStream shuffled(int count, Random random) {
        int[] places = IntStream.range(0, count).toArray();
        for (int i = count - 1; i > 0; i--) {
            int j = random.nextInt(i + 1);
            int other = places[i];
            places[i] = places[j];
            places[j] = other;
        }
        return IntStream.of(places);
    }

    /** {@code among-others}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
