package dev.tilewright.tile.lower;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.fence.FenceProxyAsync;
import dev.tilewright.tile.Axis;
import dev.tilewright.tile.Grid;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Steps;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.lower.analysis.Indexes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * Copies of a left factor that bring fewer rows than a tile has, and leave out those outside of the tensor: the copy
 * engine is slow to fill in zeros. What tensor cores read in their place, zeros or another tile's rows, ends up in rows
 * of sums that are dropped.
 */
final class FewRows {
    private static final int LEAST = 8;
    private static final int WORD_BYTES = 16;

    private FewRows() {
    }

    /** How many rows a copy best brings. @param inside the tensor */
    static int of(long inside) {
        return (int) Math.max(LEAST, Long.highestOneBit(Math.max(1, inside) * 2 - 1));
    }

    /** Why a row outside of the tensor must be zero; nothing where all that is made of it is dropped. */
    static Optional<String> whyNot(TileKernel kernel, Operand a) {
        Grid grid = kernel.grid();
        Tensor tensor = a.load().tensor();
        if (a.transposed()) {
            return Optional.of("rows of '" + tensor.name() + "' do not follow each other in memory");
        }
        int place = a.load().axes().size() - 1 - a.acrossFromLast();
        Axis axis = a.load().axes().get(place);
        for (int i = 0; i < grid.steps().size(); i++) {
            Steps steps = grid.steps().get(i);
            Expr start = grid.numbers().get(i).toS64().times(steps.length());
            if (axis instanceof Span span && span.start().equals(start) && tensor.dims().get(place)
                    .equals(steps.dim())) {
                return whyTogether(grid, i);
            }
        }
        return Optional.of("rows of '" + tensor.name() + "' are not at the tile's own places");
    }

    /** Why rows depend on each other. */
    private static Optional<String> whyTogether(Grid grid, int dimension) {
        List<Integer> lengths = new ArrayList<>(grid.steps().stream().map(Steps::length).toList());
        lengths.set(dimension, 2 * lengths.get(dimension));
        try {
            grid.inTiles(lengths);
            return Optional.empty();
        } catch (IllegalArgumentException e) {
            return Optional.of(e.getMessage());
        }
    }

    /** How many copies bring the rows of a tile that are within the tensor. */
    static Expr copies(Body body, Operand a, Indexes indexes) {
        int place = a.load().axes().size() - 1 - a.acrossFromLast();
        Expr rows = indexes.of(a.load().tensor().dims().get(place).value()).minus(
                indexes.of(((Span) a.load().axes().get(place)).start())).min(
                Expr.of((long) a.mn())).as(IntType.S32);
        return body.purpose("copies of rows within the tensor").let("copies",
                rows.plus(a.brought() - 1).dividedBy(a.brought()));
    }

    /** Zeros in all stages, before anything is copied there; for all threads of a block. */
    static void clear(Body body, SharedRegion.Buffer stages, int bytes, int threads) {
        Value zero = Value.of(ValueType.U32, 0);
        body.purpose("rows that no copy brings").loop("clear", Builtin.THREAD.times(WORD_BYTES), bytes,
                threads * WORD_BYTES, (each, at) -> each.store(stages.at(at), Collections.nCopies(4, zero)));
        body.purpose("tensor cores and copies see what this thread wrote").proxyFence(FenceProxyAsync.Memory.SHARED);
        body.purpose("all threads have written").syncThreads();
    }
}
