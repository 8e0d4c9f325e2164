package dev.tilewright.bench.tune;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.Progress;
import dev.tilewright.bench.result.Spread;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** The search, over candidates that are numbers, with a clock that goes on only by what is measured. */
class SearchTest {
    private static final long SECOND = 1_000_000_000L;

    /** Candidates whose times are given, with noise; measuring takes the clock as long as it would a device. */
    private static final class Numbers implements Contest<Integer> {
        final double[] micros;
        final double noise;
        final Set<Integer> wrong = new HashSet<>();
        final Set<Integer> impossible = new HashSet<>();
        final List<Integer> entered = new ArrayList<>();
        final List<Integer> announced = new ArrayList<>();
        final Random random = new Random(7);
        long nanos;

        Numbers(double noise, double... micros) {
            this.noise = noise;
            this.micros = micros;
        }

        @Override
        public void announce(List<Integer> candidates) {
            announced.addAll(candidates);
        }

        @Override
        public Entry enter(Integer candidate) {
            entered.add(candidate);
            nanos += 1_000_000;
            return wrong.contains(candidate) ? Entry.WRONG
                    : impossible.contains(candidate) ? Entry.IMPOSSIBLE : Entry.READY;
        }

        @Override
        public List<Spread> measure(int turns, List<Integer> candidates) {
            assertTrue(Collections.disjoint(candidates, wrong) && Collections.disjoint(candidates, impossible));
            assertTrue(entered.containsAll(candidates));
            return candidates.stream().map(candidate -> {
                double[] samples = IntStream.range(0, turns)
                        .mapToDouble(_ -> micros[candidate] * (1 + noise * (random.nextDouble() - 0.5))).toArray();
                nanos += (long) (2e3 * Arrays.stream(samples).sum());
                return Spread.of(samples);
            }).toList();
        }

        Search.Outcome<Integer> search(double seconds) {
            return new Search<>(this, _ -> List.of(), 4, () -> nanos, () -> false)
                    .run(IntStream.range(0, micros.length).boxed().toList(), (long) (seconds * SECOND), Progress.NONE,
                    "searching");
        }
    }

    private static double[] all(int count, double micros) {
        double[] all = new double[count];
        Arrays.fill(all, micros);
        return all;
    }

    @Property(tries = 200)
    void findsThePlantedBest(@ForAll @IntRange(min = 2, max = 150) int count, @ForAll int seed) {
        Random random = new Random(seed);
        double[] micros = random.doubles(count, 105, 200).toArray();
        int best = random.nextInt(count);
        micros[best] = 95;
        Search.Outcome<Integer> found = new Numbers(0.02, micros).search(60);
        assertEquals(best, found.best());
        assertEquals(count, found.measured());
        assertTrue(found.complete());
        assertEquals(21, found.turns());
        assertEquals(micros[best], found.bestMicros().median(), 0.02 * micros[best]);
        assertEquals(micros[0], found.standingMicros().median(), 0.02 * micros[0]);
    }

    @Property(tries = 200)
    void whatStandsStaysUnlessAnotherIsFasterThanTheSpread(@ForAll @IntRange(min = 1, max = 100) int count,
            @ForAll int seed) {
        // All are within a tenth of what one varies by.
        double[] micros = new Random(seed).doubles(count, 100, 100.4).toArray();
        Search.Outcome<Integer> found = new Numbers(0.08, micros).search(60);
        assertEquals(0, found.best());
        assertEquals(found.standingMicros(), found.bestMicros());
    }

    @Property(tries = 200)
    void keepsToItsTime(@ForAll @IntRange(min = 1, max = 2000) int count,
            @ForAll @IntRange(min = 1, max = 5000) int millis, @ForAll int seed) {
        double[] micros = new Random(seed).doubles(count, 300, 900).toArray();
        Numbers numbers = new Numbers(0.02, micros);
        Search.Outcome<Integer> found = numbers.search(millis / 1e3);
        // One that was begun is ended, a group of eight too, and the last comparison has its least turns.
        double grace = 2e6 + 2 * 0.9 * (2 + 8 * 5 + 4 * 5) * 1e6;
        assertTrue(numbers.nanos <= millis * 1e6 + grace, () -> numbers.nanos / 1e6 + " ms of " + millis);
        assertEquals(found.complete(), found.measured() == count && found.complete());
        assertTrue(found.measured() >= 1 && found.turns() >= 5);
    }

    @Test
    void aSearchThatIsCutShortHasTheBestOfWhatItSaw() {
        double[] micros = all(1000, 500);
        micros[40] = 400;
        micros[900] = 100;
        Numbers numbers = new Numbers(0.01, micros);
        Search.Outcome<Integer> found = numbers.search(0.5);
        assertEquals(40, found.best());
        assertTrue(!found.complete() && found.measured() < 900, found::toString);
    }

    @Test
    void wrongBytesDropOut() {
        double[] micros = all(30, 500);
        micros[3] = 100;
        micros[4] = 50;
        micros[5] = 200;
        Numbers numbers = new Numbers(0.01, micros);
        numbers.wrong.add(3);
        numbers.impossible.add(4);
        Search.Outcome<Integer> found = numbers.search(60);
        assertEquals(5, found.best());
        assertEquals(List.of(3), found.wrong());
        assertEquals(28, found.measured());
        assertTrue(found.complete());
    }

    @Test
    void variantsOfTheBestAreTried() {
        // 100 and more are variants of a hundred less.
        double[] micros = all(200, 500);
        micros[30] = 300;
        micros[130] = 200;
        micros[160] = 100;
        Numbers numbers = new Numbers(0.01, micros);
        Search.Outcome<Integer> found = new Search<>(numbers, n -> List.of(n + 100, n), 4, () -> numbers.nanos,
                () -> false)
                .run(IntStream.range(0, 100).boxed().toList(), 60 * SECOND, Progress.NONE, "searching");
        assertEquals(130, found.best());
        assertEquals(104, found.measured());
        assertEquals(4, numbers.announced.size());
        assertEquals(numbers.announced, numbers.entered.subList(100, 104));
    }

    @Test
    void nothingIsKeptWhereWhatStandsIsWrong() {
        Numbers wrong = new Numbers(0.01, all(5, 100));
        wrong.wrong.add(0);
        assertEquals("the schedule that stands makes wrong bytes",
                assertThrows(IllegalStateException.class, () -> wrong.search(60)).getMessage());
        Numbers impossible = new Numbers(0.01, all(5, 100));
        impossible.impossible.add(0);
        assertEquals("the schedule that stands cannot be measured",
                assertThrows(IllegalStateException.class, () -> impossible.search(60)).getMessage());
    }

    @Test
    void aStopLeavesTheBestSoFar() {
        double[] micros = all(100, 500);
        micros[10] = 300;
        micros[90] = 100;
        Numbers numbers = new Numbers(0.01, micros);
        Search.Outcome<Integer> found = new Search<>(numbers, _ -> List.of(), 4, () -> numbers.nanos,
                () -> numbers.entered.size() >= 50)
                .run(IntStream.range(0, 100).boxed().toList(), 600 * SECOND, Progress.NONE, "searching");
        assertEquals(10, found.best());
        assertEquals(50, numbers.entered.size());
        assertEquals(5, found.turns());
        assertTrue(!found.complete());
    }

    @Test
    void progressGoesFromNothingToAll() {
        List<Long> done = new ArrayList<>();
        Numbers numbers = new Numbers(0.01, all(20, 100));
        new Search<>(numbers, _ -> List.of(), 4, () -> numbers.nanos, () -> false)
                .run(IntStream.range(0, 20).boxed().toList(), SECOND, (what, at, total) -> {
            if (what.equals("searching")) {
                assertEquals(19, total);
                done.add(at);
            }
        }, "searching");
        assertEquals(0, done.getFirst());
        assertEquals(19, done.getLast());
        assertEquals(done.stream().sorted().toList(), done);
    }
}
