package dev.tilewright.tile;

import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/** Refuses stores of which it is known without extents that tiles overlap; a launch is held to the rest of the rule. */
final class Neighbours {
    private static final String REMEDY = ": their order, which is not said, would decide bytes. Store at the tile's own"
            + " place, update with integers, or scatter";

    private Neighbours() { }

    static void requireApart(Grid grid, Region.Store store) {
        List<Axis> axes = store.axes();
        if (!store.update().isSet() || axes.getFirst() instanceof Axis.Rows) {
            return;
        }
        List<Optional<AffineIndex>> starts = axes.stream().map(axis -> AffineIndex.of(((Span) axis).start(), Map.of()))
                .toList();
        for (int i = 0; i < grid.steps().size(); i++) {
            int number = grid.numbers().get(i).number();
            List<Integer> having = IntStream.range(0, axes.size()).filter(axis -> starts.get(axis).map(start ->
                    start.factors().containsKey(number)).orElse(true)).boxed().toList();
            if (having.isEmpty()) {
                requireOne(grid.steps().get(i), store);
            } else if (having.size() == 1 && starts.get(having.getFirst()).isPresent()) {
                AffineIndex start = starts.get(having.getFirst()).get();
                if (grid.numbers().stream().filter(n -> start.factors().containsKey(n.number())).count() == 1) {
                    requireApart(grid.steps().get(i), start.factors().get(number), store, having.getFirst());
                }
            }
        }
    }

    private static void requireOne(Steps steps, Region.Store store) {
        if (tiles(steps) > 1 && steps.dim().size().isPresent()) {
            throw new IllegalArgumentException("all " + tiles(steps) + " tiles along '" + steps.dim() + "' store into "
                    + "the same places of '" + store.tensor().name() + "'" + REMEDY);
        }
    }

    /** @param apart how far tiles are apart along the axis of the tensor */
    private static void requireApart(Steps steps, long apart, Region.Store store, int axis) {
        Span span = (Span) store.axes().get(axis);
        long gcd = BigInteger.valueOf(apart).gcd(BigInteger.valueOf(span.step())).longValueExact();
        long next = span.step() / gcd;
        if (Math.abs(apart) / gcd < span.length().size().orElse(0) && tiles(steps) > next
                && store.tensor().dims().get(axis).equals(steps.dim())) {
            throw new IllegalArgumentException("tiles along '" + steps.dim() + "' are " + Math.abs(apart)
                    + " apart and store " + span.length() + " places"
                    + (span.step() == 1 ? "" : ", " + span.step() + " apart,") + " of '" + store.tensor().name()
                    + "' each, so that they overlap" + REMEDY);
        }
    }

    /** How many there are, or may be. */
    private static long tiles(Steps steps) {
        return Math.ceilDiv(steps.dim().size().orElse(Long.MAX_VALUE), (long) steps.length());
    }
}
