package llama;

import dev.tilewright.layout.FloatBits;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.Map;

/** The model once more, written out in double precision with none of the library: nothing is rounded on the way. */
final class PlainForward {
    private final Config config;
    private final Weights weights;
    private final Map<String, double[]> read = new HashMap<>();

    PlainForward(Config config, Weights weights) {
        this.config = config;
        this.weights = weights;
    }

    /** Logits of each token of a prompt. */
    double[][] logits(int... tokens) {
        int width = config.width();
        double[] embeddings = weight("model.embed_tokens.weight", config.vocabulary(), width);
        double[][] x = new double[tokens.length][width];
        for (int t = 0; t < tokens.length; t++) {
            System.arraycopy(embeddings, tokens[t] * width, x[t], 0, width);
        }
        for (int layer = 0; layer < config.layers(); layer++) {
            attention(x, layer);
            feedForward(x, layer);
        }
        double[] head = config.tied() ? embeddings : weight("lm_head.weight", config.vocabulary(), width);
        double[][] logits = new double[tokens.length][];
        for (int t = 0; t < tokens.length; t++) {
            logits[t] = times(head, norm(x[t], "model.norm.weight"));
        }
        return logits;
    }

    private void attention(double[][] x, int layer) {
        int d = config.headWidth(), heads = config.heads(), keyHeads = config.keyHeads(), width = config.width();
        double[] wq = weight(Weights.of(layer, "self_attn.q_proj"), heads * d, width);
        double[] wk = weight(Weights.of(layer, "self_attn.k_proj"), keyHeads * d, width);
        double[] wv = weight(Weights.of(layer, "self_attn.v_proj"), keyHeads * d, width);
        double[] wo = weight(Weights.of(layer, "self_attn.o_proj"), width, heads * d);
        double[][] keys = new double[x.length][], values = new double[x.length][];
        for (int t = 0; t < x.length; t++) {
            double[] normed = norm(x[t], Weights.of(layer, "input_layernorm"));
            double[] queries = turned(times(wq, normed), t);
            keys[t] = turned(times(wk, normed), t);
            values[t] = times(wv, normed);
            double[] all = new double[heads * d];
            for (int h = 0; h < heads; h++) {
                int shared = h / (heads / keyHeads);
                double[] weights = new double[t + 1];
                double sum = 0;
                for (int s = 0; s <= t; s++) {
                    double dot = 0;
                    for (int i = 0; i < d; i++) {
                        dot += queries[h * d + i] * keys[s][shared * d + i];
                    }
                    weights[s] = Math.exp(dot / Math.sqrt(d));
                    sum += weights[s];
                }
                for (int s = 0; s <= t; s++) {
                    for (int i = 0; i < d; i++) {
                        all[h * d + i] += weights[s] / sum * values[s][shared * d + i];
                    }
                }
            }
            add(x[t], times(wo, all));
        }
    }

    private void feedForward(double[][] x, int layer) {
        int width = config.width(), inner = config.inner();
        double[] gate = weight(Weights.of(layer, "mlp.gate_proj"), inner, width);
        double[] up = weight(Weights.of(layer, "mlp.up_proj"), inner, width);
        double[] down = weight(Weights.of(layer, "mlp.down_proj"), width, inner);
        for (double[] row : x) {
            double[] normed = norm(row, Weights.of(layer, "post_attention_layernorm"));
            double[] gates = times(gate, normed), ups = times(up, normed);
            for (int i = 0; i < inner; i++) {
                gates[i] = gates[i] / (1 + Math.exp(-gates[i])) * ups[i];
            }
            add(row, times(down, gates));
        }
    }

    /** Pairs of elements half a head apart, turned by an angle each. */
    private double[] turned(double[] heads, int position) {
        double[] frequencies = config.frequencies(), turned = new double[heads.length];
        int half = frequencies.length;
        for (int h = 0; h < heads.length; h += 2 * half) {
            for (int i = 0; i < half; i++) {
                double c = Math.cos(position * frequencies[i]), s = Math.sin(position * frequencies[i]);
                turned[h + i] = heads[h + i] * c - heads[h + half + i] * s;
                turned[h + half + i] = heads[h + half + i] * c + heads[h + i] * s;
            }
        }
        return turned;
    }

    private double[] norm(double[] row, String name) {
        double[] weight = weight(name, row.length), normed = new double[row.length];
        double squares = 0;
        for (double element : row) {
            squares += element * element;
        }
        for (int i = 0; i < row.length; i++) {
            normed[i] = row[i] / Math.sqrt(squares / row.length + config.epsilon()) * weight[i];
        }
        return normed;
    }

    private static void add(double[] to, double[] from) {
        for (int i = 0; i < to.length; i++) {
            to[i] += from[i];
        }
    }

    private static double[] times(double[] matrix, double[] vector) {
        double[] product = new double[matrix.length / vector.length];
        for (int i = 0; i < matrix.length; i++) {
            product[i / vector.length] += matrix[i] * vector[i % vector.length];
        }
        return product;
    }

    private double[] weight(String name, long... shape) {
        return read.computeIfAbsent(name, _ -> {
            MemorySegment elements = weights.bf16(name, shape);
            double[] numbers = new double[(int) Weights.count(shape)];
            for (int i = 0; i < numbers.length; i++) {
                numbers[i] = FloatBits.bf16(elements.getAtIndex(ValueLayout.JAVA_SHORT_UNALIGNED, i) & 0xFFFF);
            }
            return numbers;
        });
    }
}
