package dev.tilewright.tile.lower;

import dev.tilewright.program.Body;
import dev.tilewright.program.Warp;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.tile.Axis;
import dev.tilewright.tile.Region;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.lower.analysis.Indexes;
import dev.tilewright.tile.lower.layout.Bounds;
import java.util.ArrayList;
import java.util.List;

/**
 * Stores rows of a box in shared memory to a tensor whose rows begin anywhere: the lanes of a warp take neighbours of
 * one row, and what is outside is left out.
 */
final class RowStore {
    private static final int LINE = 128;

    private final Tensor tensor;
    private final List<Axis> axes;
    private final Indexes indexes;
    private final List<Expr> start = new ArrayList<>();

    RowStore(Body body, Region.Store store, Indexes indexes) {
        this.tensor = store.tensor();
        this.axes = store.axes();
        this.indexes = indexes;
        axes.forEach(axis -> start.add(body.let("start", indexes.of(((Span) axis).start()))));
    }

    /**
     * Stores 16 rows that the warp itself has written.
     *
     * @param box where it begins in the buffer, swizzled by 128 bytes
     * @param first row of the warp within the box
     * @param down row of the tensor, counted from the tile's first, at which the box begins
     * @param across the same of columns
     */
    void write(Body body, SharedRegion.Buffer boxes, Expr box, Expr first, Expr down, Expr across) {
        int bytes = tensor.type().bytes();
        Expr lane = Builtin.THREAD.modulo(Warp.LANES);
        Register element = body.registers("element", tensor.type(), 1);
        body.purpose("the warp has written its rows").syncWarp();
        body.purpose("one row after another").loop("row", 16, (each, row) -> {
            Expr line = each.let("line", first.plus(row));
            for (int part = 0; part < LINE / bytes / Warp.LANES; part++) {
                Expr column = lane.plus(part * Warp.LANES);
                Expr chunk = column.dividedBy(16 / bytes).xor(line.modulo(8));
                Expr place = box.plus(line.times(LINE)).plus(chunk.times(16)).plus(column.modulo(16 / bytes)
                        .times(bytes));
                TensorAccess.GuardedOffset spot = spot(each, down.plus(line), across.plus(column));
                each.purpose("neighbours of a row").when(spot.inside(), in -> {
                    in.load(element, boxes.at(place));
                    in.store(spot.address(tensor), element.at(0));
                });
            }
        });
    }

    private TensorAccess.GuardedOffset spot(Body body, Expr row, Expr column) {
        int rows = -1;
        Expr inside = null;
        Expr offset = Expr.of(0L);
        for (int i = 0; i < axes.size(); i++) {
            boolean last = i == axes.size() - 1;
            rows = rows < 0 && !axes.get(i).single() ? i : rows;
            Expr at = body.let("at", last ? start.get(i).plus(column.toS64()) : i == rows
                    ? start.get(i).plus(row.toS64()) : start.get(i));
            inside = Bounds.within(inside, at, indexes.of(tensor.dims().get(i).value()));
            offset = offset.plus(last ? at : at.times(Lowered.stride(tensor, i).value()));
        }
        return new TensorAccess.GuardedOffset(offset, inside);
    }
}
