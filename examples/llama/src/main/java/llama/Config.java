package llama;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Optional;

/**
 * What a model consists of, by the names of Hugging Face's {@code config.json}.
 *
 * @param vocabulary tokens that there are
 * @param width of a token's row between layers
 * @param layers of attention and feed-forward each
 * @param heads of queries
 * @param keyHeads of keys and values: a divisor of {@code heads}
 * @param headWidth elements of a head: a multiple of 16
 * @param inner width of the feed-forward part
 * @param context most tokens of a sequence
 * @param epsilon of RMS norms
 * @param theta base of the rotary frequencies
 * @param scaling of these for longer contexts, as Llama 3 has it
 * @param tied whether the logits' matrix is that of the embeddings
 */
record Config(int vocabulary, int width, int layers, int heads, int keyHeads, int headWidth, int inner, int context,
        double epsilon, double theta, Optional<Scaling> scaling, boolean tied) {

    /** How rotary frequencies are stretched: those of wave lengths above {@code context / low} by {@code factor}. */
    record Scaling(double factor, double low, double high, int context) {
        Scaling {
            if (!(factor > 0) || Double.isInfinite(factor)) {
                throw new IllegalArgumentException("rope_scaling's factor must be above 0, got " + factor);
            }
            if (!(low < high)) {
                throw new IllegalArgumentException("low_freq_factor must be less than high_freq_factor, got " + low
                        + " and " + high);
            }
            requirePositive("original_max_position_embeddings", context);
        }
    }

    /** What {@link #preset} has. */
    static final List<String> PRESETS = List.of("tiny", "1b");

    private static final int MULTIPLE = 16;

    Config {
        requirePositive("vocab_size", vocabulary);
        requirePositive("hidden_size", width);
        requirePositive("num_hidden_layers", layers);
        requirePositive("num_attention_heads", heads);
        requirePositive("num_key_value_heads", keyHeads);
        requirePositive("head_dim", headWidth);
        requirePositive("intermediate_size", inner);
        requirePositive("max_position_embeddings", context);
        if (heads % keyHeads != 0) {
            throw new IllegalArgumentException(heads + " heads do not share " + keyHeads + " key heads evenly");
        }
        if (headWidth % MULTIPLE != 0 || width % MULTIPLE != 0 || inner % MULTIPLE != 0) {
            throw new IllegalArgumentException("head_dim, hidden_size and intermediate_size must be multiples of "
                    + MULTIPLE + ", got " + headWidth + ", " + width + " and " + inner);
        }
        if ((heads + 2L * keyHeads) * headWidth > Integer.MAX_VALUE) {
            throw new IllegalArgumentException(heads + " heads and twice " + keyHeads + " key heads of " + headWidth
                    + " make rows of more than " + Integer.MAX_VALUE + " elements");
        }
        int part = Math.max(8 * Kernels.PARTS, Kernels.GATED);
        if (width % part != 0 || heads * headWidth % part != 0 || inner % part != 0) {
            throw new IllegalArgumentException("hidden_size, all heads together, and intermediate_size must be "
                    + "multiples of " + part + ", got " + width + ", " + heads * headWidth + " and " + inner);
        }
        if (!(epsilon > 0) || !(theta > 0)) {
            throw new IllegalArgumentException("rms_norm_eps and rope_theta must be above 0, got " + epsilon + " and "
                    + theta);
        }
    }

    private static void requirePositive(String name, int value) {
        if (value < 1) {
            throw new IllegalArgumentException(name + " must be at least 1, got " + value);
        }
    }

    /** {@code tiny}, for tests, or {@code 1b}: the shape of Llama 3.2 1B. */
    static Config preset(String name) {
        return switch (name) {
            case "tiny" -> new Config(320, 64, 2, 4, 2, 16, 96, 256, 1e-5, 10_000, Optional.empty(), true);
            case "1b" -> new Config(128_256, 2048, 16, 32, 8, 64, 8192, 131_072, 1e-5, 500_000,
                    Optional.of(new Scaling(32, 1, 4, 8192)), true);
            default -> throw new IllegalArgumentException("there is no preset " + name + ": tiny or 1b");
        };
    }

    /** Of a {@code config.json}. */
    static Config of(JsonNode json) {
        if (!json.path("hidden_act").asText("silu").equals("silu")) {
            throw new IllegalArgumentException("hidden_act is " + json.get("hidden_act") + ", and only silu is there");
        }
        for (String bias : new String[] {"attention_bias", "mlp_bias"}) {
            if (json.path(bias).asBoolean(false)) {
                throw new IllegalArgumentException(bias + " is true, and there are no biases here");
            }
        }
        int width = integer(json, "hidden_size");
        int heads = integer(json, "num_attention_heads");
        return new Config(integer(json, "vocab_size"), width, integer(json, "num_hidden_layers"), heads,
                json.hasNonNull("num_key_value_heads") ? integer(json, "num_key_value_heads") : heads,
                json.hasNonNull("head_dim") ? integer(json, "head_dim") : width / Math.max(1, heads),
                integer(json, "intermediate_size"), integer(json, "max_position_embeddings"),
                number(json, "rms_norm_eps", 1e-6), number(json, "rope_theta", 10_000),
                scaling(json.path("rope_scaling")), json.path("tie_word_embeddings").asBoolean(false));
    }

    private static Optional<Scaling> scaling(JsonNode json) {
        if (json.isMissingNode() || json.isNull()) {
            return Optional.empty();
        }
        String type = json.path("rope_type").asText(json.path("type").asText());
        if (!type.equals("llama3")) {
            throw new IllegalArgumentException("rope_scaling is of type '" + type + "', and only llama3 is there");
        }
        return Optional.of(new Scaling(number(json, "factor", 0), number(json, "low_freq_factor", 0),
                number(json, "high_freq_factor", 0), integer(json, "original_max_position_embeddings")));
    }

    private static int integer(JsonNode json, String name) {
        JsonNode value = json.path(name);
        if (!value.isIntegralNumber() || !value.canConvertToInt()) {
            throw new IllegalArgumentException(name + " must be a whole number, got "
                    + (value.isMissingNode() ? "nothing" : value));
        }
        return value.intValue();
    }

    private static double number(JsonNode json, String name, double otherwise) {
        JsonNode value = json.path(name);
        if (value.isMissingNode() && otherwise > 0) {
            return otherwise;
        }
        if (!value.isNumber()) {
            throw new IllegalArgumentException(name + " must be a number, got "
                    + (value.isMissingNode() ? "nothing" : value));
        }
        return value.doubleValue();
    }

    /** Query heads of a key head. */
    int group() {
        return heads / keyHeads;
    }

    /** Rows of the matrix that makes queries, keys and values, in this order. */
    int projected() {
        return (heads + 2 * keyHeads) * headWidth;
    }

    /** Numbers that the weights consist of. */
    long parameters() {
        long layer = (long) width * (projected() + heads * headWidth + 3L * inner + 2);
        return layers * layer + (tied ? 1L : 2L) * vocabulary * width + width;
    }

    /** Radians by which each pair of a head's elements turns from one position to the next. */
    double[] frequencies() {
        double[] frequencies = new double[headWidth / 2];
        for (int i = 0; i < frequencies.length; i++) {
            double plain = StrictMath.pow(theta, -2.0 * i / headWidth);
            frequencies[i] = scaling.map(s -> stretched(plain, s)).orElse(plain);
        }
        return frequencies;
    }

    private static double stretched(double frequency, Scaling s) {
        double turns = s.context() * frequency / (2 * Math.PI);
        double kept = Math.clamp((turns - s.low()) / (s.high() - s.low()), 0.0, 1.0);
        return kept * frequency + (1 - kept) * frequency / s.factor();
    }
}
