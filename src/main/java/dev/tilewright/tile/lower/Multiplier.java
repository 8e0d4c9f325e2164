package dev.tilewright.tile.lower;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.mma.MmaShape;
import dev.tilewright.ptx.mma.MmaSync;
import dev.tilewright.ptx.mma.MmaTypes;
import dev.tilewright.tile.MatrixArithmetic;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileNode;
import dev.tilewright.tile.lower.exchange.Exchange;
import dev.tilewright.tile.lower.layout.Elementwise;
import dev.tilewright.tile.lower.layout.Fragments;
import dev.tilewright.tile.lower.layout.Held;
import dev.tilewright.tile.lower.layout.Layout;
import dev.tilewright.tile.lower.layout.Registers;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;

/**
 * Products of matrices of tiles in registers: by {@code mma.sync}, of 8-bit floats by {@code wgmma} where these are to
 * have its bits, of f32 by chains of fused multiply-adds.
 */
record Multiplier(Body body, Exchange exchange, MatrixArithmetic whose) {
    /** Registers of A and B in a thread beyond which it takes one step along k at a time. */
    private static final int MOST_WORDS = 80;
    /** Steps of a chain along k: more are a loop. */
    private static final int MOST_WRITTEN_OUT = 64;
    /** Of a block's registers. */
    private static final int QUARTER = 1 << 14;

    private static Fragments fragments(ValueType operand, List<Integer> sums, int k, int threadBits) {
        return Fragments.of(operand, Layout.bitsOf(sums.get(0)), Layout.bitsOf(sums.get(1)), Layout.bitsOf(k),
                threadBits);
    }

    /** How sums are held; nothing where any way will do. @param operand A's type */
    static Optional<Layout> sums(ValueType operand, List<Integer> extents, MatrixArithmetic whose, int threadBits) {
        return operand == ValueType.F32 ? Optional.empty() : Optional.of(byWarpgroups(operand, whose)
                ? WgmmaProduct.sums(extents, threadBits).layout(threadBits)
                : fragments(operand, extents, 1, threadBits).sums());
    }

    /** How a loop carries a tile: as the product wants its sums where the body adds one to it, else as it begins. */
    static Layout carried(TileNode.Loop loop, int number, Held first, MatrixArithmetic whose, int threadBits) {
        return loop.next().get(number).node() instanceof TileNode.Product(Tile _, Tile a, Tile _)
                ? sums(a.type(), first.extents(), whose, threadBits).orElse(first.layout())
                : first.layout();
    }

    /** Whether only {@code wgmma} has a product's bits. */
    static boolean byWarpgroups(ValueType operand, MatrixArithmetic whose) {
        return whose == MatrixArithmetic.HOPPER_WGMMA && (operand == ValueType.E4M3 || operand == ValueType.E5M2);
    }

    Held product(Held c, Held a, Held b) {
        return a.type() == ValueType.F32 ? chain(c, a, b) : byWarpgroups(a.type(), whose)
                ? new WgmmaProduct(body, exchange).of(c, a, b) : instructions(c, a, b);
    }

    /** Each thread adds its own elements' products, k ascending; A and B are read from memory, one after the other. */
    private Held chain(Held c, Held a, Held b) {
        int k = a.extents().get(1);
        Held sum = Registers.held(body, "sums", c.type(), c.layout(), c.extents());
        Registers.each(body, c.layout().registerCount(), (s, r) -> s.assign(sum.register().at(r), c.register().at(r)));
        int rows = a.extents().get(0);
        Held column = Registers.held(body, "left", a.type(), c.layout(), c.extents());
        Held row = Registers.held(body, "right", b.type(), c.layout(), c.extents());
        // A block of k at a time would save exchanges; the whole of both matrices does not fit beside each other.
        BiConsumer<Body, Expr> step = (each, at) -> {
            exchange.write(each, a);
            exchange.readInto(each, column, (places, r) -> new Exchange.Place(places.at(0, r).times(k).plus(at),
                    places.inside(c.extents(), r)), Exchange.zero(a.type()));
            exchange.write(each, b);
            exchange.readInto(each, row, (places, r) -> new Exchange.Place(places.at(1, r)
                    .plus(at.times(b.extents().get(1))), places.inside(c.extents(), r)), Exchange.zero(b.type()));
            Registers.each(each, c.layout().registerCount(), (s, r) -> s.assign(sum.register().at(r),
                    column.register().at(r).fma(row.register().at(r), sum.register().at(r))));
        };
        if (k > MOST_WRITTEN_OUT) {
            body.purpose("along k").loop("k", k, step::accept);
        } else {
            IntStream.range(0, k).forEach(at -> step.accept(body, Expr.of(at)));
        }
        return sum;
    }

    private Held instructions(Held c, Held a, Held b) {
        int k = a.extents().get(1);
        Fragments fragments = fragments(a.type(), c.extents(), k, exchange.team().bits());
        Held sums = exchange.as(body, c, fragments.sums());
        Register d = Registers.held(body, "sums", c.type(), fragments.sums(), c.extents()).register();
        Registers.each(body, d.count(), (s, r) -> s.assign(d.at(r), sums.register().at(r)));
        int words = (fragments.a().registerCount() + fragments.b().registerCount()) / fragments.packed();
        if (words > Math.min(MOST_WORDS, QUARTER / exchange.team().threads()) && fragments.packed() > 1
                && c.type() != ValueType.F16) {
            inPieces(fragments, d, a, b);
            return new Held(d, fragments.sums(), c.extents());
        }
        Register left = operand(factor(a, fragments.a()), fragments.packed());
        Register right = operand(factor(b, fragments.b()), fragments.packed());
        MmaSync form = form(a.type(), b.type(), c.type(), fragments);
        int m = 1 << fragments.sums().bits().get(0);
        int n = 1 << fragments.sums().bits().get(1);
        int each = fragments.rows() * 8 / 32;
        boolean halves = c.type() == ValueType.F16;
        for (int row = 0; row < m; row += fragments.rows()) {
            for (int column = 0; column < n; column += 8) {
                int first = register(fragments.sums(), row, column);
                for (int at = 0; first >= 0 && at < k; at += fragments.depth()) {
                    int la = register(fragments.a(), row, at);
                    int rb = register(fragments.b(), at, column);
                    if (halves) {
                        halves(form, d, first, each, left, la / fragments.packed(), right, rb / fragments.packed());
                    } else {
                        body.issue(form, Input.of(d, first), Input.of(left, la / fragments.packed()),
                                Input.of(right, rb / fragments.packed()), Input.of(d, first));
                    }
                }
            }
        }
        return new Held(d, fragments.sums(), c.extents());
    }

    /**
     * A factor as instructions take it, with zeros where they take more than the tile has. Elements of 8 bytes are wide
     * by themselves, and more of them at once would not fit in the registers.
     */
    private Held factor(Held tile, Layout layout) {
        return tile.type().bytes() < Long.BYTES && Exchange.isByBanks(Elementwise.of(tile), layout,
                tile.extents())
                ? exchange.as(body, tile, layout) : exchange.zeroBeyond(body, tile, layout);
    }

    /** One step along k after the other: of A and B a thread has no more in registers than a step takes. */
    private void inPieces(Fragments fragments, Register d, Held a, Held b) {
        int depth = fragments.depth();
        List<Integer> sums = fragments.sums().bits().stream().map(bits -> 1 << bits).toList();
        Fragments one = fragments(a.type(), sums, depth, exchange.team().bits());
        MmaSync form = form(a.type(), b.type(), d.type(), fragments);
        exchange.write(body, a);
        int before = Math.multiplyExact(a.extents().get(0), a.extents().get(1));
        exchange.write(body, b, before);
        body.unrolled("piece", (1 << fragments.a().bits().get(1)) / depth, (each, piece) -> {
            Multiplier part = new Multiplier(each, exchange, whose);
            Register left = part.piece(a, one.a(), 1, piece.times(depth), 0);
            Register right = part.piece(b, one.b(), 0, piece.times(depth), before);
            for (int row = 0; row < sums.get(0); row += fragments.rows()) {
                for (int column = 0; column < sums.get(1); column += 8) {
                    int first = register(fragments.sums(), row, column);
                    if (first >= 0) {
                        each.issue(form, Input.of(d, first),
                                Input.of(left, register(one.a(), row, 0) / fragments.packed()),
                                Input.of(right, register(one.b(), 0, column) / fragments.packed()),
                                Input.of(d, first));
                    }
                }
            }
        });
    }

    /** What a step takes of a factor. @param axis that goes along k @param from where on @param before in memory */
    private Register piece(Held whole, Layout layout, int axis, Expr from, int before) {
        Held part = Registers.held(body, "part", whole.type(), layout,
                layout.bits().stream().map(bits -> 1 << bits).toList());
        exchange.readInto(body, part, (places, r) -> {
            Expr element = Expr.of(0);
            Expr inside = null;
            for (int i = 0; i < 2; i++) {
                Expr at = i == axis ? places.at(i, r).plus(from) : places.at(i, r);
                int extent = whole.extents().get(i);
                element = element.times(extent).plus(at);
                if (extent < 1 << Math.max(whole.layout().bits().get(i), layout.bits().get(i))) {
                    inside = inside == null ? at.lessThan(extent) : inside.and(at.lessThan(extent));
                }
            }
            return new Exchange.Place(element.plus(before), inside);
        }, Exchange.zero(whole.type()));
        return operand(part, 32 / whole.type().bits());
    }

    /** Sums of f16 are two in a register of 32 bits. */
    private void halves(MmaSync form, Register d, int first, int each, Register left, int la, Register right, int rb) {
        Register packed = body.registers("halves", ValueType.U32, each / 2);
        for (int i = 0; i < each / 2; i++) {
            body.assign(packed.at(i), packed(List.of(d.at(first + 2 * i), d.at(first + 2 * i + 1))));
        }
        body.issue(form, Input.of(packed, 0), Input.of(left, la), Input.of(right, rb), Input.of(packed, 0));
        for (int i = 0; i < each; i++) {
            body.assign(d.at(first + i), packed.at(i / 2).shiftRight(16 * (i % 2)).to(ValueType.U16)
                    .bitCast(ValueType.F16));
        }
    }

    /** The registers of an operand: several elements in one of 32 bits, the first in the lowest. */
    private Register operand(Held held, int packed) {
        int count = held.layout().registerCount() / packed;
        if (held.type() == ValueType.F64) {
            return held.register();
        }
        Register words = body.registers("operand", ValueType.U32, count);
        for (int i = 0; i < count; i++) {
            List<Value> elements = new ArrayList<>();
            for (int e = 0; e < packed; e++) {
                elements.add(held.register().at(i * packed + e));
            }
            body.assign(words.at(i), packed(elements));
        }
        return words;
    }

    /** Elements of less than 32 bits side by side, the first in the lowest. */
    static Value packed(List<Value> elements) {
        Value word = null;
        for (int e = 0; e < elements.size(); e++) {
            ValueType type = elements.get(e).type();
            Value bits = elements.get(e).bitCast(type.bits() == 8 ? ValueType.U8 : type.bits() == 16 ? ValueType.U16
                    : ValueType.U32).to(ValueType.U32).shiftLeft(type.bits() * e % 32);
            word = word == null ? bits : word.or(bits);
        }
        return word;
    }

    /** The register of thread 0 that holds a place, or -1 where another thread does. */
    private static int register(Layout layout, int row, int column) {
        for (int r = 0; r < layout.registerCount(); r++) {
            int[] place = layout.place(r, 0);
            if (place[0] == row && place[1] == column) {
                return r;
            }
        }
        // Another warp's: its registers have the numbers of the place within thread 0's part.
        return -1;
    }

    private static MmaSync form(ValueType a, ValueType b, ValueType d, Fragments fragments) {
        MmaTypes types = types(a, b, d);
        MmaShape shape = a == ValueType.F64 ? MmaShape.M8N8K4
                : MmaShape.valueOf("M16N8K" + fragments.depth());
        return new MmaSync(shape, types);
    }

    /** What tensor cores call a product's types. */
    static MmaTypes types(TileNode.Product product) {
        return types(product.a().type(), product.b().type(), product.c().type());
    }

    static MmaTypes types(ValueType a, ValueType b, ValueType d) {
        return MmaTypes.valueOf(name(d) + "_" + name(a) + "_" + name(b));
    }

    private static String name(ValueType type) {
        return type.isInteger() && type.isSigned() ? "S" + type.bits() : type.name();
    }
}
