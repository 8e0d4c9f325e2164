package dev.tilewright.verify.draw;

import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Numbers below a bound in an order that a seed decides, again and again in another one: every number comes equally
 * often.
 */
final class Deck {
    private record Round(long seed, long round) { }

    private final int size;
    private final ConcurrentMap<Round, int[]> orders = new ConcurrentHashMap<>();

    Deck(int size) {
        this.size = size;
    }

    /** The number at a place, from 0 on. */
    int at(long seed, long place) {
        Round round = new Round(seed, place / size);
        if (orders.size() > 8) {
            orders.clear();
        }
        return orders.computeIfAbsent(round, this::shuffled)[(int) (place % size)];
    }

    private int[] shuffled(Round round) {
        SplittableRandom random = new SplittableRandom(round.seed * 0x9E3779B97F4A7C15L + round.round);
        int[] order = new int[size];
        for (int i = 0; i < size; i++) {
            int j = random.nextInt(i + 1);
            order[i] = order[j];
            order[j] = i;
        }
        return order;
    }
}
