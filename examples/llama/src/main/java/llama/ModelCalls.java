package llama;

import dev.tilewright.program.array.ArrayShape;
import dev.tilewright.tile.TileKernel;
import java.util.ArrayList;
import java.util.List;
import llama.Device.Call;
import llama.Device.Memory;

/** The kernels of a step, with what each reads and writes. */
record ModelCalls(Config config, Kernels kernels, ModelMemory memory, Cache cache) {

    /** @param rows of tokens @param asked of these, how many have logits @param pages of the longest sequence */
    List<Call> of(int rows, int asked, int sequences, int pages) {
        List<Call> calls = new ArrayList<>();
        int width = config.width();
        calls.add(Call.of(kernels.embed()).with("tokens", memory.tokens(), rows)
                .with("table", memory.embeddings(), config.vocabulary(), width).with("x", memory.x(), rows, width));
        for (int i = 0; i < config.layers(); i++) {
            attention(calls, i, rows, sequences, pages);
            feedForward(calls, memory.layers().get(i), rows);
        }
        if (asked > 0) {
            logits(calls, rows, asked);
        }
        return calls;
    }

    /** A step each of whose rows is a sequence's newest token, and what makes the next step's of it. */
    List<Call> greedy(int rows, int pages) {
        List<Call> calls = of(rows, rows, rows, pages);
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

    private void logits(List<Call> calls, int rows, int asked) {
        int width = config.width();
        calls.add(Call.of(kernels.pick()).with("x", memory.x(), rows, width).with("which", memory.which(), asked)
                .with("y", memory.picked(), asked, width));
        calls.add(norm(memory.picked(), memory.norm(), memory.pickedNormed(), asked));
        calls.add(product(memory.pickedNormed(), memory.head(), memory.logits(), asked, config.vocabulary(), width,
                kernels.logits()));
    }

    private void attention(List<Call> calls, int number, int rows, int sequences, int pages) {
        ModelMemory.Layer layer = memory.layers().get(number);
        int heads = config.heads(), keyHeads = config.keyHeads(), headWidth = config.headWidth();
        calls.add(norm(memory.x(), layer.attentionNorm(), memory.normed(), rows));
        calls.add(product(memory.normed(), layer.projections(), memory.projected(), rows, config.projected(),
                config.width(), kernels.project()));
        calls.add(Call.of(kernels.rotate(rows))
                .with("x", memory.projected(), rows, heads + 2L * keyHeads, headWidth)
                .with("position", memory.positions(), rows).with("slot", memory.slots(), rows)
                .with("cosine", memory.cosine(), config.context(), headWidth / 2)
                .with("sine", memory.sine(), config.context(), headWidth / 2)
                .with("queries", memory.queries(), rows, heads, headWidth)
                .with("keys", cache.keys(number), cache.slots(), keyHeads, headWidth)
                .with("values", cache.values(number), cache.slots(), keyHeads, headWidth));
        attend(calls, number, rows, sequences, pages);
        calls.add(product(memory.attended(), layer.output(), memory.x(), rows, config.width(), heads * headWidth,
                kernels.add()));
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
                call.with("greatest", memory.greatestScores(), rows, pages, keyHeads, group)
                        .with("weights", memory.weightSums(), rows, pages, keyHeads, group)
                        .with("sums", memory.valueSums(), rows, pages, keyHeads, group, headWidth);
            }
        }
        last.with("y", memory.attended(), rows, keyHeads, group, headWidth);
    }

    private void feedForward(List<Call> calls, ModelMemory.Layer layer, int rows) {
        int inner = config.inner();
        calls.add(norm(memory.x(), layer.innerNorm(), memory.normed(), rows));
        calls.add(product(memory.normed(), layer.gates(), memory.gates(), rows, 2 * inner, config.width(),
                kernels.project()));
        ArrayShape half = new ArrayShape(List.of((long) rows, (long) inner), List.of(2L * inner, 1L));
        calls.add(Call.of(kernels.gate()).with("gate", memory.gates(), 0, half)
                .with("up", memory.gates(), 2L * inner, half).with("y", memory.inner(), rows, inner));
        calls.add(product(memory.inner(), layer.down(), memory.x(), rows, config.width(), inner, kernels.add()));
    }

    private Call norm(Memory x, Memory weight, Memory y, int rows) {
        return Call.of(kernels.norm()).with("x", x, rows, config.width()).with("weight", weight, config.width())
                .with("y", y, rows, config.width()).scalar("epsilon", config.epsilon());
    }

    private static Call product(Memory x, Memory weight, Memory y, int rows, int columns, int depth,
            TileKernel kernel) {
        return Call.of(kernel).with("x", x, rows, depth).with("weight", weight, columns, depth)
                .with("y", y, rows, columns);
    }
}
