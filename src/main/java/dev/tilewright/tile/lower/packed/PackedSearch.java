package dev.tilewright.tile.lower.packed;

import static dev.tilewright.tile.lower.analysis.WhyNot.unless;

import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Axis;
import dev.tilewright.tile.Region;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileNode;
import dev.tilewright.tile.lower.analysis.OneLoop;
import dev.tilewright.tile.lower.analysis.WhyNot;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Looks for a {@link PackedPattern} among what a tile is computed by, part by part: each part says why there is none,
 * or leaves what it found to the parts after it.
 */
final class PackedSearch {
    private static final String NO_SCALED_PRODUCT = "what a turn leaves is no scaled product";

    private final List<Region.Item> items;
    private final Function<Tile, List<Integer>> extents;
    private final Predicate<Tensor> aligned;
    private TileNode.Loop loop;
    private Tile product;
    private Tile scale;
    /** A turn's products, the first of which is added to zero. */
    private final List<Link> links = new ArrayList<>();
    private TileNode.Load scales;
    /** Of a turn, as far as they are known. */
    private final Set<Tile> tiles = new HashSet<>();
    private PackedPattern pattern;

    /** A product of a turn. */
    private record Link(Tile left, PackedFactor b) {
        TileNode.Load a() {
            return (TileNode.Load) left.node();
        }
    }

    /** @param extents of a tile @param aligned whether a tensor's rows begin at multiples of 16 bytes */
    PackedSearch(List<Region.Item> items, Function<Tile, List<Integer>> extents, Predicate<Tensor> aligned) {
        this.items = items;
        this.extents = extents;
        this.aligned = aligned;
    }

    PackedPattern.Match match() {
        return WhyNot.first(List.of(this::oneLoop, this::scaledProduct, this::products, this::scales, this::halves,
                this::places, this::sizes)).map(reason -> new PackedPattern.Match(Optional.empty(), reason))
                .orElseGet(() -> new PackedPattern.Match(Optional.of(pattern), ""));
    }

    private Optional<String> oneLoop() {
        OneLoop one = OneLoop.of(items);
        if (one.loop().isEmpty()) {
            return Optional.of(one.reason());
        }
        loop = one.loop().get();
        if (loop.next().size() != 1 || !isZero(loop.initial().getFirst())) {
            return Optional.of("more than sums from zero are carried");
        }
        Tile zeros = loop.initial().getFirst();
        return unless(items.stream().noneMatch(item -> item instanceof Tile tile
                && tile.node().inputs().contains(zeros) || item instanceof Region.Store store
                && store.tile() == zeros), "the zeros have another use");
    }

    private static boolean isZero(Tile tile) {
        return tile.node() instanceof TileNode.Full(Value.Const zero) && zero.word() == 0
                && zero.type() == ValueType.F32;
    }

    private Optional<String> scaledProduct() {
        Tile next = loop.next().getFirst();
        if (!(next.node() instanceof TileNode.Map map && map.inputs().size() == 3
                && map.value() instanceof Value.Fma fma)) {
            return Optional.of(NO_SCALED_PRODUCT);
        }
        List<Value> parameters = map.parameters().stream().map(Register::get).toList();
        if (!parameters.containsAll(List.of(fma.a(), fma.b(), fma.c()))) {
            return Optional.of(NO_SCALED_PRODUCT);
        }
        product = map.inputs().get(parameters.indexOf(fma.a()));
        scale = map.inputs().get(parameters.indexOf(fma.b()));
        tiles.add(next);
        return unless(map.inputs().get(parameters.indexOf(fma.c())) == loop.carried().getFirst(),
                "the carried tile is not the one that is added to");
    }

    private Optional<String> products() {
        Tile tile = product;
        while (tile.node() instanceof TileNode.Product multiplied) {
            Optional<PackedFactor> b = PackedFactor.of(multiplied.b());
            if (b.isEmpty()) {
                return Optional.of("the right factor is no number out of bytes");
            }
            if (!(multiplied.a().node() instanceof TileNode.Load)) {
                return Optional.of("the left factor is computed");
            }
            tiles.addAll(b.get().tiles());
            tiles.addAll(List.of(tile, multiplied.a()));
            links.addFirst(new Link(multiplied.a(), b.get()));
            tile = multiplied.c();
        }
        tiles.add(tile);
        return unless(isZero(tile) && !links.isEmpty(), "products are added to more than zero");
    }

    /** A scale of each column; with it all of a turn is known. */
    private Optional<String> scales() {
        Tile tile = scale;
        boolean exchanged = false;
        while (!(tile.node() instanceof TileNode.Load)) {
            tiles.add(tile);
            if (tile.node() instanceof TileNode.Transpose) {
                exchanged = !exchanged;
            } else if (!isConversion(tile)) {
                return Optional.of("scales are computed");
            }
            tile = tile.node().inputs().getFirst();
        }
        tiles.add(tile);
        scales = (TileNode.Load) tile.node();
        if (!exchanged || scales.axes().size() != 2 || !(scales.axes().getLast() instanceof Span span)
                || span.single() || span.length().size().orElse(0) != 1) {
            return Optional.of("scales are not one for each column");
        }
        if (!loop.body().items().stream().allMatch(item -> item instanceof Tile of && tiles.contains(of))) {
            return Optional.of("a turn computes more than it multiplies");
        }
        int group = links.stream().mapToInt(link -> extents.apply(link.left).getLast()).sum();
        pattern = new PackedPattern(loop, extents.apply(loop.next().getFirst()), group, links.getFirst().a(),
                links.getFirst().b, scales);
        return Optional.empty();
    }

    private static boolean isConversion(Tile tile) {
        return tile.node() instanceof TileNode.Map map && map.inputs().size() == 1
                && map.value() instanceof Value.Convert(Value of, var conversion, var _)
                && conversion.to() == ValueType.F32 && of.equals(map.parameters().getFirst().get());
    }

    /** Of 4 bits the low ones of a group's bytes are multiplied first, and then the high ones. */
    private Optional<String> halves() {
        PackedFactor packed = pattern.packed();
        int bits = packed.bits();
        if (links.size() != Byte.SIZE / bits) {
            return Optional.of("a turn multiplies all of its bytes once");
        }
        for (int i = 0; i < links.size(); i++) {
            PackedFactor b = links.get(i).b;
            if (b.load() != packed.load() || b.shift() != i * bits || b.bits() != bits || b.less() != packed.less()) {
                return Optional.of("numbers of a byte are multiplied in another order");
            }
        }
        return Optional.empty();
    }

    /** Turns take places that follow each other, of all tensors the same. */
    private Optional<String> places() {
        List<Axis> left = pattern.a().axes();
        List<Axis> bytes = pattern.packed().load().axes();
        List<Axis> rates = scales.axes();
        if (links.stream().anyMatch(link -> link.a().tensor() != pattern.a().tensor() || link.a().axes().size() != 2
                || !link.a().axes().getFirst().equals(left.getFirst()))) {
            return Optional.of("left factors do not follow each other");
        }
        if (bytes.size() != 2) {
            return Optional.of("bytes do not follow each other");
        }
        if (!Stream.concat(links.stream().map(link -> link.a().axes().getLast()), Stream.of(bytes.getLast(),
                rates.getLast(), rates.getFirst(), bytes.getFirst())).allMatch(PackedSearch::hasStart)) {
            return Optional.of("places do not follow each other");
        }
        long group = pattern.group();
        Expr first = loop.turn().toS64().times(Expr.of(group));
        for (int i = 0; i < links.size(); i++) {
            Expr start = i == 0 ? first : first.plus(Expr.of(i * group / links.size()));
            if (!start(links.get(i).a().axes().getLast()).equals(start)) {
                return Optional.of("left factors do not follow each other");
            }
        }
        Expr byteStart = pattern.bits() == Byte.SIZE ? first : first.dividedBy(Expr.of(2L));
        return unless(start(bytes.getLast()).equals(byteStart), "bytes do not follow each other")
                .or(() -> unless(start(rates.getLast()).equals(first.dividedBy(Expr.of(group)))
                && start(rates.getFirst()).equals(start(bytes.getFirst())), "scales are not of the same places"));
    }

    private static boolean hasStart(Axis axis) {
        return axis instanceof Span span && span.step() == 1 && !span.single();
    }

    private static Expr start(Axis axis) {
        return ((Span) axis).start();
    }

    private Optional<String> sizes() {
        int rows = pattern.sums().getFirst();
        int columns = pattern.sums().getLast();
        int group = pattern.group();
        PackedFactor packed = pattern.packed();
        return unless(Integer.bitCount(rows) == 1 && rows >= PackedPattern.LEAST_ROWS
                && rows <= PackedPattern.MOST_ROWS, "a tile has 2, 4, … 64 rows, not " + rows)
                .or(() -> unless(Integer.bitCount(columns) == 1 && columns >= PackedPattern.WARP_COLUMNS
                && pattern.warpsOfPart() <= PackedPattern.MOST_WARPS && Integer.bitCount(loop.parts()) == 1,
                "a tile's columns, " + columns + ", are not shared out by 32, or k is split in " + loop.parts()
                + " parts"))
                .or(() -> unless(Integer.bitCount(group) == 1 && group >= PackedPattern.LEAST_GROUP
                && pattern.rowBytes() <= PackedPattern.LINE, "a group has 64 or 128 numbers, of 4 bits also 256, not "
                + group))
                .or(() -> unless(pattern.a().tensor().type() == packed.type()
                && loop.carried().getFirst().type() == ValueType.F32, "factors are of different types"))
                .or(() -> unless(packed.bits() < Byte.SIZE || packed.less() == 1 << Byte.SIZE - 1,
                "numbers of 8 bits are not signed"))
                .or(() -> Stream.of(pattern.a(), packed.load(), scales).map(this::whyNotLoaded)
                .flatMap(Optional::stream).findFirst());
    }

    private Optional<String> whyNotLoaded(TileNode.Load load) {
        String tensor = "'" + load.tensor().name() + "'";
        return unless(load.outside().word() == 0, tensor + " is not 0 outside")
                .or(() -> unless(load == scales || aligned.test(load.tensor()), "rows of " + tensor
                + " do not begin at multiples of 16 bytes"));
    }
}
