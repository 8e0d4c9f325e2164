package dev.tilewright.bench.rival;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.bench.result.Row;
import dev.tilewright.bench.result.Verdict;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Answers of rivals as rows, and the rows of rivals without an answer. */
class RivalRowsTest {
    @TempDir
    Path folder;

    private RivalRows rows(RivalProcess cpp) {
        return new RivalRows("copy", cpp, PythonRivals.none("no Python here"));
    }

    @Test
    void kernelsOfAMechanismAreRowsBesideCuMemcpy() throws IOException {
        FakeRival.in(folder, "list)\n" + FakeRival.LIST + " ;;\n'kernel bulk-8k 1000 7 3')\n" + FakeRival.FIGURES + """
                 ;;
                kernel\\ bulk-16k*) echo '{"error":"bulk-16k: 5 of 250 words are wrong","kind":"wrong"}' ;;""");
        try (RivalProcess cpp = new RivalProcess(() -> folder, Duration.ofMinutes(2))) {
            List<Row> rows = new ArrayList<>();
            rows(cpp).kernels("bulk-copy", Set.of("bulk"), 1000, 7, 3, rows::add);
            assertEquals(2, rows.size());
            Row good = rows.getFirst();
            assertEquals(Verdict.VERIFIED, good.verdict());
            assertEquals("C++", good.side());
            assertEquals(2000, good.bytes());
            assertEquals(2, good.figure().median(), 1e-9);
            assertEquals("cuMemcpy", good.ratios().getFirst().of());
            assertEquals(0.5, good.ratios().getFirst().value(), 1e-9);
            assertEquals("bulk-8k", good.means().get("kernel"));
            assertEquals("bulk", good.parameters().get("mechanism"));
            Row wrong = rows.getLast();
            assertEquals(Verdict.NOT_RUN, wrong.verdict());
            assertTrue(wrong.note().contains("5 of 250 words are wrong"), wrong.note());
        }
    }

    @Test
    void whereThereAreNoneOneRowSaysWhy() {
        try (RivalProcess cpp = RivalProcess.none("no nvcc here")) {
            List<Row> kernels = new ArrayList<>();
            rows(cpp).kernels("bulk-copy", Set.of("bulk"), 1000, 7, 3, kernels::add);
            assertEquals(1, kernels.size());
            assertEquals("no nvcc here", kernels.getFirst().note());
            List<Row> python = rows(cpp).python("softmax", "softmax", "f32", List.of(2L, 3L), 1, 1);
            assertEquals("no Python here", python.getFirst().note());
        }
    }
}
