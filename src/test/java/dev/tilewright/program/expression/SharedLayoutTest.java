package dev.tilewright.program.expression;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

/**
 * Where shared regions lie: aligned, apart, in the order given, and no further from one another than alignment asks.
 */
class SharedLayoutTest {

    @Property(tries = 500)
    void regionsAreAlignedDisjointInOrderAndTight(@ForAll("layouts") List<SharedRegion> regions) {
        SharedLayout layout = new SharedLayout(regions);
        Map<String, Integer> offsets = layout.offsets();
        assertEquals(regions.stream().map(SharedRegion::name).toList(), List.copyOf(offsets.keySet()));
        int end = 0;
        for (SharedRegion r : regions) {
            int start = offsets.get(r.name());
            assertEquals(0, start % r.alignment(), r::toString);
            assertTrue(start >= end && start - end < r.alignment(), r::toString);
            assertEquals(0, layout.alignment() % r.alignment(), "the base is aligned for every region");
            end = start + r.bytes();
        }
        assertEquals(end, layout.bytes());
        assertTrue(layout.alignment() >= 16);
    }

    @Provide
    Arbitrary<List<SharedRegion>> layouts() {
        Arbitrary<SharedRegion> buffers = Combinators.combine(Arbitraries.integers().between(1, 100_000),
                Arbitraries.integers().between(0, 10))
                .as((bytes, log) -> new SharedRegion.Buffer("x", bytes, 1 << log));
        Arbitrary<SharedRegion> barriers = Arbitraries.integers().between(1, 100)
                .map(n -> new SharedRegion.Barriers("x", n));
        return Arbitraries.oneOf(buffers, barriers).list().ofMaxSize(8).map(SharedLayoutTest::named);
    }

    private static List<SharedRegion> named(List<SharedRegion> regions) {
        List<SharedRegion> result = new ArrayList<>();
        for (SharedRegion r : regions) {
            String name = "region_" + result.size();
            result.add(switch (r) {
                case SharedRegion.Buffer b -> new SharedRegion.Buffer(name, b.bytes(), b.alignment());
                case SharedRegion.Barriers b -> new SharedRegion.Barriers(name, b.count());
            });
        }
        return result;
    }

    @Test
    void anExampleByHand() {
        SharedLayout layout = new SharedLayout(List.of(new SharedRegion.Buffer("a", 3, 1),
                new SharedRegion.Barriers("b", 2), new SharedRegion.Buffer("c", 5, 128)));
        assertEquals(Map.of("a", 0, "b", 8, "c", 128), layout.offsets());
        assertEquals(133, layout.bytes());
        assertEquals(128, layout.alignment());
    }

    @Test
    void noRegionsTakeNothing() {
        SharedLayout none = new SharedLayout(List.of());
        assertEquals(0, none.bytes());
        assertEquals(16, none.alignment());
    }

    @Test
    void refusals() {
        refused("two shared regions have the same name: [Buffer[name=a, bytes=1, alignment=1], Barriers[name=a, "
                + "count=1]]",
                () -> new SharedLayout(List.of(new SharedRegion.Buffer("a", 1, 1), new SharedRegion.Barriers("a", 1))));
        refused("shared region 'b' would end at byte 2147483648, the largest block has 232448",
                () -> new SharedLayout(List.of(
                new SharedRegion.Buffer("a", Integer.MAX_VALUE - 1023, 1024),
                new SharedRegion.Buffer("b", 1024, 1024))));
        refused("shared buffer 'a' must have at least 1 byte, got 0", () -> new SharedRegion.Buffer("a", 0, 16));
        for (int alignment : new int[] {0, -16, 3, 2048, Integer.MIN_VALUE}) {
            refused("shared buffer 'a': alignment must be a power of two up to 1024, got " + alignment,
                    () -> new SharedRegion.Buffer("a", 1, alignment));
        }
        for (int count : new int[] {0, -1, 29057, 1 << 28}) {
            refused("barrier array 'full' must have 1 to 29056 barriers, got " + count,
                    () -> new SharedRegion.Barriers("full", count));
        }
    }

    private static void refused(String message, Runnable wrong) {
        assertEquals(message, assertThrows(IllegalArgumentException.class, wrong::run).getMessage());
    }
}
