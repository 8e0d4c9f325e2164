package dev.tilewright.tile.lower.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Any two ways to hold a tile have a place in memory where no access of either has two lanes in one bank. */
class BanksTest {
    private static final int BANKS = 32;

    @Test
    void noAccessOfEitherLayoutWaitsForABank() {
        Random random = new Random(27);
        for (int i = 0; i < 400; i++) {
            int rank = 1 + random.nextInt(3);
            List<Integer> bits = IntStream.range(0, rank).mapToObj(_ -> random.nextInt(12 / rank)).toList();
            int threadBits = 5 + random.nextInt(3);
            Layout from = drawn(random, bits, threadBits);
            Layout to = drawn(random, bits, threadBits);
            int bytes = 1 << random.nextInt(4);
            Banks banks = Banks.of(from, to, bytes);
            Set<Integer> places = new HashSet<>();
            for (int r = 0; r < from.registerCount(); r++) {
                for (int thread = 0; thread < 1 << threadBits; thread++) {
                    places.add(banks.offset(place(from, r, thread)));
                }
            }
            assertEquals(banks.count(), places.size(), () -> "each element has a place: " + from + ", " + to);
            assertTrue(places.stream().allMatch(place -> place >= 0 && place < banks.count()), banks::toString);
            for (Layout layout : List.of(from, to)) {
                assertTrue(banks.side().stream().allMatch(layout.registers()::contains), banks::toString);
                assertEquals(1, most(layout, banks, bytes), () -> "of " + bytes + " bytes, " + from + ", " + to);
            }
        }
    }

    /** The most words of one bank that lanes which are served together want. */
    private static int most(Layout layout, Banks banks, int bytes) {
        int each = bytes * banks.width();
        int lanes = Math.min(32, 128 / each);
        int most = 0;
        for (int first = 0; first < 1 << layout.threads().size(); first += lanes) {
            Map<Integer, Set<Integer>> words = new HashMap<>();
            for (int lane = first; lane < first + lanes; lane++) {
                int at = banks.offset(place(layout, 0, lane)) * bytes;
                for (int word = at / 4; word < Math.ceilDiv(at + each, 4); word++) {
                    words.computeIfAbsent(word % BANKS, _ -> new HashSet<>()).add(word);
                }
            }
            most = words.values().stream().mapToInt(Set::size).reduce(most, Math::max);
        }
        return most;
    }

    private static List<Integer> place(Layout layout, int register, int thread) {
        return IntStream.of(layout.place(register, thread)).boxed().toList();
    }

    /** Bits of places to registers and threads by lot, some of them as the exclusive or of two. */
    private static Layout drawn(Random random, List<Integer> bits, int threadBits) {
        List<List<Integer>> places = new ArrayList<>();
        for (int axis = 0; axis < bits.size(); axis++) {
            for (int bit = 0; bit < bits.get(axis); bit++) {
                places.add(Layout.place(bits.size(), axis, 1 << bit));
            }
        }
        Collections.shuffle(places, random);
        for (int i = 1; i < places.size() && random.nextBoolean(); i++) {
            List<Integer> before = places.get(i - 1);
            List<Integer> own = places.get(i);
            places.set(i, IntStream.range(0, own.size()).mapToObj(axis -> own.get(axis) ^ before.get(axis)).toList());
        }
        int ofThreads = Math.min(threadBits, places.size());
        List<List<Integer>> threads = new ArrayList<>(places.subList(0, ofThreads));
        while (threads.size() < threadBits) {
            threads.add(random.nextInt(threads.size() + 1), Layout.place(bits.size(), 0, 0));
        }
        return new Layout(bits, places.subList(ofThreads, places.size()), threads);
    }
}
