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
    private record Extents(int rows, int asked, int sequences, int pages, boolean greedy) { }

    private final Device device;
    private final Config config;
    private final Limits limits;
    private final Cache cache;
    private final ModelMemory memory;
    private final ModelCalls calls;
    private final LinkedHashMap<Extents, Device.Plan> plans = new LinkedHashMap<>(16, 0.75f, true);

    /** @param pages of the cache, of {@link PagedAttention#PAGE} tokens each */
    Model(Device device, Config config, Weights weights, Limits limits, int pages) {
        this.device = device;
        this.config = config;
        this.limits = limits;
        this.cache = new Cache(device, config, pages);
        this.memory = new ModelMemory(device, config, weights, limits);
        this.calls = new ModelCalls(config, Kernels.of(config, device.target()), memory, cache);
    }

    Config config() {
        return config;
    }

    /** The kernels of a step of {@link #greedy}. @param tokens of the longest sequence */
    List<Device.Call> greedyCalls(int rows, int tokens) {
        return calls.greedy(rows, Math.ceilDiv(tokens, PagedAttention.PAGE));
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
        feeds.forEach(feed -> requireTokens(feed.tokens()));
        cache.extend(feeds);
        int pages = feeds.stream().mapToInt(feed -> feed.sequence().table().size()).max().orElse(0);
        Extents extents = new Extents(filled(rows, limits.rows()), filled(asked, limits.asked()),
                filled(feeds.size(), limits.sequences()), finely(pages, memory.mostPages()), false);
        write(feeds, extents);
        plan(extents).run(1);
        return logits(feeds, asked);
    }

    /**
     * Feeds each sequence a token, then the likeliest after it, and so on: the device waits for the host once.
     *
     * @param tokens the first of each sequence
     * @param steps how many are made
     * @return for each sequence the tokens that are made, of which the last is not fed
     * @throws IllegalStateException if logits are not numbers, so that none is the greatest
     */
    List<int[]> greedy(List<Cache.Sequence> sequences, int[] tokens, int steps) {
        int count = sequences.size();
        require("sequences", 1, count, Math.min(limits.rows(), Math.min(limits.asked(), limits.sequences())));
        require("steps", 1, steps, config.context());
        requireTokens(tokens);
        List<Feed> feeds = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            feeds.add(new Feed(sequences.get(i), new int[steps], Wanted.LAST));
        }
        cache.extend(feeds);
        int pages = sequences.stream().mapToInt(sequence -> sequence.table().size()).max().orElseThrow();
        int rows = filled(count, Math.min(limits.asked(), limits.sequences()));
        Extents extents = new Extents(rows, rows, rows, finely(pages, memory.mostPages()), true);
        writeTokens(sequences, tokens, steps, extents);
        plan(extents).run(steps);
        List<int[]> made = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int[] after = new int[steps];
            int first = sequences.get(i).length() - steps + 1;
            memory.made().read(4L * ((long) i * config.context() + first), MemorySegment.ofArray(after));
            requireNumbers(after);
            made.add(after);
        }
        return made;
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

    /** The next multiple of a quarter of the greatest power of two that is no more, and the most where that is more. */
    private static int finely(int count, int most) {
        int part = Math.max(1, Integer.highestOneBit(count) / 4);
        return Math.min(most, Math.ceilDiv(count, part) * part);
    }

    private Device.Plan plan(Extents extents) {
        Device.Plan plan = plans.get(extents);
        if (plan == null) {
            plan = device.plan(extents.greedy() ? calls.greedy(extents.rows(), extents.pages())
                    : calls.of(extents.rows(), extents.asked(), extents.sequences(), extents.pages()));
            plans.put(extents, plan);
            if (plans.size() > MOST_PLANS) {
                plans.pollFirstEntry().getValue().close();
            }
        }
        return plan;
    }

    private void write(List<Feed> feeds, Extents extents) {
        StepInput input = new StepInput(extents.rows(), extents.asked(), extents.sequences(), memory.mostPages());
        for (Feed feed : feeds) {
            int count = feed.tokens().length;
            int owner = input.add(feed.sequence());
            for (int i = 0; i < count; i++) {
                input.add(owner, feed.tokens()[i], feed.sequence().length() - count + i, i >= count - feed.asked());
            }
        }
        input.write(memory);
    }

    private void writeTokens(List<Cache.Sequence> sequences, int[] tokens, int steps, Extents extents) {
        StepInput input = new StepInput(extents.rows(), extents.asked(), extents.sequences(), memory.mostPages());
        for (int i = 0; i < tokens.length; i++) {
            input.add(input.add(sequences.get(i)), tokens[i], sequences.get(i).length() - steps, true);
        }
        input.write(memory);
    }

    /** Refuses tokens that the vocabulary lacks. */
    void requireTokens(int... tokens) {
        for (int token : tokens) {
            if (token < 0 || token >= config.vocabulary()) {
                throw new IllegalArgumentException("token " + token + " is not among 0 to "
                        + (config.vocabulary() - 1));
            }
        }
    }

    /** Where all logits are NaNs, the greatest is found behind the last of them. */
    private void requireNumbers(int... made) {
        if (Arrays.stream(made).anyMatch(token -> token >= config.vocabulary())) {
            throw new IllegalStateException(Sampler.NO_NUMBERS);
        }
    }

    private List<float[]> logits(List<Feed> feeds, int asked) {
        float[] all = new float[asked * config.vocabulary()];
        memory.logits().read(0, MemorySegment.ofArray(all));
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
