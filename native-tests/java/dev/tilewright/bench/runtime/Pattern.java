package dev.tilewright.bench.runtime;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.stream.LongStream;

/**
 * The data of the race and how it is checked, word for word that of the rivals ({@code figures.hpp}): word {@code i}
 * of a seed's data, and the same plus a value.
 */
final class Pattern {
    private static final ValueLayout.OfInt WORD = ValueLayout.JAVA_INT_UNALIGNED;
    /** Words that one task fills or checks. */
    private static final long PART = 1L << 20;

    private Pattern() {
    }

    static int word(long i, int seed) {
        int x = (int) i * 0x9E3779B1 + (int) (i >>> 32) + seed;
        return x ^ (x >>> 15);
    }

    static void fill(MemorySegment words, int seed) {
        fill(words, 0, seed);
    }

    /** Fills a part of the data, whose first word has a number. */
    static void fill(MemorySegment words, long first, int seed) {
        parts(words).parallel().forEach(part -> {
            long end = Math.min(words.byteSize() / 4, (part + 1) * PART);
            for (long i = part * PART; i < end; i++) {
                words.set(WORD, i * 4, word(first + i, seed));
            }
        });
    }

    /** Throws where a word is another than the pattern's plus a value. */
    static void expect(String what, MemorySegment words, int seed, int plus) {
        long wrong = parts(words).parallel().map(part -> {
            long end = Math.min(words.byteSize() / 4, (part + 1) * PART);
            for (long i = part * PART; i < end; i++) {
                if (words.get(WORD, i * 4) != word(i, seed) + plus) {
                    return i;
                }
            }
            return Long.MAX_VALUE;
        }).min().orElse(Long.MAX_VALUE);
        if (wrong != Long.MAX_VALUE) {
            throw new IllegalStateException(what + ": word " + wrong + " of " + words.byteSize() / 4 + " is "
                    + Integer.toHexString(words.get(WORD, wrong * 4)) + ", expected "
                    + Integer.toHexString(word(wrong, seed) + plus));
        }
    }

    private static LongStream parts(MemorySegment words) {
        return LongStream.range(0, (words.byteSize() / 4 + PART - 1) / PART);
    }
}
