package dev.tilewright.bench.rival;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.bench.result.Row;
import dev.tilewright.bench.result.Verdict;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A rival that is asked turn by turn. */
class TurnsOfFiguresTest {
    @TempDir
    Path folder;

    private RivalRows rows(RivalProcess cpp) {
        return new RivalRows("compute", cpp, PythonRivals.none("no Python here"));
    }

    @Test
    void turnsAreOneFigureOfEachWay() throws IOException {
        FakeRival.in(folder, """
                'product bf16 columns 10 20 30 1 1')
                  n=$((n + 1))
                  echo '{"name":"cuBLASLt","unit":"TFLOP/s","amount":12000,"parameters":"first","verified":true,\
                "milliseconds":['$n']}'
                  echo '{"name":"cuBLASLt, fastest","unit":"TFLOP/s","amount":12000,"parameters":"number \
                3","verified":true,"milliseconds":[0.5]}'
                  echo '{"done":"product"}' ;;""");
        try (RivalProcess cpp = new RivalProcess(() -> folder, Duration.ofMinutes(2))) {
            Opponent opponent = rows(cpp).productInTurns("product", "bf16", true, 10, 20, 30, 1);
            for (int turn = 0; turn < 3; turn++) {
                opponent.turn();
            }
            List<Row> rows = opponent.rows();
            assertEquals(List.of("first", "number 3"), rows.stream().map(r -> r.parameters().get("algorithm"))
                    .toList());
            assertEquals(3, rows.getFirst().figure().samples());
            assertEquals(12000 / 2e-3 / 1e12, rows.getFirst().figure().median(), 1e-12);
            assertEquals(12000 / 3e-3 / 1e12, rows.getFirst().figure().least(), 1e-12);
            assertEquals(1, FakeRival.starts(folder));
        }
    }

    @Test
    void oneThatCannotSaysWhyOnce() throws IOException {
        FakeRival.in(folder, "*) echo '{\"error\":\"no libcublasLt\",\"kind\":\"refused\"}' ;;");
        try (RivalProcess cpp = new RivalProcess(() -> folder, Duration.ofMinutes(2))) {
            Opponent opponent = rows(cpp).productInTurns("product", "f8", true, 1, 1, 1, 1);
            opponent.turn();
            opponent.turn();
            Row none = opponent.rows().getFirst();
            assertEquals(Verdict.NOT_RUN, none.verdict());
            assertEquals("1x1x1", none.parameters().get("shape"));
            assertTrue(none.note().contains("no libcublasLt"), none.note());
        }
    }
}
