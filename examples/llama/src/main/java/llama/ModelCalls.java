package llama;

import dev.tilewright.program.array.ArrayShape;
import dev.tilewright.tile.TileKernel;
import java.util.ArrayList;
import java.util.List;
import llama.Device.Call;
import llama.Device.Memory;

/** The kernels of a step, with what each reads and writes. */
record ModelCalls(Config config, Kernels kernels, ModelMemory memory, Cache cache) {

    private List<Call> layers(int rows, int sequences, int pages) {
        List<Call> calls = new ArrayList<>();
        int width = config.width();
        calls.add(Call.of(kernels.embed()).with("tokens", memory.tokens(), rows)
                .with("table", memory.embeddings(), config.vocabulary(), width).with("x", memory.x(), rows, width));
        calls.add(Call.of(kernels.norm()).with("x", memory.x(), rows, width)
                .with("weight", memory.layers().getFirst().attentionNorm(), width)
                .with("y", memory.normed(), rows, width).scalar("epsilon", config.epsilon()));
        for (int i = 0; i < config.layers(); i++) {
            attention(calls, i, rows, sequences, pages);
            feedForward(calls, i, rows);
        }
        return calls;
    }

    /** @param rows of tokens @param asked of these, how many have logits @param pages of the longest sequence */
    List<Call> of(int rows, int asked, int sequences, int pages) {
        List<Call> calls = layers(rows, sequences, pages);
        if (asked > 0) {
            calls.add(Call.of(kernels.pick()).with("x", memory.normed(), rows, config.width())
                    .with("which", memory.which(), asked).with("y", memory.picked(), asked, config.width()));
            calls.add(logits(memory.picked(), asked));
        }
        return calls;
    }

    /** A step each of whose rows is a sequence's newest token, and what makes the next step's of it. */
    List<Call> greedy(int rows, int pages) {
        List<Call> calls = layers(rows, rows, pages);
        calls.add(logits(memory.normed(), rows));
        int segments = memory.segments();
        calls.add(Call.of(kernels.greatest()).with("x", memory.logits(), rows, config.vocabulary())
                .with("values", memory.greatest(), rows, segments).with("tokens", memory.likeliest(), rows, segments));
        calls.add(Call.of(kernels.advance()).with("values", memory.greatest(), rows, segments)
                .with("likeliest", memory.likeliest(), rows, segments).with("sequence", memory.owners(), rows)
                .with("table", memory.table(), (long) rows * memory.mostPages())
                .with("position", memory.positions(), rows).with("slot", memory.slots(), rows)
                .with("tokens", memory.tokens(), rows).with("made", memory.made(), (long) rows * config.context())
                .scalar("pages", memory.mostPages()).scalar("context", config.context()));
        return calls;
    }

    private Call logits(Memory x, int rows) {
        return product(kernels.logits(), x, memory.head(), memory.logits(), rows, config.vocabulary());
    }

    private void attention(List<Call> calls, int number, int rows, int sequences, int pages) {
        ModelMemory.Layer layer = memory.layers().get(number);
        int heads = config.heads(), keyHeads = config.keyHeads(), headWidth = config.headWidth();
        calls.add(parts(memory.normed(), layer.projections(), memory.projected(), rows, config.projected(),
                config.width()));
        calls.add(Call.of(kernels.rotate())
                .with("x", memory.projected(), Kernels.PARTS, rows, heads + 2L * keyHeads, headWidth)
                .with("position", memory.positions(), rows).with("slot", memory.slots(), rows)
                .with("cosine", memory.cosine(), config.context(), headWidth / 2)
                .with("sine", memory.sine(), config.context(), headWidth / 2)
                .with("queries", memory.queries(), rows, heads, headWidth)
                .with("keys", cache.keys(number), cache.slots(), keyHeads, headWidth)
                .with("values", cache.values(number), cache.slots(), keyHeads, headWidth));
        attend(calls, number, rows, sequences, pages);
        addNormed(calls, memory.attended(), layer.output(), heads * headWidth, layer.innerNorm(), rows);
    }

    private void attend(List<Call> calls, int layer, int rows, int sequences, int pages) {
        int keyHeads = config.keyHeads(), group = config.group(), headWidth = config.headWidth();
        boolean apart = rows <= ModelMemory.APART_ROWS && rows * pages <= ModelMemory.APART_PAGES;
        Call first = Call.of(kernels.attention().get(apart ? 1 : 0))
                .with("queries", memory.queries(), rows, keyHeads, group, headWidth)
                .with("keys", cache.keys(layer), cache.slots(), keyHeads, headWidth)
                .with("values", cache.values(layer), cache.slots(), keyHeads, headWidth)
                .with("position", memory.positions(), rows).with("sequence", memory.owners(), rows)
                .with("table", memory.table(), 0, new ArrayShape(List.of((long) sequences, (long) pages),
                        List.of((long) memory.mostPages(), 1L)));
        calls.add(first);
        Call last = apart ? Call.of(kernels.attention().get(2)).with("position", memory.positions(), rows) : first;
        if (apart) {
            calls.add(last);
            for (Call call : List.of(first, last)) {
                call.with("greatest", memory.greatestScores(), rows, pages, keyHeads, group, 1)
                        .with("weights", memory.weightSums(), rows, pages, keyHeads, group, 1)
                        .with("sums", memory.valueSums(), rows, pages, keyHeads, group, headWidth);
            }
        }
        last.with("y", memory.attended(), rows, keyHeads, group, headWidth);
    }

    private void feedForward(List<Call> calls, int number, int rows) {
        ModelMemory.Layer layer = memory.layers().get(number);
        int inner = config.inner();
        calls.add(Call.of(kernels.gated(rows)).with("x", memory.normed(), rows, config.width())
                .with("weight", layer.gates(), 2L * inner, config.width()).with("y", memory.inner(), rows, inner));
        addNormed(calls, memory.inner(), layer.down(), inner, number + 1 == config.layers() ? memory.norm()
                : memory.layers().get(number + 1).attentionNorm(), rows);
    }

    /** Adds a product to the rows between layers, and makes normed ones of these. */
    private void addNormed(List<Call> calls, Memory x, Memory weight, long depth, Memory norm, int rows) {
        int width = config.width();
        calls.add(parts(x, weight, memory.parts(), rows, width, depth));
        calls.add(Call.of(kernels.addNorm()).with("x", memory.x(), rows, width)
                .with("parts", memory.parts(), Kernels.PARTS, rows, width).with("weight", norm, width)
                .with("y", memory.normed(), rows, width).scalar("epsilon", config.epsilon()));
    }

    private Call parts(Memory x, Memory weight, Memory y, int rows, long columns, long depth) {
        long part = depth / Kernels.PARTS;
        return Call.of(kernels.parts(rows, part)).with("x", x, 0, parts(rows, part))
                .with("weight", weight, 0, parts(columns, part)).with("y", y, Kernels.PARTS, rows, columns);
    }

    /** Rows whose parts lie beside each other. */
    private static ArrayShape parts(long rows, long part) {
        return new ArrayShape(List.of((long) Kernels.PARTS, rows, part), List.of(part, Kernels.PARTS * part, 1L));
    }

    private Call product(TileKernel kernel, Memory x, Memory weight, Memory y, int rows, int columns) {
        return Call.of(kernel).with("x", x, rows, config.width()).with("weight", weight, columns, config.width())
                .with("y", y, rows, columns);
    }
}
