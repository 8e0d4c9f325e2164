package dev.tilewright.verify;

import dev.tilewright.BadRequestException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;

/**
 * The cases of a run, drawn as they are needed. They are numbered from 1, and the seed alone says what each number is:
 * how many there are, and in how many shards, changes none of them. Groups that share a kernel stay together. Safe for
 * use by several threads.
 */
public final class CaseSet {
    private final CaseKinds kinds;
    private final long seed;
    private final Shard shard;
    private final long cases;
    private final Map<Long, PlantedCase.What> plants;
    private long nextGroup;

    /** A case and its number. @param number from 1 */
    public record Numbered(long number, VerifyCase one) { }

    /**
     * @param cases how many there are in all shards together; {@link Long#MAX_VALUE} for ever more
     * @param plants what goes wrong on purpose in place of the cases with these numbers
     * @throws BadRequestException if a number is not one of theirs
     */
    public CaseSet(CaseKinds kinds, long seed, Shard shard, long cases, Map<Long, PlantedCase.What> plants) {
        this.kinds = kinds;
        this.seed = seed;
        this.shard = shard;
        this.cases = cases;
        this.plants = Map.copyOf(plants);
        this.nextGroup = shard.number() - 1L;
        plants.keySet().stream().filter(number -> number < 1 || number > cases).findFirst().ifPresent(number -> {
            throw new BadRequestException("there is no case " + number + " to plant anything at: there are " + cases);
        });
    }

    /** How many cases are this shard's. */
    public long size() {
        if (cases == Long.MAX_VALUE) {
            return cases;
        }
        long whole = cases / CaseKinds.GROUP;
        long first = shard.number() - 1L;
        long own = whole <= first ? 0 : (whole - first - 1) / shard.count() + 1;
        return own * CaseKinds.GROUP + (whole % shard.count() == first ? cases % CaseKinds.GROUP : 0);
    }

    /**
     * The next cases, drawn on several CPU threads, in lists that share a kernel; none when there are no more.
     *
     * @param groups how many to draw, at least 1
     */
    public List<List<Numbered>> next(int groups) {
        return reserve(groups).parallel().mapToObj(this::group).flatMap(List::stream).toList();
    }

    private synchronized LongStream reserve(int groups) {
        long all = cases / CaseKinds.GROUP + (cases % CaseKinds.GROUP == 0 ? 0 : 1);
        List<Long> reserved = new ArrayList<>();
        for (; reserved.size() < groups && nextGroup < all; nextGroup += shard.count()) {
            reserved.add(nextGroup);
        }
        return reserved.stream().mapToLong(Long::longValue);
    }

    /** The cases of one group, in parts; a planted case is a part of its own. */
    private List<List<Numbered>> group(long group) {
        List<? extends VerifyCase> drawn = kinds.group(seed, group);
        List<List<Numbered>> parts = new ArrayList<>();
        boolean open = false;
        for (int i = 0; i < drawn.size(); i++) {
            long number = group * CaseKinds.GROUP + i + 1;
            if (number > cases) {
                break;
            }
            PlantedCase.What planted = plants.get(number);
            if (planted != null || !open) {
                parts.add(new ArrayList<>());
            }
            parts.getLast().add(new Numbered(number, planted == null ? drawn.get(i) : new PlantedCase(planted)));
            open = planted == null;
        }
        return parts;
    }
}
