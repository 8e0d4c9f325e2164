package dev.tilewright.tile.drawn;

import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** What is drawn at random, the same for the same seed. */
final class Draw {
    private final long seed;
    private final RandomGenerator random;

    Draw(long seed) {
        this.seed = seed;
        random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
    }

    /** How a loop goes along a dimension, drawn beside what is drawn here. */
    Along along(int block) {
        return new Along(seed, block);
    }

    /** As {@link #along(int)}, where each block of both factors begins at a multiple of 16 bytes of a row. */
    Along alongBoxes(int block, int bytes) {
        return LongStream.iterate(seed, other -> other + (1L << 32)).mapToObj(other -> new Along(other, block))
                .filter(along -> along.aligned(bytes) && along.othersAligned(bytes)).findFirst().orElseThrow();
    }

    /** How far rows or columns of boxes are moved, drawn beside the rest, as there. */
    Moved movedBoxes(int block, boolean rows) {
        return Moved.ofBoxes(seed, block, rows);
    }

    /** How far places are moved, drawn beside what is drawn here. @param block elements of a span */
    Moved moved(int block) {
        return Moved.of(seed, block);
    }

    /** From 0 on, less than a bound. */
    int below(int bound) {
        return random.nextInt(bound);
    }

    /** From one number to another, both possible. */
    int between(int least, int most) {
        return random.nextInt(least, most + 1);
    }

    /** Once in so many times. */
    boolean once(int in) {
        return random.nextInt(in) == 0;
    }

    <T> T any(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }

    @SafeVarargs
    final <T> T any(T... choices) {
        return choices[random.nextInt(choices.length)];
    }

    /** The numbers from 0 to less than this one, in any order. */
    List<Integer> order(int count) {
        List<Integer> order = new ArrayList<>(IntStream.range(0, count).boxed().toList());
        Collections.shuffle(order, random);
        return order;
    }

    /** Of a tile: one in three a power of two. */
    int extent(int most) {
        return once(3) ? 1 << below(Integer.SIZE - Integer.numberOfLeadingZeros(most)) : between(1, most);
    }

    double number() {
        return random.nextGaussian();
    }

    /** An element: as a rule an ordinary number, sometimes any bits. */
    long word(ValueType type) {
        if (!type.isFloat() || once(12)) {
            return type.word(once(3) ? random.nextLong() : between(-9, 9));
        }
        return ((Value.Const) Value.of(type, random.nextGaussian())).word();
    }
}
