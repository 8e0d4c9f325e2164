package llama;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.ptx.Target;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Requests that come and go, more than there is room for at once. */
class EngineTest {
    private static final Config CONFIG = Config.preset("tiny");
    private static final int PAGES = 5;

    private final Device device = new CpuDevice(Target.SM_90A);
    private final Model model = new Model(device, CONFIG, new SeededWeights(5), new Model.Limits(24, 3, 3), PAGES);

    @AfterEach
    void close() {
        model.close();
        device.close();
    }

    private static int[] prompt(int number) {
        return new java.util.SplittableRandom(number).ints(1 + 13 * number, 0, CONFIG.vocabulary()).toArray();
    }

    private int[] alone(int number, Sampler sampler, int chunk) {
        Engine engine = new Engine(model, chunk);
        Engine.Request request = engine.submit(prompt(number), 6, sampler);
        engine.finish();
        assertEquals(PAGES, model.cache().free());
        return request.made();
    }

    @Test
    void whatFollowsAPromptDependsOnNoOther() {
        for (Sampler sampler : List.of(Sampler.GREEDY, new Sampler(0.8, 11))) {
            Engine engine = new Engine(model, 16);
            List<Engine.Request> requests = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                requests.add(engine.submit(prompt(i), 6, sampler));
                engine.step();
            }
            engine.finish();
            assertEquals(PAGES, model.cache().free(), "pages that come back");
            for (int i = 0; i < requests.size(); i++) {
                assertTrue(requests.get(i).isDone());
                assertArrayEquals(alone(i, sampler, 7), requests.get(i).made(), "request " + i);
            }
        }
    }

    /** The likeliest token by a forward pass that shares nothing with the model. */
    @Test
    void theLikeliestTokensAreThoseOfDoublePrecision() {
        int[] tokens = prompt(2);
        int[] made = alone(2, Sampler.GREEDY, 24);
        for (int token : made) {
            double[] logits = new PlainForward(CONFIG, new SeededWeights(5)).logits(tokens)[tokens.length - 1];
            double greatest = Arrays.stream(logits).max().orElseThrow();
            assertTrue(logits[token] > greatest - 0.1, () -> "token " + token + " of " + Arrays.toString(made));
            tokens = Arrays.copyOf(tokens, tokens.length + 1);
            tokens[tokens.length - 1] = token;
        }
    }

    @Test
    void whatCanNeverBeDoneIsRefused() {
        Engine engine = new Engine(model, 16);
        assertMessage("a request of 257 tokens in all is longer than the context of 256, or than the cache's 320",
                () -> engine.submit(new int[250], 7, Sampler.GREEDY));
        assertMessage("a request has at least 1 token and makes at least 1, got 0 and 7",
                () -> engine.submit(new int[0], 7, Sampler.GREEDY));
        assertMessage("a request of 2147483897 tokens in all is longer than the context of 256, or than the cache's "
                + "320", () -> engine.submit(new int[250], Integer.MAX_VALUE, Sampler.GREEDY));
        assertMessage("token 320 is not among 0 to 319", () -> engine.submit(new int[] {320}, 1, Sampler.GREEDY));
        assertMessage("token -1 is not among 0 to 319", () -> engine.submit(new int[] {1, -1}, 1, Sampler.GREEDY));
        assertFalse(engine.step(), "nothing of it is left");
        for (int pages : new int[] {-1, 0, 1 << 25}) {
            assertMessage("a cache has 1 to 33554431 pages, got " + pages, () -> new Cache(device, CONFIG, pages));
        }
    }

    /** Whether the host or the device chooses, and whether the prompt or a token that was made leads there. */
    @Test
    void logitsThatAreNotNumbersAreRefused() {
        Weights weights = (name, shape) -> {
            MemorySegment some = new SeededWeights(5).bf16(name, shape);
            return name.equals("model.norm.weight") ? some.fill((byte) 0xFF) : some;
        };
        try (Device other = new CpuDevice(Target.SM_90A);
                Model broken = new Model(other, CONFIG, weights, new Model.Limits(24, 3, 3), PAGES);
                Cache.Sequence sequence = broken.cache().open()) {
            assertNoNumbers(() -> broken.greedy(List.of(sequence), new int[] {3}, 2));
            for (Sampler sampler : List.of(Sampler.GREEDY, new Sampler(0.8, 11))) {
                Engine engine = new Engine(broken, 16);
                engine.submit(prompt(1), 6, sampler);
                assertNoNumbers(engine::finish);
            }
        }
        assertEquals(2, Sampler.GREEDY.choose(new float[] {Float.NaN, -3, 4, Float.NaN}, 0));
        assertEquals(1, new Sampler(1, 3).choose(new float[] {Float.NaN, -3, Float.NaN}, 0));
    }

    private static void assertNoNumbers(org.junit.jupiter.api.function.Executable asked) {
        assertEquals("the logits are not numbers: weights are infinite, NaNs, or too large",
                assertThrows(IllegalStateException.class, asked).getMessage());
    }

    private static void assertMessage(String message, org.junit.jupiter.api.function.Executable asked) {
        assertEquals(message, assertThrows(IllegalArgumentException.class, asked).getMessage());
    }

    /** Of two tokens of known probabilities, by the sum of Bernoulli draws. */
    @Test
    void samplesComeAsOftenAsTheirProbabilitiesSay() {
        float[] logits = {(float) Math.log(0.25), Float.NEGATIVE_INFINITY, (float) Math.log(0.75)};
        int[] counts = new int[3];
        for (int place = 0; place < 10_000; place++) {
            counts[new Sampler(1, 3).choose(logits, place)]++;
        }
        assertEquals(0, counts[1]);
        assertEquals(2500, counts[0], 4 * Math.sqrt(10_000 * 0.25 * 0.75));
        assertEquals(0, new Sampler(0, 3).choose(new float[] {2, 2, 1}, 5), "the first of the greatest");
    }
}
