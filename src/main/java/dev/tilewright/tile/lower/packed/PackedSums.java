package dev.tilewright.tile.lower.packed;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.lower.layout.Held;
import dev.tilewright.tile.lower.layout.Layout;
import dev.tilewright.tile.lower.layout.Places;
import dev.tilewright.tile.lower.layout.Registers;
import dev.tilewright.tile.lower.layout.Team;
import java.util.function.BiConsumer;

/** Sums of some rows of all parts of a round in shared memory, where warps put them and all threads add them. */
final class PackedSums {
    private static final int ALIGNMENT = 16;
    /** Sums that a thread reads at once. */
    private static final int NEIGHBOURS = 4;
    /** Behind the columns of a row, so that few banks meet. */
    private static final int PADDING = 4;
    /** Sums of parts and rows that are added at a time, in rows. */
    private static final int ADDED_ROWS = 64;

    private final PackedPattern pattern;
    private final SharedRegion.Buffer buffer;

    PackedSums(PackedPattern pattern) {
        this.pattern = pattern;
        buffer = new SharedRegion.Buffer("part_sums", bytes(pattern), ALIGNMENT);
    }

    SharedRegion.Buffer buffer() {
        return buffer;
    }

    static int bytes(PackedPattern pattern) {
        return pattern.partsAtOnce() * rows(pattern) * pitch(pattern) * Float.BYTES;
    }

    private static int rows(PackedPattern pattern) {
        return Math.min(ADDED_ROWS / pattern.partsAtOnce(), pattern.sums().getFirst());
    }

    private static int pitch(PackedPattern pattern) {
        return pattern.sums().getLast() + PADDING;
    }

    /** Of the tile, that are added at a time. */
    private int rows() {
        return rows(pattern);
    }

    /** A warp's sums of a part. @param slot of the part @param column the warp's first */
    record OfWarp(Register sums, Expr lane, Expr slot, Expr column) { }

    /** Adds a round's sums of all parts to those of threads, some rows at a time. @param round which */
    void collect(Body body, OfWarp warp, Team team, Held to, Expr round) {
        for (int row = 0; row < pattern.sums().getFirst(); row += rows()) {
            put(body, warp, row);
            team.sync(body.purpose("the sums of all parts are in shared memory"));
            add(body, to, row, round);
            team.sync(body.purpose("all threads have read the sums"));
        }
    }

    /** Puts a warp's sums where all threads find them. @param first of the tile's rows */
    private void put(Body body, OfWarp warp, int first) {
        int columns = Math.ceilDiv(pattern.sums().getFirst(), PackedWarp.COLUMNS);
        int groups = Math.ceilDiv(rows(), PackedWarp.COLUMNS);
        Expr row = warp.lane.modulo(2).times(4).plus(warp.lane.modulo(4).dividedBy(2));
        Expr at = body.purpose("where the thread's sums go").let("sums_at", place(warp.slot, row,
                warp.column.plus(warp.lane.dividedBy(4))));
        body.unrolled("r", PackedWarp.BLOCKS * groups * PackedWarp.SUMS, (each, r) -> {
            Expr down = r.dividedBy(groups * PackedWarp.SUMS);
            Expr j = r.dividedBy(PackedWarp.SUMS).modulo(groups);
            Expr below = r.modulo(2).times(2);
            Expr of = r.modulo(PackedWarp.SUMS);
            Expr across = down.times(PackedWarp.ROWS).plus(of.dividedBy(2).times(PackedWarp.COLUMNS));
            Address.Shared place = at(at.plus(place(Expr.of(0), j.times(PackedWarp.COLUMNS).plus(below), across)));
            Value sum = warp.sums.at(down.times(columns).plus(j).plus(first / PackedWarp.COLUMNS)
                    .times(PackedWarp.SUMS).plus(of));
            if (rows() < PackedWarp.COLUMNS) {
                each.when(row.plus(below).lessThan(rows()), b -> b.store(place, sum));
            } else {
                each.store(place, sum);
            }
        });
    }

    /** In bytes. @param slot of the part */
    private Expr place(Expr slot, Expr row, Expr column) {
        return slot.times(rows()).plus(row).times(pitch(pattern)).plus(column).times(Float.BYTES);
    }

    private Address.Shared at(Expr place) {
        return buffer.at(place);
    }

    /**
     * Adds sums of parts to a thread's own, ascending.
     *
     * @param row of the tile, the first of those that are there
     * @param round which, in the first of which the first part's begin them
     */
    private void add(Body body, Held to, int row, Expr round) {
        Layout layout = to.layout();
        Places places = new Places(body, layout);
        int ofThreads = 1 << layout.threads().stream().filter(basis -> basis.getFirst() > 0).count();
        int count = layout.registerCount() * Math.max(rows(), ofThreads) / pattern.sums().getFirst();
        int behind = row / Math.max(rows(), ofThreads) * count;
        int width = Math.min(NEIGHBOURS, count);
        BiConsumer<Body, Expr> code = (each, group) -> {
            Expr first = group.times(width).plus(behind);
            Register sums = each.registers("part", ValueType.F32, width);
            for (int slot = 0; slot < pattern.partsAtOnce(); slot++) {
                each.load(sums, 0, width, at(place(Expr.of(slot), places.at(0, first).minus(row),
                        places.at(1, first))));
                if (slot > 0) {
                    plus(each, to, first, sums);
                } else if (pattern.rounds() == 1) {
                    assign(each, to, first, sums);
                } else {
                    each.when(round.isEqualTo(0), b -> assign(b, to, first, sums), b -> plus(b, to, first, sums));
                }
            }
        };
        if (ofThreads > rows()) {
            Expr own = places.at(0, Expr.of(behind));
            body.purpose("threads whose rows they are").when(own.atLeast(row).and(own.lessThan(row + rows())), b ->
                    Registers.each(b, count / width, code));
        } else {
            Registers.each(body, count / width, code);
        }
    }

    private static void assign(Body body, Held to, Expr first, Register sums) {
        for (int i = 0; i < sums.count(); i++) {
            body.assign(to.register().at(first.plus(i)), sums.at(i));
        }
    }

    private static void plus(Body body, Held to, Expr first, Register sums) {
        for (int i = 0; i < sums.count(); i++) {
            Value sum = to.register().at(first.plus(i));
            body.assign(sum, sum.plus(sums.at(i)));
        }
    }
}
