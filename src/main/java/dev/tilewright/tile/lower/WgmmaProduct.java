package dev.tilewright.tile.lower;

import dev.tilewright.layout.MatrixMajor;
import dev.tilewright.layout.MatrixTile;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.fence.FenceProxyAsync;
import dev.tilewright.ptx.mma.MmaType;
import dev.tilewright.ptx.mma.WgmmaFloat;
import dev.tilewright.tile.lower.exchange.Exchange;
import dev.tilewright.tile.lower.layout.Held;
import dev.tilewright.tile.lower.layout.Layout;
import dev.tilewright.tile.lower.layout.Places;
import dev.tilewright.tile.lower.layout.Registers;
import dev.tilewright.tile.lower.layout.Team;
import dev.tilewright.tile.lower.layout.WgmmaSums;
import java.util.ArrayList;
import java.util.List;

/**
 * A product of 8-bit floats by {@code wgmma} of tiles in registers: threads put both factors into shared memory, where
 * groups of four warps multiply them. It has the bits of a product whose factors the copy engine brings, which those of
 * {@code mma.sync} are not.
 */
final class WgmmaProduct {
    /** Elements along k that follow each other where there is no swizzle: 16 bytes. */
    private static final int SIDE = 4;
    private static final int WORDS = 4;
    /** Bits of what one instruction takes along k. */
    private static final int DEPTH = 5;

    private final Body body;
    private final Exchange exchange;
    private final Team team;

    WgmmaProduct(Body body, Exchange exchange) {
        this.body = body;
        this.exchange = exchange;
        this.team = exchange.team();
    }

    /** How the groups share the sums out. @param threadBits of whole groups */
    static WgmmaSums sums(List<Integer> extents, int threadBits) {
        int rows = Math.max(WgmmaSums.ROWS, Layout.bitsOf(extents.get(0)));
        int columns = Math.max(WgmmaSums.LEAST_COLUMNS, Layout.bitsOf(extents.get(1)));
        int groups = threadBits - WgmmaSums.GROUP;
        int down = Math.min(groups, rows - WgmmaSums.ROWS);
        return new WgmmaSums(rows, columns, down, Math.min(groups - down, columns - WgmmaSums.LEAST_COLUMNS));
    }

    /** {@code c += a b}. */
    Held of(Held c, Held a, Held b) {
        WgmmaSums how = sums(c.extents(), team.bits());
        Layout layout = how.layout(team.bits());
        Held start = exchange.as(body, c, layout);
        Register d = Registers.held(body, "sums", c.type(), layout, c.extents()).register();
        Registers.each(body, d.count(), (s, r) -> s.assign(d.at(r), start.register().at(r)));
        int depth = Math.max(DEPTH, Layout.bitsOf(a.extents().get(1)));
        MatrixTile left = matrix(how.rows(), depth);
        MatrixTile right = matrix(how.columns(), depth);
        Held rows = exchange.zeroBeyond(body, a, across(how.rows(), depth));
        Held columns = exchange.zeroBeyond(body, b.transposed(List.of(1, 0)), across(how.columns(), depth));
        exchange.need(left.bytes() + right.bytes());
        team.sync(body);
        put(rows, left, 0);
        put(columns, right, left.bytes());
        body.purpose("tensor cores see what this thread wrote").proxyFence(FenceProxyAsync.Memory.SHARED);
        team.sync(body);
        multiply(how, new WgmmaFloat(Multiplier.types(a.type(), b.type(), c.type()), 1 << how.columnsOfOne()), d,
                left, right);
        return new Held(d, layout, c.extents());
    }

    /** Sixteen neighbours along k in a thread's registers. */
    private Layout across(int mn, int depth) {
        return Layout.blocked(List.of(mn, depth), SIDE, team.bits());
    }

    private static MatrixTile matrix(int mn, int depth) {
        return new MatrixTile(1 << mn, 1 << depth, 1, MatrixMajor.K, Swizzle.NONE);
    }

    /** Writes a factor where tensor cores look for it, 16 bytes at a time. */
    private void put(Held from, MatrixTile to, int offset) {
        Places places = new Places(body, from.layout());
        Expr first = Exchange.first(from.layout());
        int side = 1 << SIDE;
        body.unrolled("part", from.layout().registerCount() / side, (each, part) -> {
            Expr register = part.times(side);
            Expr at = places.at(1, register).dividedBy(side).times(to.panelStride())
                    .plus(places.at(0, register).times(to.panelBytes())).plus(offset);
            List<Value> words = new ArrayList<>();
            for (int word = 0; word < WORDS; word++) {
                List<Value> elements = new ArrayList<>();
                for (int e = 0; e < side / WORDS; e++) {
                    elements.add(from.register().at(register.plus(word * (side / WORDS) + e)));
                }
                words.add(Multiplier.packed(elements));
            }
            if (first == null) {
                each.store(exchange.scratch().at(at), words);
            } else {
                each.when(first, one -> one.store(exchange.scratch().at(at), words));
            }
        });
    }

    private void multiply(WgmmaSums how, WgmmaFloat form, Register d, MatrixTile left, MatrixTile right) {
        Expr group = Builtin.THREAD.shiftRight(WgmmaSums.GROUP);
        Expr down = group.bitAnd((1 << how.down()) - 1).shiftLeft(how.rows() - how.down());
        Expr across = group.shiftRight(how.down()).bitAnd((1 << how.across()) - 1)
                .shiftLeft(how.columns() - how.across());
        Expr a = body.purpose("matrix descriptor of this group's rows of A").let("a", exchange.scratch().at(0)
                .descriptor(left)
                .plus(down.times(left.panelBytes() >> 4).toS64()));
        Expr b = body.purpose("matrix descriptor of this group's columns of B").let("b", exchange.scratch()
                .at(left.bytes())
                .descriptor(right).plus(across.times(right.panelBytes() >> 4).toS64()));
        boolean halves = form.types().d() == MmaType.F16;
        int each = how.registers() / (halves ? 2 : 1);
        Register sums = halves ? body.registers("halves", ValueType.U32, d.count() / 2) : d;
        if (halves) {
            Registers.each(body, sums.count(), (s, r) -> s.assign(sums.at(r), Multiplier.packed(List.of(
                    d.at(r.times(2)), d.at(r.times(2).plus(1))))));
        }
        body.purpose("from here on the tensor cores own the sums").wgmmaFence();
        for (int step = 0; step < left.k(); step += form.k()) {
            for (int i = 0; i < how.instructionsDown() * how.instructionsAcross(); i++) {
                int row = i / how.instructionsAcross() * form.m();
                int column = i % how.instructionsAcross() * form.n();
                body.purpose("sums += A B").issue(form, Input.of(sums, i * each),
                        Input.of(a.plus(left.startOf(row, step) >> 4)),
                        Input.of(b.plus(right.startOf(column, step) >> 4)), Input.of(1));
            }
        }
        body.purpose("commit the products as one group").wgmmaCommit();
        body.purpose("the products are done").wgmmaWait(0);
        if (halves) {
            Registers.each(body, d.count(), (s, r) -> s.assign(d.at(r), sums.at(r.dividedBy(2))
                    .shiftRight(r.modulo(2).times(16).toValue().to(ValueType.U32)).to(ValueType.U16)
                    .bitCast(ValueType.F16)));
        }
    }
}
