package llama;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Keys and values of all sequences, in pages of {@link PagedAttention#PAGE} tokens that sequences take as they grow and
 * give back when they are closed.
 */
final class Cache {
    private final int pages;
    private final int context;
    private final List<Device.Memory> keys;
    private final List<Device.Memory> values;
    private final Deque<Integer> free = new ArrayDeque<>();

    /** @param pages of all sequences together */
    Cache(Device device, Config config, int pages) {
        int most = Integer.MAX_VALUE / PagedAttention.PAGE;
        if (pages < 1 || pages > most) {
            throw new IllegalArgumentException("a cache has 1 to " + most + " pages, got " + pages);
        }
        this.pages = pages;
        this.context = config.context();
        long bytes = 2L * slots() * config.keyHeads() * config.headWidth();
        this.keys = IntStream.range(0, config.layers()).mapToObj(_ -> device.allocate(bytes)).toList();
        this.values = IntStream.range(0, config.layers()).mapToObj(_ -> device.allocate(bytes)).toList();
        IntStream.range(0, pages).forEach(free::add);
    }

    /** Tokens whose keys and values it has room for. */
    int slots() {
        return pages * PagedAttention.PAGE;
    }

    /** Keys of a layer: slots by key heads by their width. */
    Device.Memory keys(int layer) {
        return keys.get(layer);
    }

    /** Values of a layer. */
    Device.Memory values(int layer) {
        return values.get(layer);
    }

    /** Pages of all sequences together. */
    int pages() {
        return pages;
    }

    /** Pages that no sequence has. */
    int free() {
        return free.size();
    }

    /** A sequence without tokens. */
    Sequence open() {
        return new Sequence();
    }

    /**
     * Makes room for what is fed to sequences, each at most once; or leaves all as they are.
     *
     * @throws IllegalStateException if too few pages are left, or a sequence is closed
     * @throws IllegalArgumentException if one had more tokens than the model has positions, or is fed twice
     */
    void extend(List<Model.Feed> feeds) {
        if (feeds.stream().map(Model.Feed::sequence).distinct().count() < feeds.size()) {
            throw new IllegalArgumentException("a step feeds a sequence once");
        }
        int missing = feeds.stream().mapToInt(feed -> feed.sequence().missing(feed.tokens().length)).sum();
        if (missing > free.size()) {
            throw new IllegalStateException("a step needs " + missing + " pages more, and of " + pages + " "
                    + free.size() + " are free");
        }
        feeds.forEach(feed -> feed.sequence().extend(feed.tokens().length));
    }

    /** Tokens that follow each other, and the pages that their keys and values are in. */
    final class Sequence implements AutoCloseable {
        private final List<Integer> table = new ArrayList<>();
        private int length;
        private boolean closed;

        private Sequence() {
        }

        /** How many tokens it has. */
        int length() {
            return length;
        }

        /** Pages, in the order of its tokens. */
        List<Integer> table() {
            return table;
        }

        private int missing(int tokens) {
            if (closed) {
                throw new IllegalStateException("a sequence is closed");
            }
            if (length + tokens > context) {
                throw new IllegalArgumentException("a sequence of " + length + " tokens and " + tokens
                        + " more is longer than the model's context of " + context);
            }
            return Math.ceilDiv(length + tokens, PagedAttention.PAGE) - table.size();
        }

        private void extend(int tokens) {
            for (int missing = missing(tokens); missing > 0; missing--) {
                table.add(free.remove());
            }
            length += tokens;
        }

        /** Where the cache has a token. */
        int slot(int position) {
            return table.get(position / PagedAttention.PAGE) * PagedAttention.PAGE + position % PagedAttention.PAGE;
        }

        /** Gives its pages back. */
        @Override
        public void close() {
            if (!closed) {
                closed = true;
                free.addAll(table);
                table.clear();
            }
        }
    }
}
