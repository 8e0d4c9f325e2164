package llama;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.gpu.Gpu;
import dev.tilewright.ptx.Target;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import llama.Model.Feed;
import llama.Model.Wanted;
import org.junit.jupiter.api.Test;

/** A prompt's logits: the same bytes in any company, in any chunks, and on any device; and the right numbers. */
class ModelTest {
    private static final Config CONFIG = Config.preset("tiny");
    private static final Weights WEIGHTS = new SeededWeights(28);
    private static final int OTHERS = 31;
    /** Longer than a page of the cache. */
    private static final int LENGTH = 70;

    private final SplittableRandom random = new SplittableRandom(3);
    private final int[] prompt = tokens(LENGTH);

    private int[] tokens(int count) {
        return random.ints(count, 0, CONFIG.vocabulary()).toArray();
    }

    private static Model model(Device device) {
        return new Model(device, CONFIG, WEIGHTS, new Model.Limits(128, 128, OTHERS + 1), 40);
    }

    /** All of them at once, by a model without other sequences. */
    private float[] alone(Model model) {
        try (Cache.Sequence sequence = model.cache().open()) {
            return model.run(List.of(new Feed(sequence, prompt, Wanted.ALL))).getFirst();
        }
    }

    /** Chunk by chunk, while others come, grow by a token or more, and go. */
    private float[] among(Model model) {
        List<Cache.Sequence> others = new ArrayList<>();
        int[] ends = {1, 6, 7, 40, 69, LENGTH};
        float[] logits = new float[0];
        try (Cache.Sequence sequence = model.cache().open()) {
            for (int chunk = 0, from = 0; chunk < ends.length; from = ends[chunk++]) {
                List<Feed> feeds = new ArrayList<>();
                for (int i = 0; i < OTHERS; i++) {
                    if (others.size() <= i) {
                        others.add(model.cache().open());
                    } else if (random.nextInt(4) == 0) {
                        others.get(i).close();
                        others.set(i, model.cache().open());
                    }
                    feeds.add(new Feed(others.get(i), tokens(random.nextInt(1, 4)), Wanted.NONE));
                }
                int place = random.nextInt(OTHERS + 1);
                feeds.add(place, new Feed(sequence, Arrays.copyOfRange(prompt, from, ends[chunk]), Wanted.ALL));
                float[] more = model.run(feeds).get(place);
                int before = logits.length;
                logits = Arrays.copyOf(logits, before + more.length);
                System.arraycopy(more, 0, logits, before, more.length);
            }
        }
        others.forEach(Cache.Sequence::close);
        return logits;
    }

    @Test
    void theBytesAreTheSameInAnyCompanyInAnyChunksAndOnAnyDevice() {
        try (Gpu gpu = Gpu.openOrEmulated(System.err::println); Device onGpu = new GpuDevice(gpu);
                Device onCpu = new CpuDevice(gpu.target()); Model there = model(onGpu); Model here = model(onCpu)) {
            float[] expected = alone(here);
            assertEquals(LENGTH * CONFIG.vocabulary(), expected.length);
            assertSameBits(expected, among(here));
            assertSameBits(expected, alone(there));
            assertSameBits(expected, among(there));
            assertEquals(40, there.cache().free(), "pages that come back");
        }
    }

    /** The device goes from token to token, or the host asks for the logits of each: the same tokens. */
    @Test
    void theDevicesOwnStepsMakeTheHostsTokens() {
        int steps = 3;
        // The third step of the second one begins a page of the cache, of 64 tokens.
        List<int[]> prompts = List.of(new int[] {3}, Arrays.copyOf(prompt, 63), new int[] {7, 300, 1});
        try (Gpu gpu = Gpu.openOrEmulated(System.err::println); Device onGpu = new GpuDevice(gpu);
                Device onCpu = new CpuDevice(gpu.target()); Model there = model(onGpu); Model here = model(onCpu)) {
            List<int[]> expected = prompts.stream().map(each -> byTheHost(here, each, steps)).toList();
            for (Model model : List.of(here, there)) {
                List<Cache.Sequence> sequences = prompts.stream().map(_ -> model.cache().open()).toList();
                for (int i = 0; i < prompts.size(); i++) {
                    int[] all = prompts.get(i);
                    if (all.length > 1) {
                        model.run(List.of(new Feed(sequences.get(i), Arrays.copyOf(all, all.length - 1),
                                Wanted.NONE)));
                    }
                }
                List<int[]> made = model.greedy(sequences, prompts.stream().mapToInt(all -> all[all.length - 1])
                        .toArray(), steps);
                sequences.forEach(Cache.Sequence::close);
                for (int i = 0; i < prompts.size(); i++) {
                    assertArrayEquals(expected.get(i), made.get(i), "prompt " + i);
                }
            }
        }
    }

    private static int[] byTheHost(Model model, int[] prompt, int steps) {
        int[] made = new int[steps];
        try (Cache.Sequence sequence = model.cache().open()) {
            int[] tokens = prompt;
            for (int i = 0; i < steps; i++) {
                made[i] = Sampler.GREEDY.choose(model.run(List.of(new Feed(sequence, tokens, Wanted.LAST)))
                        .getFirst(), i);
                tokens = new int[] {made[i]};
            }
        }
        return made;
    }

    private static void assertSameBits(float[] expected, float[] actual) {
        assertArrayEquals(bits(expected), bits(actual));
    }

    private static int[] bits(float... numbers) {
        return IntStream.range(0, numbers.length).map(i -> Float.floatToRawIntBits(numbers[i])).toArray();
    }

    /** In bf16 a number keeps 8 bits; the bound is twice what was seen, 0.0088. */
    @Test
    void doublePrecisionHasTheSameLogitsButForRounding() {
        float[] logits;
        try (Device device = new CpuDevice(Target.SM_90A); Model model = model(device)) {
            logits = alone(model);
        }
        double[][] plain = new PlainForward(CONFIG, WEIGHTS).logits(prompt);
        double squares = 0, differences = 0;
        for (int t = 0; t < LENGTH; t++) {
            for (int i = 0; i < CONFIG.vocabulary(); i++) {
                squares += plain[t][i] * plain[t][i];
                differences += Math.pow(plain[t][i] - logits[t * CONFIG.vocabulary() + i], 2);
            }
        }
        double error = Math.sqrt(differences / squares);
        assertTrue(error < 0.02, () -> "relative error " + error);
    }
}
