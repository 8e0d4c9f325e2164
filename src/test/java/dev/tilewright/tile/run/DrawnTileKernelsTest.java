package dev.tilewright.tile.run;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.Thorough;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.value.ValueMath;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.drawn.DrawnCase;
import dev.tilewright.tile.drawn.DrawnKernel;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Kernels drawn at random: the executor leaves the bytes of {@link ScalarMeaning}, on one core and on several. {@code
 * -Dtilewright.tiles=N} draws so many, {@code -Dtilewright.tiles.from} says the first.
 */
class DrawnTileKernelsTest {

    @Test
    void theExecutorMeansWhatSingleElementsMean() {
        long from = Long.getLong("tilewright.tiles.from", 0);
        int count = Integer.getInteger("tilewright.tiles", Thorough.of(8, 100));
        for (long seed = from; seed < from + count; seed++) {
            judge(DrawnKernel.of(seed));
        }
    }

    /** Places outside that stand for the nearest within are drawn here. */
    @Test
    void stencilsMeanWhatSingleElementsMean() {
        for (long seed = 0; seed < Thorough.of(10, 300); seed++) {
            judge(DrawnKernel.stencil(seed));
        }
    }

    @Test
    void severalStoresMeanWhatSingleElementsMean() {
        for (long seed = 0; seed < Thorough.of(4, 200); seed++) {
            judge(DrawnKernel.stores(seed));
        }
    }

    private static void judge(DrawnKernel drawn) {
        try {
            judge(drawn.small(0));
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError(drawn.toString(), e);
        }
    }

    private static void judge(DrawnCase drawn) {
        MemorySegment one = drawn.executed(1);
        Map<String, long[]> words = drawn.words(one);
        meaning(drawn).forEach((name, wanted) -> assertArrayEquals(wanted, words.get(name), () -> "'" + name + "' of "
                + drawn));
        assertEquals("", drawn.difference(drawn.executed(3), one), "on three cores");
    }

    private static Map<String, long[]> meaning(DrawnCase drawn) {
        Map<String, long[]> tensors = drawn.words(drawn.memory());
        Map<String, long[]> extents = new HashMap<>();
        drawn.shapes().forEach((name, shape) -> extents.put(name,
                shape.extents().stream().mapToLong(e -> e).toArray()));
        Map<String, Long> scalars = new HashMap<>();
        for (Parameter.Scalar scalar : drawn.drawn().kernel().scalars()) {
            Number number = drawn.scalars().get(scalar.name());
            scalars.put(scalar.name(), scalar.type() == ElementType.I32 ? number.longValue()
                    : ValueMath.constant(ValueType.F32, number.doubleValue()));
        }
        new ScalarMeaning(drawn.drawn().kernel(), tensors, extents, scalars).run();
        return tensors;
    }
}
