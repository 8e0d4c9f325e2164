package dev.tilewright.tile;

import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Refuses stores of which it is known without extents that tiles overlap; a launch is held to the rest of the rule. */
final class Neighbours {
    private static final String REMEDY = ": their order, which is not said, would decide bytes. Store at the tile's own"
            + " place, update with integers, or scatter";

    private Neighbours() { }

    /** @param store of a tile at places that no other tile names */
    static void requireApart(Grid grid, Region.Store store) {
        if (store.update().isSet()) {
            overlap(grid, store, false).ifPresent(how -> {
                throw new IllegalArgumentException(how + REMEDY);
            });
        }
    }

    /**
     * Holds stores of one tensor to one operation, or to places that tiles have for themselves.
     *
     * @param before of the same tensor
     */
    static void requireAlike(Grid grid, List<Region.Store> before, Region.Store store) {
        before.stream().filter(other -> other.update() != store.update()).findFirst().ifPresent(other ->
                Stream.concat(before.stream(), Stream.of(store)).flatMap(each -> overlap(grid, each, true).stream())
                .findFirst().ifPresent(how -> {
                    throw new IllegalArgumentException("tensor '" + store.tensor().name() + "' is "
                            + said(store.update()) + " here and " + said(other.update()) + " at " + other.line()
                            + ", and " + how + ": the order of different operations, which is not said, would decide "
                            + "bytes. Use one operation for both, another tensor, or the tile's own place");
                }));
    }

    private static String said(Update update) {
        return update.isSet() ? "stored into" : "updated with " + update;
    }

    /** How tiles overlap in what they store, if they do. @param several whether a dimension has several tiles */
    private static Optional<String> overlap(Grid grid, Region.Store store, boolean several) {
        List<Optional<AffineIndex>> starts = store.axes().stream().map(axis -> AffineIndex.of(((Span) axis).start(),
                Map.of())).toList();
        for (int i = 0; i < grid.steps().size(); i++) {
            Steps steps = grid.steps().get(i);
            int number = grid.numbers().get(i).number();
            List<Integer> having = IntStream.range(0, starts.size()).filter(axis -> starts.get(axis).map(start ->
                    start.factors().containsKey(number)).orElse(true)).boxed().toList();
            Optional<String> how = Optional.empty();
            if (having.isEmpty()) {
                how = inOnePlace(steps, store, several);
            } else if (having.size() == 1 && starts.get(having.getFirst()).isPresent()) {
                AffineIndex start = starts.get(having.getFirst()).get();
                if (grid.numbers().stream().filter(n -> start.factors().containsKey(n.number())).count() == 1) {
                    how = tooNear(steps, start.factors().get(number), store, having.getFirst());
                }
            }
            if (how.isPresent()) {
                return how;
            }
        }
        return Optional.empty();
    }

    private static Optional<String> inOnePlace(Steps steps, Region.Store store, boolean several) {
        boolean known = steps.dim().size().isPresent();
        return tiles(steps) < 2 || !known && !several ? Optional.empty() : Optional.of("all " + (known ? tiles(steps)
                + " " : "") + "tiles along '" + steps.dim() + "' store into the same places of '"
                + store.tensor().name() + "'");
    }

    /** @param apart how far tiles are apart along the axis of the tensor */
    private static Optional<String> tooNear(Steps steps, long apart, Region.Store store, int axis) {
        Span span = (Span) store.axes().get(axis);
        long gcd = BigInteger.valueOf(apart).gcd(BigInteger.valueOf(span.step())).longValueExact();
        long next = span.step() / gcd;
        return Math.abs(apart) / gcd < span.length().size().orElse(0) && tiles(steps) > next
                && store.tensor().dims().get(axis).equals(steps.dim()) ? Optional.of("tiles along '" + steps.dim()
                + "' are " + Math.abs(apart) + " apart and store " + span.length() + " places" + (span.step() == 1 ? ""
                : ", " + span.step() + " apart,") + " of '" + store.tensor().name() + "' each, so that they overlap")
                : Optional.empty();
    }

    /** How many there are, or may be. */
    private static long tiles(Steps steps) {
        return Math.ceilDiv(steps.dim().size().orElse(Long.MAX_VALUE), (long) steps.length());
    }
}
