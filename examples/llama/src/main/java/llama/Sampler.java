package llama;

/**
 * Chooses a token by its logits. What it chooses for a place in a sequence depends on the logits, on this and on the
 * place alone: at place {@code p} its number is {@code u = mix(seed + (p + 1) 0x9E3779B97F4A7C15) / 2^64}, where
 * {@code mix} is the finaliser of SplitMix64, and the token is the first, by ascending numbers, up to which the
 * probabilities' sum is above {@code u}.
 *
 * @param temperature that logits are divided by; 0 takes the first of the greatest
 */
record Sampler(double temperature, long seed) {
    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    /** What is said of logits that are all NaNs. */
    static final String NO_NUMBERS = "the logits are not numbers: weights are infinite, NaNs, or too large";

    /** Takes the first token whose logit is the greatest. */
    static final Sampler GREEDY = new Sampler(0, 0);

    Sampler {
        if (!(temperature >= 0) || Double.isInfinite(temperature)) {
            throw new IllegalArgumentException("a temperature is 0 or more, got " + temperature);
        }
    }

    /**
     * The token at a place; NaNs are less than all numbers.
     *
     * @throws IllegalStateException if all logits are NaNs
     */
    int choose(float[] logits, int place) {
        int greatest = 0;
        for (int i = 1; i < logits.length; i++) {
            greatest = logits[i] > logits[greatest] || Float.isNaN(logits[greatest]) ? i : greatest;
        }
        if (Float.isNaN(logits[greatest])) {
            throw new IllegalStateException(NO_NUMBERS);
        }
        if (temperature == 0) {
            return greatest;
        }
        double[] sums = new double[logits.length];
        double sum = 0;
        for (int i = 0; i < logits.length; i++) {
            sum += Float.isNaN(logits[i]) ? 0 : StrictMath.exp((logits[i] - logits[greatest]) / temperature);
            sums[i] = sum;
        }
        double bound = number(place) * sum;
        for (int i = 0; i < sums.length; i++) {
            if (sums[i] > bound) {
                return i;
            }
        }
        return greatest;
    }

    /** At least 0 and less than 1. */
    private double number(int place) {
        return (SeededWeights.mixed(seed + (place + 1) * GOLDEN) >>> 11) * 0x1p-53;
    }
}
