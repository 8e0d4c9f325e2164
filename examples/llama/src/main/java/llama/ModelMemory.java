package llama;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** A model's memory on a device: its weights, what a step is given, and what it leaves between kernels. */
final class ModelMemory {
    /** A layer's weights: matrices that read the same row lie below each other, or rows of both in turn. */
    record Layer(Device.Memory attentionNorm, Device.Memory projections, Device.Memory output,
            Device.Memory innerNorm, Device.Memory gates, Device.Memory down) { }

    /** Rows up to which each page's attention has a block of its own, and pages of all of them. */
    static final int APART_ROWS = 64;
    static final int APART_PAGES = 4096;

    private final Device device;
    private final Weights weights;
    private final int mostPages;
    private final int segments;
    private final List<Layer> layers = new ArrayList<>();
    private final Device.Memory embeddings, norm, head, cosine, sine;
    private final Device.Memory tokens, positions, owners, slots, which, table;
    private final Device.Memory x, normed, projected, queries, attended, inner, picked, parts;
    private final Device.Memory logits, greatest, likeliest, made, greatestScores, weightSums, valueSums;

    ModelMemory(Device device, Config config, Weights weights, Model.Limits limits) {
        this.device = device;
        this.weights = weights;
        this.mostPages = Math.ceilDiv(Math.ceilDiv(config.context(), PagedAttention.PAGE), 4) * 4;
        this.segments = Math.ceilDiv(config.vocabulary(), Kernels.SEGMENT);
        int width = config.width();
        long attention = (long) config.heads() * config.headWidth();
        long keys = (long) config.keyHeads() * config.headWidth();
        for (int i = 0; i < config.layers(); i++) {
            layers.add(new Layer(vector(Weights.of(i, "input_layernorm"), width),
                    matrix(width, List.of(Weights.of(i, "self_attn.q_proj"), Weights.of(i, "self_attn.k_proj"),
                            Weights.of(i, "self_attn.v_proj")), attention, keys, keys),
                    matrix(attention, List.of(Weights.of(i, "self_attn.o_proj")), width),
                    vector(Weights.of(i, "post_attention_layernorm"), width),
                    alternating(width, config.inner(), Weights.of(i, "mlp.gate_proj"), Weights.of(i, "mlp.up_proj")),
                    matrix(config.inner(), List.of(Weights.of(i, "mlp.down_proj")), width)));
        }
        embeddings = matrix(width, List.of("model.embed_tokens.weight"), config.vocabulary());
        norm = vector("model.norm.weight", width);
        head = config.tied() ? embeddings : matrix(width, List.of("lm_head.weight"), config.vocabulary());
        Rotations rotations = Rotations.of(config);
        cosine = uploaded(MemorySegment.ofArray(rotations.cosine()));
        sine = uploaded(MemorySegment.ofArray(rotations.sine()));

        long rows = limits.rows();
        tokens = device.allocate(4 * rows);
        positions = device.allocate(4 * rows);
        owners = device.allocate(4 * rows);
        slots = device.allocate(4 * rows);
        which = device.allocate(4L * limits.asked());
        table = device.allocate(4L * limits.sequences() * mostPages);
        x = device.allocate(4 * rows * width);
        normed = device.allocate(2 * rows * width);
        projected = device.allocate(4 * Kernels.PARTS * rows * config.projected());
        queries = device.allocate(2 * rows * attention);
        attended = device.allocate(2 * rows * attention);
        inner = device.allocate(2 * rows * config.inner());
        picked = device.allocate(2L * limits.asked() * width);
        parts = device.allocate(4 * Kernels.PARTS * rows * width);
        logits = device.allocate(4L * limits.asked() * config.vocabulary());
        greatest = device.allocate(4L * limits.asked() * segments);
        likeliest = device.allocate(4L * limits.asked() * segments);
        long apart = Math.min((long) APART_PAGES, APART_ROWS * mostPages) * config.heads();
        greatestScores = device.allocate(4 * apart);
        weightSums = device.allocate(4 * apart);
        valueSums = device.allocate(4 * apart * config.headWidth());
        made = device.allocate(4L * limits.sequences() * config.context());
    }

    private Device.Memory uploaded(MemorySegment elements) {
        Device.Memory memory = device.allocate(elements.byteSize());
        memory.write(0, elements);
        return memory;
    }

    private Device.Memory vector(String name, long count) {
        return uploaded(weights.bf16(name, count));
    }

    /** Matrices below each other. @param rows of each */
    private Device.Memory matrix(long columns, List<String> names, long... rows) {
        // Weights come first: a file without them is refused before there is memory for them.
        List<MemorySegment> all = new ArrayList<>();
        long bytes = 0;
        for (int i = 0; i < rows.length; i++) {
            all.add(weights.bf16(names.get(i), rows[i], columns));
            bytes += all.getLast().byteSize();
        }
        Device.Memory memory = device.allocate(bytes);
        long offset = 0;
        for (MemorySegment each : all) {
            memory.write(offset, each);
            offset += each.byteSize();
        }
        return memory;
    }

    /** Two matrices, of each {@link Kernels#GATED} rows in turn. @param rows of each, a multiple */
    private Device.Memory alternating(long columns, long rows, String first, String second) {
        List<MemorySegment> both = List.of(weights.bf16(first, rows, columns), weights.bf16(second, rows, columns));
        Device.Memory memory = device.allocate(4 * rows * columns);
        long bytes = 2L * Kernels.GATED * columns;
        for (int half = 0; half < 2; half++) {
            for (long i = 0; i < rows / Kernels.GATED; i++) {
                memory.write((2 * i + half) * bytes, both.get(half).asSlice(i * bytes, bytes));
            }
        }
        return memory;
    }

    /** Pages that a row of the table has room for. */
    int mostPages() {
        return mostPages;
    }

    /** Parts of a row of logits of which the greatest are found apart. */
    int segments() {
        return segments;
    }

    List<Layer> layers() {
        return layers;
    }

    Device.Memory embeddings() {
        return embeddings;
    }

    Device.Memory norm() {
        return norm;
    }

    Device.Memory head() {
        return head;
    }

    Device.Memory cosine() {
        return cosine;
    }

    Device.Memory sine() {
        return sine;
    }

    Device.Memory tokens() {
        return tokens;
    }

    Device.Memory positions() {
        return positions;
    }

    Device.Memory owners() {
        return owners;
    }

    Device.Memory slots() {
        return slots;
    }

    Device.Memory which() {
        return which;
    }

    Device.Memory table() {
        return table;
    }

    Device.Memory x() {
        return x;
    }

    Device.Memory normed() {
        return normed;
    }

    Device.Memory projected() {
        return projected;
    }

    Device.Memory queries() {
        return queries;
    }

    Device.Memory attended() {
        return attended;
    }

    Device.Memory inner() {
        return inner;
    }

    Device.Memory picked() {
        return picked;
    }

    Device.Memory parts() {
        return parts;
    }

    Device.Memory logits() {
        return logits;
    }

    Device.Memory greatest() {
        return greatest;
    }

    Device.Memory likeliest() {
        return likeliest;
    }

    Device.Memory made() {
        return made;
    }

    Device.Memory greatestScores() {
        return greatestScores;
    }

    Device.Memory weightSums() {
        return weightSums;
    }

    Device.Memory valueSums() {
        return valueSums;
    }
}
