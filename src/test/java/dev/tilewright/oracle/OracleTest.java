package dev.tilewright.oracle;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.Thorough;
import dev.tilewright.hazard.explore.Unsupported;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * The check's verdicts against those of an explorer that shares no code with it, on kernels drawn from numbers. An
 * ordinary run takes 50; {@code -Dtilewright.oracle=10000} for so many, {@code -Dtilewright.oracle.from} for the first.
 */
class OracleTest {
    private static final int ORDINARY = 200;
    /** States of a kernel after which the rest is left: a few times as many in a thorough run. */
    private static final int MOST_STATES = 1500;
    private static final int THOROUGH_STATES = 4000;

    @Test
    void theCheckSaysWhatEveryOrderShows() {
        long from = Long.getLong("tilewright.oracle.from", 0);
        int count = Integer.getInteger("tilewright.oracle", ORDINARY);
        Map<String, Integer> counts = new TreeMap<>(Map.of("edited MISSED", 0, "edited ACCUSED", 0));
        Map<String, String> examples = new TreeMap<>();
        List<String> bad = new ArrayList<>();
        int oneIn = Thorough.oneIn("tilewright.oracle", 4);
        for (long seed = from; seed < from + count; seed++) {
            if (!Thorough.takes(seed, oneIn)) {
                continue;
            }
            Sample sample = Drawn.kernel(seed);
            Comparison c;
            try {
                c = Comparison.of(sample, count <= ORDINARY ? MOST_STATES : THOROUGH_STATES);
            } catch (Unsupported e) {
                counts.merge("unsupported: " + e.getMessage(), 1, Integer::sum);
                continue;
            } catch (RuntimeException e) {
                throw new IllegalStateException("seed " + seed + ": " + sample.what(), e);
            }
            if (c.result() == Comparison.Result.STRICTER) {
                examples.putIfAbsent(c.rule() + c.codes(), "seed " + seed + " " + c);
            }
            if (count == 1) {
                System.err.println(c + "\n" + dev.tilewright.emit.CudaEmitter.emit(sample.launch().program()).text());
            }
            counts.merge((sample.isEdited() ? "edited " : "correct ") + c.result()
                    + (c.rule().isEmpty() ? "" : ": " + c.rule()), 1, Integer::sum);
            if (!c.isFine()) {
                bad.add("seed " + seed + " " + c);
                examples.putIfAbsent(c.result() + " " + c.codes() + " " + c.verdict().why(), "seed " + seed + " " + c);
            }
        }
        if (count > ORDINARY) {
            examples.forEach((kind, example) -> System.err.println("## " + kind + "\n" + example));
            counts.forEach((what, n) -> System.err.println(n + " " + what));
        }
        assertTrue(bad.isEmpty(), () -> bad.size() + " of " + counts + "\n" + String.join("\n", bad.subList(0,
                Math.min(5, bad.size()))));
    }
}
