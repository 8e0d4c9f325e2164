package dev.tilewright.tile;

import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Value;
import java.util.List;
import java.util.stream.Collectors;

/** Writes a kernel down, a line a tile. */
final class Listing {
    private final StringBuilder text = new StringBuilder();
    private final TileKernel kernel;

    private Listing(TileKernel kernel) {
        this.kernel = kernel;
    }

    static String of(TileKernel kernel) {
        return new Listing(kernel).text();
    }

    private String text() {
        line(0, "kernel " + kernel.name());
        kernel.tensors().forEach(tensor -> line(1, tensor.toString()));
        kernel.scalars().forEach(scalar -> line(1, "scalar " + scalar.name() + ": " + scalar.type()));
        Grid grid = kernel.grid();
        line(1, "for each tile " + grid.steps().stream().map(s -> s.dim() + " by " + s.length())
                .collect(Collectors.joining(", ")));
        region(2, grid.body());
        return text.toString();
    }

    private void region(int depth, Region region) {
        for (Region.Item item : region.items()) {
            switch (item) {
                case Tile tile -> {
                    if (!(tile.node() instanceof TileNode.Result)) {
                        line(depth, tile + " = " + tile.node().text());
                    }
                }
                case Region.Store store -> line(depth, (store.update() == Update.SET ? "store "
                        : store.update().name().toLowerCase(java.util.Locale.ROOT) + " ") + store.tensor().name()
                        + places(store.axes()) + " = " + store.tile().label());
                case Region.When when -> {
                    line(depth, "when " + expr(when.condition()));
                    region(depth + 1, when.then());
                }
                case TileNode.Loop loop -> loop(depth, region, loop);
            }
        }
    }

    private void loop(int depth, Region region, TileNode.Loop loop) {
        String results = region.items().stream().filter(i -> i instanceof Tile t
                && t.node() instanceof TileNode.Result(TileNode.Loop of, int _) && of == loop)
                .map(Object::toString).collect(Collectors.joining(", "));
        line(depth, (results.isEmpty() ? "" : results + " = ") + "for " + loop.turn().name() + " below "
                + expr(loop.turns()) + (loop.parts() == 1 ? "" : " in " + loop.parts() + " parts, added in order")
                + (loop.initial().isEmpty() ? "" : ", carrying " + labels(loop.carried()) + " from "
                        + labels(loop.initial())));
        region(depth + 1, loop.body());
        if (!loop.next().isEmpty()) {
            line(depth + 1, "next " + labels(loop.next()));
        }
    }

    private static String labels(List<Tile> tiles) {
        return tiles.stream().map(Tile::label).collect(Collectors.joining(", "));
    }

    static String places(List<Axis> axes) {
        return axes.stream().map(axis -> switch (axis) {
            case Span span -> span(span);
            case Axis.Rows rows -> rows.toString();
            case Axis.Patches p -> "patches " + span(p.pixels()) + " under "
                    + p.filter().stream().map(Listing::expr).toList();
        }).collect(Collectors.joining(", ", "[", "]"));
    }

    static String span(Span span) {
        return expr(span.start()) + (span.single() ? "" : " to +" + span.length()
                + (span.step() == 1 ? "" : " by " + span.step())) + (span.clamped() ? " or nearest" : "");
    }

    static String expr(Expr e) {
        return switch (e) {
            case Expr.Const(long value, var _) -> Long.toString(value);
            case Expr.Var v -> v.name();
            case Expr.ParamValue p -> p.parameter().name();
            case Expr.Binary b -> "(" + expr(b.left()) + " " + b.op().symbol() + " " + expr(b.right()) + ")";
            case Expr.Compare c -> expr(c.left()) + " " + c.relation().symbol() + " " + expr(c.right());
            case Expr.And a -> expr(a.left()) + " && " + expr(a.right());
            case Expr.Or o -> "(" + expr(o.left()) + " || " + expr(o.right()) + ")";
            case Expr.Not n -> "!(" + expr(n.condition()) + ")";
            case Expr.Select s -> "(" + expr(s.condition()) + " ? " + expr(s.yes()) + " : " + expr(s.no()) + ")";
            case Expr.Convert c -> expr(c.value());
            default -> e.toString();
        };
    }

    static String value(Value value) {
        return switch (value) {
            case Value.Const c -> c.type().isFloat() || c.type().bits() > 32 && c.word() < 0
                    ? c.type() + "(0x" + Long.toHexString(c.word()) + ")" : Long.toString(c.word());
            case Value.Index(Expr e) -> expr(e);
            case Value.Scalar s -> s.parameter().name();
            case Value.Element(var register, var _) -> register.name();
            case Value.Convert v -> v.conversion().to() + list(v.parts());
            case Value.BitCast v -> "bits " + v.type() + list(v.parts());
            case Value.Unary v -> v.op() + list(v.parts());
            case Value.Binary v -> v.op() + list(v.parts());
            case Value.Compare v -> v.comparison() + list(v.parts());
            case Value.PickBytes v -> "bytes 0x%04x of ".formatted(v.selector()) + list(v.parts());
            case Value.Pairwise v -> "pairs of " + v.half() + " " + v.op() + list(v.parts());
            case Value.Compound v -> v.getClass().getSimpleName().toLowerCase(java.util.Locale.ROOT) + list(v.parts());
            case Value.Approximate v -> v.op() + list(v.parts());
            case Value.Call v -> v.function().name() + list(v.arguments());
        };
    }

    private static String list(List<Value> values) {
        return values.stream().map(Listing::value).collect(Collectors.joining(", ", "(", ")"));
    }

    private void line(int depth, String line) {
        text.append("  ".repeat(depth)).append(line).append('\n');
    }
}
