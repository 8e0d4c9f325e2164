package dev.tilewright.gputest.tile;

import dev.tilewright.bench.device.TileArrays;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;

/** Numbers of rows and of pages for the kernels that read by them, which no distribution gives. */
final class IndexedContents {
    /** Keys of a page. */
    private static final int PAGE = 16;

    private IndexedContents() {
    }

    static boolean has(RaceSubject subject) {
        return isEmbedding(subject) || subject.preset().name().equals("attention-paged");
    }

    private static boolean isEmbedding(RaceSubject subject) {
        return subject.preset().name().startsWith("embedding");
    }

    /** Fills what numbers others. */
    static void fill(TileArrays arrays, RaceSubject subject, long seed) {
        Map<String, Long> extents = subject.extents();
        Random random = new Random(seed);
        if (isEmbedding(subject)) {
            // A row of each number of the table, at random.
            int vocabulary = Math.toIntExact(extents.get("vocabulary"));
            upload(arrays, "rows", random.ints(extents.get("tokens"), 0, vocabulary).boxed().toList());
        } else if (subject.preset().name().equals("attention-paged")) {
            // All pages, in any order, and members that use all of theirs.
            int members = Math.toIntExact(extents.get("batch"));
            int slots = Math.toIntExact(extents.get("slots"));
            List<Integer> order = new ArrayList<>(IntStream.range(0, members * slots).boxed().toList());
            Collections.shuffle(order, random);
            upload(arrays, "table", order);
            upload(arrays, "lengths", Collections.nCopies(members, slots * PAGE));
        }
    }

    private static void upload(TileArrays arrays, String tensor, List<Integer> numbers) {
        ByteBuffer bytes = ByteBuffer.allocate(Integer.BYTES * numbers.size()).order(ByteOrder.LITTLE_ENDIAN);
        numbers.forEach(bytes::putInt);
        for (int set = 0; set < arrays.sets(); set++) {
            arrays.array(set, tensor).slice(0, bytes.capacity()).upload(bytes.array());
        }
    }
}
