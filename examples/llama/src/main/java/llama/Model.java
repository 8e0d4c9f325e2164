package llama;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;

/** A model on a device: weights, and what is made of tokens. One thread at a time uses it. */
final class Model implements AutoCloseable {
    private static final int MOST_PLANS = 64;

    /**
     * What a step may have at most.
     *
     * @param rows tokens of all sequences
     * @param asked tokens whose logits are asked for
     * @param sequences that the tokens belong to
     */
    record Limits(int rows, int asked, int sequences) { }

    /** Which logits are wanted of what is fed to a sequence. */
    enum Wanted { NONE, LAST, ALL }

    /** Tokens that are added to a sequence. */
    record Feed(Cache.Sequence sequence, int[] tokens, Wanted wanted) {
        private int asked() {
            return switch (wanted) {
                case NONE -> 0;
                case LAST -> 1;
                case ALL -> tokens.length;
            };
        }
    }

    /** What decides a plan: extents, each filled up to one of a few. */
    private record Extents(int rows, int asked, int sequences, int pages) { }

    private final Device device;
    private final Config config;
    private final Limits limits;
    private final Cache cache;
    private final ModelMemory memory;
    private final ModelCalls calls;
    private final LinkedHashMap<Extents, Device.Plan> plans = new LinkedHashMap<>(16, 0.75f, true);

    /** @param pages of the cache, of {@link Kernels#PAGE} tokens each */
    Model(Device device, Config config, Weights weights, Limits limits, int pages) {
        this.device = device;
        this.config = config;
        this.limits = limits;
        this.cache = new Cache(device, config, pages);
        this.memory = new ModelMemory(device, config, weights, limits);
        this.calls = new ModelCalls(config, Kernels.of(config, device.overlaps()), memory, cache);
    }

    Config config() {
        return config;
    }

    /** The kernels of a step. */
    List<Device.Call> calls(int rows, int asked, int sequences, int tokens) {
        return calls.of(rows, asked, sequences, Math.ceilDiv(tokens, Kernels.PAGE));
    }

    Limits limits() {
        return limits;
    }

    Cache cache() {
        return cache;
    }

    /**
     * Feeds tokens to sequences.
     *
     * @return for each feed the logits that it asks for, token by token
     */
    List<float[]> run(List<Feed> feeds) {
        int rows = feeds.stream().mapToInt(feed -> feed.tokens().length).sum();
        int asked = feeds.stream().mapToInt(Feed::asked).sum();
        require("tokens", 1, rows, limits.rows());
        require("logits", 0, asked, limits.asked());
        require("sequences", 1, feeds.size(), limits.sequences());
        feeds.forEach(feed -> Arrays.stream(feed.tokens()).forEach(this::requireToken));
        cache.extend(feeds);
        int pages = feeds.stream().mapToInt(feed -> feed.sequence().table().size()).max().orElse(0);
        Extents extents = new Extents(filled(rows, limits.rows()), filled(asked, limits.asked()),
                filled(feeds.size(), limits.sequences()), filled(pages, memory.mostPages()));
        write(feeds, extents);
        plan(extents).run();
        return logits(feeds, asked);
    }

    private static void require(String what, int least, int count, int most) {
        if (count < least || count > most) {
            throw new IllegalArgumentException("a step has " + least + " to " + most + " " + what + ", got " + count);
        }
    }

    /** The next power of two, and the most where that is more. */
    private static int filled(int count, int most) {
        return count == 0 ? 0 : Math.min(most, Integer.highestOneBit(2 * count - 1));
    }

    private Device.Plan plan(Extents extents) {
        Device.Plan plan = plans.get(extents);
        if (plan == null) {
            plan = device.plan(calls.of(extents.rows(), extents.asked(), extents.sequences(), extents.pages()));
            plans.put(extents, plan);
            if (plans.size() > MOST_PLANS) {
                plans.pollFirstEntry().getValue().close();
            }
        }
        return plan;
    }

    private void write(List<Feed> feeds, Extents extents) {
        int[] tokens = new int[extents.rows()], positions = new int[extents.rows()], owners = new int[extents.rows()];
        int[] slots = new int[extents.rows()], which = new int[extents.asked()];
        int[] table = new int[extents.sequences() * memory.mostPages()];
        Arrays.fill(slots, -1);
        int row = 0, asked = 0;
        for (int s = 0; s < feeds.size(); s++) {
            Feed feed = feeds.get(s);
            int count = feed.tokens().length, before = feed.sequence().length() - count;
            for (int i = 0; i < count; i++, row++) {
                tokens[row] = feed.tokens()[i];
                positions[row] = before + i;
                owners[row] = s;
                slots[row] = feed.sequence().slot(before + i);
                if (i >= count - feed.asked()) {
                    which[asked++] = row;
                }
            }
            for (int p = 0; p < feed.sequence().table().size(); p++) {
                table[s * memory.mostPages() + p] = feed.sequence().table().get(p);
            }
        }
        memory.tokens().write(0, MemorySegment.ofArray(tokens));
        memory.positions().write(0, MemorySegment.ofArray(positions));
        memory.owners().write(0, MemorySegment.ofArray(owners));
        memory.slots().write(0, MemorySegment.ofArray(slots));
        memory.which().write(0, MemorySegment.ofArray(which));
        memory.table().write(0, MemorySegment.ofArray(table));
    }

    private void requireToken(int token) {
        if (token < 0 || token >= config.vocabulary()) {
            throw new IllegalArgumentException("token " + token + " is not among 0 to " + (config.vocabulary() - 1));
        }
    }

    private List<float[]> logits(List<Feed> feeds, int asked) {
        float[] all = new float[asked * config.vocabulary()];
        memory.logits().read(MemorySegment.ofArray(all));
        List<float[]> each = new ArrayList<>();
        int from = 0;
        for (Feed feed : feeds) {
            int to = from + feed.asked() * config.vocabulary();
            each.add(Arrays.copyOfRange(all, from, to));
            from = to;
        }
        return each;
    }

    /** Closes its plans; the device's memory goes with the device. */
    @Override
    public void close() {
        plans.values().forEach(Device.Plan::close);
        plans.clear();
    }
}
