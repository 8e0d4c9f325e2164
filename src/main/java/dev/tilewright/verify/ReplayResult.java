package dev.tilewright.verify;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What came of replaying recordings.
 *
 * @param replayed rows that were run: agreed plus disagreed
 * @param agreed rows of which every recorded number came out the same
 * @param disagreed rows of which one did not
 * @param skipped rows of kinds that are not replayed yet
 * @param skippedByKind how many of each such kind
 * @param firstDisagreements one line for each of the first few rows that disagree
 */
public record ReplayResult(int replayed, int agreed, int disagreed, int skipped,
        SortedMap<String, Integer> skippedByKind, List<String> firstDisagreements) {

    /** Disagreements that are named; the others are only counted. */
    public static final int MOST_LINES = 20;

    public ReplayResult {
        skippedByKind = Collections.unmodifiableSortedMap(new TreeMap<>(skippedByKind));
        firstDisagreements = List.copyOf(firstDisagreements);
    }

    /** Counts rows one by one. */
    static final class Counter {
        private int agreed;
        private int disagreed;
        private int skipped;
        private final SortedMap<String, Integer> skippedByKind = new TreeMap<>();
        private final List<String> lines = new ArrayList<>();

        void agreed() {
            agreed++;
        }

        void disagreed(String line) {
            disagreed++;
            if (lines.size() < MOST_LINES) {
                lines.add(line);
            }
        }

        void skipped(String kind) {
            skipped++;
            skippedByKind.merge(kind, 1, Integer::sum);
        }

        ReplayResult result() {
            return new ReplayResult(agreed + disagreed, agreed, disagreed, skipped, skippedByKind, lines);
        }
    }
}
