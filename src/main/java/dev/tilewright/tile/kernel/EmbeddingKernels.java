package dev.tilewright.tile.kernel;

import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.Update;
import java.util.Objects;

/** Rows of a table by their numbers, {@code rows} of i32, one for each token; and how a gradient goes back to them. */
public final class EmbeddingKernels {
    private static final int TOKENS = 8;
    private static final int COLUMNS = 512;
    private static final int SUMMED_TOKENS = 16;
    private static final int SUMMED_COLUMNS = 128;

    private EmbeddingKernels() { }

    /**
     * Row {@code rows[i]} of {@code table}, of {@code vocabulary} by {@code width}, in row {@code i} of {@code y}, of
     * {@code tokens} by {@code width}. A number that the table lacks gives zeros.
     */
    public static TileKernel gather(ValueType type) {
        Objects.requireNonNull(type, "type");
        return TileKernel.of("embedding", k -> {
            Dim tokens = k.dim("tokens"), width = k.dim("width");
            Tensor table = k.in("table", type, k.dim("vocabulary"), width), rows = k.in("rows", ValueType.I32, tokens);
            Tensor y = k.out("y", type, tokens, width);
            k.forEachTile(y, TOKENS, COLUMNS, at -> y.store(at, table.gather(rows.tile(at.row()), at.column())));
        });
    }

    /**
     * Each row of {@code dy}, of {@code tokens} by {@code width}, added to row {@code rows[i]} of {@code gradient}, of
     * f32, of {@code vocabulary} by {@code width}, in ascending order of tokens: each element of the gradient is what
     * it was, plus the first token's, plus the next one's, each rounded once. A number that the table lacks adds
     * nothing.
     */
    public static TileKernel gradient(ValueType type) {
        Objects.requireNonNull(type, "type");
        return TileKernel.of("embedding_gradient", k -> {
            Dim tokens = k.dim("tokens"), width = k.dim("width");
            Tensor dy = k.in("dy", type, tokens, width), rows = k.in("rows", ValueType.I32, tokens).outside(-1);
            Tensor gradient = k.inOut("gradient", ValueType.F32, k.dim("vocabulary"), width);
            k.forEachTile(dy, SUMMED_TOKENS, SUMMED_COLUMNS, at -> gradient.scatter(Update.ADD, rows.tile(at.row()),
                    dy.tile(at).to(ValueType.F32), at.column()));
        });
    }
}
