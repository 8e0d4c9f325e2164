package dev.tilewright.verify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.BadRequestException;
import dev.tilewright.verify.CaseSet.Numbered;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.LongStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The cases of a run and of its shards: the seed and the number alone say what a case is. */
public class CaseSetTest {

    /** A case that is a number. */
    public record NumberCase(long kernel, long number) implements VerifyCase {
        @Override
        public CaseLine line() {
            return new CaseLine("number").with("kernel", kernel).with("n", number);
        }

        @Override
        public boolean sharesKernelWith(VerifyCase other) {
            return other instanceof NumberCase same && same.kernel == kernel;
        }

        @Override
        public CaseWork work() {
            throw new UnsupportedOperationException();
        }
    }

    /** Draws such. */
    public record NumberKind() implements CaseKind {
        @Override
        public String name() {
            return "number";
        }

        @Override
        public VerifyCase parse(CaseLine line) {
            return new NumberCase(line.read().number("kernel"), line.read().number("n"));
        }

        @Override
        public List<NumberCase> draw(SplittableRandom random, int count) {
            long kernel = random.nextLong();
            return LongStream.range(0, count).mapToObj(_ -> new NumberCase(kernel, random.nextLong())).toList();
        }
    }

    private static final CaseKinds KINDS = new CaseKinds(List.of(new NumberKind()));

    private static Map<Long, VerifyCase> all(CaseSet set, int atOnce) {
        Map<Long, VerifyCase> all = new TreeMap<>();
        for (List<List<Numbered>> next = set.next(atOnce); !next.isEmpty(); next = set.next(atOnce)) {
            for (List<Numbered> group : next) {
                for (Numbered numbered : group) {
                    assertTrue(numbered.one().sharesKernelWith(group.getFirst().one()), group::toString);
                    assertEquals(Optional.empty(), Optional.ofNullable(all.put(numbered.number(), numbered.one())),
                            "twice");
                }
            }
        }
        return all;
    }

    private static CaseSet set(long seed, Shard shard, long cases) {
        return new CaseSet(KINDS, seed, shard, cases, Map.of());
    }

    @Property(tries = 200)
    void shardsAreDisjointAndCompleteHoweverManyThereAre(@ForAll long seed, @ForAll @IntRange(max = 200) int cases,
            @ForAll @IntRange(min = 1, max = 20) int shards, @ForAll @IntRange(min = 1, max = 9) int atOnce) {
        Map<Long, VerifyCase> whole = all(set(seed, Shard.ALL, cases), 1);
        assertEquals(LongStream.rangeClosed(1, cases).boxed().toList(), List.copyOf(whole.keySet()));
        Map<Long, VerifyCase> together = new TreeMap<>();
        for (int i = 1; i <= shards; i++) {
            CaseSet part = set(seed, new Shard(i, shards), cases);
            long size = part.size();
            Map<Long, VerifyCase> own = all(part, atOnce);
            assertEquals(size, own.size(), "shard " + i + " of " + shards);
            own.forEach((number, one) -> assertEquals(Optional.empty(), Optional.ofNullable(together.put(number, one)),
                    "in two shards"));
        }
        assertEquals(whole, together);
    }

    @Property(tries = 100)
    void fewerCasesAreTheFirstOfMore(@ForAll long seed, @ForAll @IntRange(max = 50) int few,
            @ForAll @IntRange(max = 50) int more) {
        List<VerifyCase> first = List.copyOf(all(set(seed, Shard.ALL, few), 3).values());
        assertEquals(List.copyOf(all(set(seed, Shard.ALL, few + more), 5).values()).subList(0, few), first);
    }

    @Property(tries = 100)
    void aPlantStandsInItsCasesPlaceAndAlone(@ForAll long seed, @ForAll @IntRange(min = 1, max = 60) int at,
            @ForAll @IntRange(min = 1, max = 60) int other) {
        Map<Long, PlantedCase.What> plants = new TreeMap<>(Map.of((long) at, PlantedCase.What.HANG));
        plants.put((long) other, PlantedCase.What.FAULT);
        Map<Long, VerifyCase> planted = all(new CaseSet(KINDS, seed, Shard.ALL, 60, plants), 4);
        Map<Long, VerifyCase> expected = new TreeMap<>(all(set(seed, Shard.ALL, 60), 4));
        plants.forEach((number, what) -> expected.put(number, new PlantedCase(what)));
        assertEquals(expected, planted);
    }

    @Test
    void thereAreAlwaysMoreWithoutANumber() {
        CaseSet set = set(1, new Shard(2, 3), Long.MAX_VALUE);
        assertEquals(Long.MAX_VALUE, set.size());
        List<Long> numbers = new ArrayList<>();
        set.next(2).forEach(group -> group.forEach(numbered -> numbers.add(numbered.number())));
        int group = CaseKinds.GROUP;
        assertEquals(LongStream.concat(LongStream.rangeClosed(group + 1, 2 * group),
                LongStream.rangeClosed(4 * group + 1, 5 * group)).boxed()
                .toList(), numbers);
    }

    @Test
    void plantsAreAmongTheCases() {
        for (long number : new long[] {0, 11}) {
            assertEquals("there is no case " + number + " to plant anything at: there are 10",
                    assertThrows(BadRequestException.class,
                    () -> new CaseSet(KINDS, 1, Shard.ALL, 10, Map.of(number, PlantedCase.What.HANG))).getMessage());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1", "0/1", "2/1", "1/0", "-1/2", "1/2/3", "a/b", "1/9999999999", "1 / 2"})
    void whatIsNoShard(String text) {
        assertTrue(assertThrows(BadRequestException.class, () -> Shard.parse(text)).getMessage()
                .startsWith("a shard is N/M with N from 1 to M, such as 2/8, got "));
    }

    @Property
    void aShardIsReadAsItIsWritten(@ForAll @IntRange(min = 1, max = 999_999_999) int a,
            @ForAll @IntRange(min = 1, max = 999_999_999) int b) {
        Shard shard = new Shard(Math.min(a, b), Math.max(a, b));
        assertEquals(shard, Shard.parse(shard.toString()));
    }
}
