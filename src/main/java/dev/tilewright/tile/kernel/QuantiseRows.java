package dev.tilewright.tile.kernel;

import dev.tilewright.NotNull;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileKernel;

/**
 * Rows in 8 bits with scales by their greatest magnitude: {@code q = x / scale}, rounded to nearest even, where the
 * scale is the greatest magnitude over the largest number of the type, 127 or 448. Where all are zero, so is the scale,
 * and {@code q}. NaNs do not count for the scale; of i8 they become 0.
 *
 * {@snippet :
 * TileKernel quantise = QuantiseRows.of(ValueType.BF16, ValueType.E4M3).withGroups(128).kernel();
 * }
 *
 * @param from type of {@code x}: f32, f16 or bf16
 * @param to type of {@code q}: i8 or e4m3
 * @param group how many columns have one scale; 0 for one of each row
 */
public record QuantiseRows(ValueType from, ValueType to, int group) {
    private static final int ROWS = 16;
    private static final int LARGEST_I8 = 127;
    private static final int LARGEST_E4M3 = 448;

    public QuantiseRows {
        NotNull.all("from, to", from, to);
        if (to != ValueType.I8 && to != ValueType.E4M3) {
            throw new IllegalArgumentException("rows are quantised to i8 or e4m3, got " + to);
        }
        if (group < 0) {
            throw new IllegalArgumentException("a group has columns, or is a whole row with 0, got " + group);
        }
    }

    /** Quantisation with one scale for each row. */
    public static QuantiseRows of(ValueType from, ValueType to) {
        return new QuantiseRows(from, to, 0);
    }

    /** Sets a scale for each run of this many columns, as {@link BlockScaledGemm} takes them. */
    public QuantiseRows withGroups(int columns) {
        if (columns < 1) {
            throw new IllegalArgumentException("a group has at least 1 column, got " + columns);
        }
        return new QuantiseRows(from, to, columns);
    }

    /**
     * The kernel: {@code x} and {@code q} of {@code rows} by {@code columns}, {@code scales} of f32, of {@code rows},
     * or {@code rows} by the groups.
     */
    public TileKernel kernel() {
        return TileKernel.of("quantise_rows", k -> {
            Dim rows = k.dim("rows"), columns = k.dim("columns");
            Tensor x = k.in("x", from, rows, columns), q = k.out("q", to, rows, columns);
            if (group == 0) {
                Tensor scales = k.out("scales", ValueType.F32, rows);
                k.forEachRow(x, row -> {
                    Tile v = x.row(row).to(ValueType.F32), scale = scale(v.map(Value::abs).max());
                    scales.store(row, scale);
                    q.storeRow(row, rounded(divided(v, scale)));
                });
                return;
            }
            Tensor scales = k.out("scales", ValueType.F32, rows, columns.dividedBy(group));
            k.forEachTile(q, ROWS, group, at -> {
                Tile v = x.tile(at).to(ValueType.F32), scale = scale(v.map(Value::abs).max(1));
                scales.store(scale.reshaped(ROWS), at.row(), Span.at(at.column().start()
                        .dividedBy(Expr.of((long) group))));
                q.store(at, rounded(divided(v, scale)));
            });
        });
    }

    private Tile scale(Tile greatest) {
        return greatest.map(v -> v.dividedBy(to == ValueType.I8 ? LARGEST_I8 : LARGEST_E4M3));
    }

    private Tile rounded(Tile tile) {
        return to == ValueType.I8 ? tile.map(v -> v.roundEven().to(ValueType.I8)) : tile.to(to);
    }

    /** Divided by a scale, or 0 where that is 0. */
    static Tile divided(Tile tile, Tile scale) {
        return tile.map(scale, (x, s) -> s.isEqualTo(Value.f32(0)).choose(Value.f32(0), x.dividedBy(s)));
    }
}
