package dev.tilewright.tile.lower;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.Thorough;
import dev.tilewright.hazard.HazardReport;
import dev.tilewright.hazard.check.HazardCheck;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Launch;
import dev.tilewright.program.expression.OutOfRegistersException;
import dev.tilewright.reference.Reference;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import org.apache.commons.lang3.exception.ExceptionUtils;
import org.junit.jupiter.api.Test;

/**
 * Products drawn at random: what tensor cores and the copy engine are given leaves the executor's bytes, touches
 * nothing else, and the check finds no mistake in it. An ordinary run lowers all that it draws, and runs one in three,
 * other ones each time. {@code -Dtilewright.products=N} draws so many, {@code -Dtilewright.products.from} says the
 * first.
 */
class DrawnProductsTest {
    /** How many an ordinary run draws. */
    static final int USUAL = 8;

    @Test
    void programsLeaveTheExecutorsBytes() {
        long from = Long.getLong("tilewright.products.from", 0);
        int count = Integer.getInteger("tilewright.products", Thorough.of(USUAL, 60));
        int byTensorCores = 0;
        for (long seed = from; seed < from + count; seed++) {
            byTensorCores += judge(seed, Thorough.takes(seed, Thorough.oneIn("tilewright.products", 3))) ? 1 : 0;
        }
        int so = byTensorCores;
        assertTrue(so > count / 3, () -> so + " of " + count + " went to the copy engine");
    }

    /** Runs it, too. */
    static void judge(long seed) {
        judge(seed, true);
    }

    /** @return whether the copy engine brings the factors */
    private static boolean judge(long seed, boolean runs) {
        DrawnProduct drawn = new DrawnProduct(seed);
        try {
            return judge(drawn, runs);
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError("seed " + seed + "\n" + drawn, e);
        }
    }

    private static boolean judge(DrawnProduct drawn, boolean runs) {
        Launch launch;
        try {
            launch = drawn.launch();
        } catch (IllegalArgumentException e) {
            assertTrue(ExceptionUtils.indexOfType(e, OutOfRegistersException.class) >= 0, e::getMessage);
            return false;
        }
        if (runs) {
            Map<String, MemorySegment> memory = drawn.memory();
            Reference.run(launch, drawn.inOrder(memory));
            assertEquals("", drawn.difference(memory, drawn.executed()));
            HazardReport report = HazardCheck.check(launch, drawn.inOrder(drawn.memory()));
            assertTrue(report.findings().isEmpty(), report::toString);
        }
        return launch.arguments().stream().anyMatch(Argument.Tensor.class::isInstance);
    }
}
