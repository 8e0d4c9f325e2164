package dev.tilewright.builder;

import static dev.tilewright.builder.Refusals.refused;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.BadRequestException;
import dev.tilewright.layout.ElementType;
import java.math.BigInteger;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** Arithmetic on shapes, against numbers of any size. */
class ShapesTest {

    @Property(tries = 750)
    void elementsAreTheExactProductOrRefused(@ForAll("shapes") List<Long> shape, @ForAll ElementType type) {
        BigInteger bytes = BigInteger.valueOf(type.bytes());
        for (long n : shape) {
            bytes = bytes.multiply(BigInteger.valueOf(Math.max(n, 1)));
        }
        boolean negative = shape.stream().anyMatch(n -> n < 0);
        if (!negative && bytes.compareTo(BigInteger.ONE.shiftLeft(62)) <= 0) {
            assertEquals(shape.contains(0L) ? 0 : bytes.longValueExact() / type.bytes(), Shapes.elements(shape, type));
        } else {
            try {
                Shapes.elements(shape, type);
                throw new AssertionError(shape + " of " + type + " is taken");
            } catch (BadRequestException e) {
                String large = "an array of shape " + Shapes.text(shape) + " " + type
                        + " is too large: at most 2^62 bytes";
                String below = "a dimension cannot be negative: shape " + Shapes.text(shape);
                assertTrue(e.getMessage().equals(large) || negative && e.getMessage().equals(below), e.getMessage());
            }
        }
    }

    @Property
    void anotherRankHasTheSameElementsAndTheSameRows(@ForAll("small") List<Long> shape,
            @ForAll @IntRange(min = 1, max = 5) int rank) {
        List<Long> other = Shapes.withRank(shape, rank);
        assertEquals(rank, other.size());
        assertEquals(Shapes.elements(shape, ElementType.U8), Shapes.elements(other, ElementType.U8));
        if (rank > 1 && !shape.isEmpty()) {
            assertEquals(shape.getLast(), other.getLast());
        }
        int kept = Math.min(rank, shape.size()) - 1;
        if (kept > 0) {
            assertEquals(shape.subList(shape.size() - kept, shape.size()), other.subList(rank - kept, rank));
        }
    }

    @Test
    void ranksByHand() {
        assertEquals(List.of(6L, 5L), Shapes.withRank(List.of(2L, 3L, 5L), 2));
        assertEquals(List.of(30L), Shapes.withRank(List.of(2L, 3L, 5L), 1));
        assertEquals(List.of(1L, 1L, 7L), Shapes.withRank(List.of(7L), 3));
        assertEquals(List.of(1L), Shapes.withRank(List.of(), 1));
    }

    @Test
    void tiles() {
        assertEquals(1 << 30, Shapes.tiles(List.of(1L << 15, 1L << 15)));
        assertEquals(0, Shapes.tiles(List.of(5L, 0L)));
        refused("that makes more than 1073741824 tiles: choose a larger tile",
                () -> Shapes.tiles(List.of(1L << 15, (1L << 15) + 1)));
    }

    @Test
    void runsOfTiles() {
        assertEquals(7, GridPolicy.tilesEach(7).tilesPerBlock(100));
        assertEquals(34, GridPolicy.over(3).tilesPerBlock(100));
        assertEquals(1, GridPolicy.over(300).tilesPerBlock(100));
        assertEquals(1, GridPolicy.over(3).tilesPerBlock(0));
        assertEquals("tiles per block must be at least 1, got 0", messageOf(() -> GridPolicy.tilesEach(0)));
        assertEquals("blocks must be at least 1, got -1", messageOf(() -> GridPolicy.over(-1)));
    }

    private static String messageOf(Runnable wrong) {
        try {
            wrong.run();
            return "nothing";
        } catch (IllegalArgumentException e) {
            return e.getMessage();
        }
    }

    @Provide
    Arbitrary<List<Long>> shapes() {
        return Arbitraries.oneOf(Arbitraries.longs().between(0, 1 << 20), Arbitraries.longs().between(-2, 3),
                Arbitraries.longs(), Arbitraries.integers().between(0, 62).map(bit -> 1L << bit)).list().ofMaxSize(5);
    }

    @Provide
    Arbitrary<List<Long>> small() {
        return Arbitraries.longs().between(0, 50).list().ofMaxSize(7);
    }
}
