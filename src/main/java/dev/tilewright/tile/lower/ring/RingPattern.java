package dev.tilewright.tile.lower.ring;

import dev.tilewright.NotNull;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.MatrixArithmetic;
import dev.tilewright.tile.Region;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.TileNode;
import dev.tilewright.tile.lower.analysis.Factor;
import dev.tilewright.tile.lower.layout.Vectors;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * A loop whose turns add products of tiles of tensors to what it carries: copies can bring the factors of the turns
 * that come while one is multiplied.
 *
 * @param products of a turn, one for each tile that is carried
 */
public record RingPattern(TileNode.Loop loop, List<RingProduct> products) {
    public RingPattern {
        NotNull.all("loop, products", loop, products);
        products = List.copyOf(products);
    }

    /** The match, if there is one. @param reason in words, where there is none */
    public record Match(Optional<RingPattern> pattern, String reason) {
        public Match {
            NotNull.all("pattern, reason", pattern, reason);
        }
    }

    /** What decides. @param extents of a tile @param whose products the kernel has */
    public record Given(Function<Tile, List<Integer>> extents, Vectors vectors, MatrixArithmetic whose) {
        public Given {
            NotNull.all("extents, vectors, whose", extents, vectors, whose);
        }
    }

    /** The first such loop of a kernel. */
    public static Match of(TileKernel kernel, Given given) {
        NotNull.all("kernel, given", kernel, given);
        List<Match> matches = loops(kernel.grid().body()).map(loop -> of(loop, given)).toList();
        return matches.stream().filter(match -> match.pattern().isPresent()).findFirst().orElseGet(() ->
                matches.stream().findFirst().orElseGet(() -> none("no loop adds up matrix products")));
    }

    private static Stream<TileNode.Loop> loops(Region region) {
        return region.items().stream().flatMap(item -> switch (item) {
            case TileNode.Loop loop -> Stream.concat(Stream.of(loop), loops(loop.body()));
            case Region.When when -> loops(when.then());
            default -> Stream.empty();
        });
    }

    private static Match of(TileNode.Loop loop, Given given) {
        List<Region.Item> left = new ArrayList<>(loop.body().items());
        List<RingProduct> products = new ArrayList<>();
        for (int i = 0; i < loop.next().size(); i++) {
            Tile next = loop.next().get(i);
            if (!(next.node() instanceof TileNode.Product(Tile c, Tile a, Tile b)) || c != loop.carried().get(i)) {
                return none("the loop does more than add products to what it carries");
            }
            Optional<Factor> first = Factor.of(a);
            Optional<Factor> second = Factor.of(b);
            if (first.isEmpty() || second.isEmpty()) {
                return none("the loop computes what it multiplies");
            }
            Optional<String> problem = whyNot(c.type(), a.type(), given.whose());
            if (problem.isPresent()) {
                return none(problem.get());
            }
            left.remove(next);
            left.removeAll(first.get().tiles());
            left.removeAll(second.get().tiles());
            products.add(RingProduct.of((TileNode.Product) next.node(), first.get(), second.get(), given));
        }
        if (products.isEmpty() || !left.isEmpty()) {
            return none("the loop does more than add products to what it carries");
        }
        return products.stream().flatMap(product -> product.factors().stream()).flatMap(factor ->
                factor.whyNot().stream()).findFirst().map(RingPattern::none).orElseGet(() -> new Match(Optional.of(
                        new RingPattern(loop, products)), ""));
    }

    private static Optional<String> whyNot(ValueType sums, ValueType factors, MatrixArithmetic whose) {
        if (factors == ValueType.F32) {
            return Optional.of("f32 is multiplied by fused multiply-adds, and not by mma.sync");
        }
        if (whose == MatrixArithmetic.HOPPER_WGMMA && factors.isFloat() && factors.bits() == Byte.SIZE) {
            return Optional.of("products of " + factors + " are to have the bits of " + whose + ", and those of "
                    + "mma.sync are others");
        }
        return sums == ValueType.F16 ? Optional.of("sums of f16 are not carried as mma.sync takes them") : Optional
                .empty();
    }

    /** No match. @param reason in words */
    public static Match none(String reason) {
        return new Match(Optional.empty(), reason);
    }

    /** All factors, those that several products have in common once. */
    public List<RingFactor> factors() {
        return products.stream().flatMap(product -> product.factors().stream()).distinct().toList();
    }

    /** Whether copies bring a load's tile. */
    public boolean brings(TileNode.Load load) {
        return factors().stream().anyMatch(factor -> factor.load() == load);
    }

    /** Bytes of a copy of a load's tile. */
    public int copied(TileNode.Load load) {
        return factors().stream().filter(factor -> factor.load() == load).findFirst().orElseThrow().copied();
    }

    /** Bytes of a turn's factors in shared memory. */
    public int bytes() {
        return factors().stream().mapToInt(RingFactor::bytes).sum();
    }

    /** Where a factor begins in a stage. */
    int offset(RingFactor of) {
        return factors().stream().takeWhile(factor -> !factor.equals(of)).mapToInt(RingFactor::bytes).sum();
    }
}
