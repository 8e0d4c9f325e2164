package dev.tilewright.bench.rival;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.MissingRequirementException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A process that answers, refuses, lies, talks nonsense, crashes or hangs: each is an answer or a sentence, never the
 * end.
 */
@Timeout(300)
class RivalProcessTest {
    private static final Duration SHORT = Duration.ofMillis(700);

    @TempDir
    Path folder;

    private RivalProcess rival(String cases, Duration limit) throws IOException {
        FakeRival.in(folder, cases);
        return new RivalProcess(() -> folder, limit);
    }

    private static RivalException failure(RivalProcess rival, String command) {
        return assertThrows(RivalException.class, () -> rival.figures(command));
    }

    @Test
    void figuresAreOfTheTimesThatItTells() throws IOException {
        try (RivalProcess rival = rival("kernel*)\n" + FakeRival.FIGURES + " ;;", Duration.ofMinutes(2))) {
            List<RivalFigure> figures = rival.figures("kernel bulk-8k 1000 1 3");
            assertEquals(List.of("cuMemcpy", "bulk-8k"), figures.stream().map(RivalFigure::name).toList());
            RivalFigure own = figures.getLast();
            // 2,000 bytes in 1 µs, not the median that the line claims.
            assertEquals(2, own.spread().median(), 1e-9);
            assertEquals(1, own.spread().least(), 1e-9);
            assertEquals(4, own.spread().most(), 1e-9);
            assertTrue(own.verified());
            assertFalse(figures.getFirst().verified());
            assertEquals(2000, own.amount());
            rival.figures("kernel again");
        }
        assertEquals(1, FakeRival.starts(folder));
    }

    @Test
    void aFigureWithoutTimesIsTakenAsItIs() throws IOException {
        try (RivalProcess rival = rival("""
                launch*) echo '{"name":"a","unit":"us","median":2,"least":1,"lower":1.5,"upper":2.5,"most":3,\
                "samples":9}'
                  echo '{"name":"b","unit":"us","median":2,"least":1,"most":3,"samples":9}'
                  echo '{"done":"launch"}' ;;""", Duration.ofMinutes(2))) {
            assertEquals(1.5, rival.ask("launch").get("a").lowerQuartile());
            assertEquals(1, rival.ask("launch").get("b").lowerQuartile());
            assertEquals(2, rival.measure("launch").median());
        }
    }

    @Test
    void whatItRefusesIsSaidAndItGoesOn() throws IOException {
        try (RivalProcess rival = rival("""
                big*) echo '{"error":"there is \\"too\\" little memory","kind":"refused"}' ;;
                bad*) echo '{"error":"word 7 is wrong","kind":"wrong"}' ;;
                ok) echo '{"done":"ok"}' ;;""", Duration.ofMinutes(2))) {
            RivalException refused = failure(rival, "big");
            assertEquals(RivalException.Kind.REFUSED, refused.kind());
            assertTrue(refused.getMessage().contains("too\" little memory"), refused.getMessage());
            for (int i = 0; i < 5; i++) {
                assertEquals(RivalException.Kind.WRONG, failure(rival, "bad").kind());
            }
            assertEquals(List.of(), rival.figures("ok"));
        }
        assertEquals(1, FakeRival.starts(folder));
    }

    @Test
    void aCrashSaysHowItEndedAndTheNextCommandStartsItAnew() throws IOException {
        try (RivalProcess rival = rival("""
                crash) echo '{"name":"half' ; echo 'CUDA_ERROR_ILLEGAL_ADDRESS' >&2; exit 139 ;;
                gone) echo 'no luck' >&2; exit 3 ;;
                ok) echo '{"done":"ok"}' ;;""", Duration.ofMinutes(2))) {
            assertEquals(RivalException.Kind.FAILED, failure(rival, "crash").kind());
            RivalException gone = failure(rival, "gone");
            assertTrue(gone.getMessage().contains("exit code 3: no luck"), gone.getMessage());
            assertEquals(List.of(), rival.figures("ok"));
        }
        assertEquals(3, FakeRival.starts(folder));
    }

    @Test
    void oneThatHangsIsEndedWithAllThatItStarted() throws IOException, InterruptedException {
        RivalProcess rival = rival("""
                hang) sleep 987.25 & wait ;;
                ok) echo '{"done":"ok"}' ;;""", SHORT);
        try (rival) {
            RivalException hang = failure(rival, "hang");
            assertTrue(hang.getMessage().contains("had not answered 'hang' after 0.7 s"), hang.getMessage());
            for (int i = 0; i < 2400 && sleepers() > 0; i++) {
                Thread.sleep(50);
            }
            assertEquals(0, sleepers());
        }
    }

    private static long sleepers() {
        return ProcessHandle.allProcesses().filter(p -> p.info().arguments()
                .map(arguments -> List.of(arguments).contains("987.25")).orElse(false)).count();
    }

    @Test
    void afterThreeFailuresItIsAskedNoMore() throws IOException {
        try (RivalProcess rival = rival("*) exit 9 ;;", Duration.ofMinutes(2))) {
            for (int i = 0; i < AskedProcess.MOST_FAILURES; i++) {
                failure(rival, "x");
            }
            RivalException last = failure(rival, "x");
            assertTrue(last.getMessage().contains("asked no more") && last.getMessage().contains("exit code 9"),
                    last.getMessage());
        }
        assertEquals(AskedProcess.MOST_FAILURES, FakeRival.starts(folder));
    }

    @Test
    void suitesGetNoFiguresAndAReason() throws IOException {
        try (RivalProcess rival = rival("*) echo nonsense ;;", Duration.ofMinutes(2))) {
            assertTrue(rival.isPresent());
            assertEquals(Map.of(), rival.ask("launch"));
            assertNull(rival.measure("launch"));
            assertTrue(rival.absence().contains("no JSON object: nonsense"), rival.absence());
        }
    }

    @Test
    void senselessFiguresAreNone() throws IOException {
        try (RivalProcess rival = rival("""
                zero) echo '{"name":"a","unit":"GB/s","amount":5,"milliseconds":[0]}' ; echo '{"done":"x"}' ;;
                order) echo '{"name":"a","unit":"us","median":2,"least":3,"most":1,"samples":9}' ; \
                echo '{"done":"x"}' ;;
                bare) echo '{"name":"a"}' ; echo '{"done":"x"}' ;;""", Duration.ofMinutes(2))) {
            for (String command : List.of("zero", "order", "bare")) {
                assertTrue(failure(rival, command).getMessage().contains("makes no sense"), command);
            }
        }
    }

    @Test
    void whereThereIsNoneTheReasonIsAlwaysTheSame() {
        try (RivalProcess rival = new RivalProcess(folder.resolve("nothing"))) {
            assertFalse(rival.isPresent());
            assertTrue(rival.absence().contains("native-tests/rivals/build"), rival.absence());
            assertEquals(RivalException.Kind.ABSENT, failure(rival, "list").kind());
            assertEquals(Map.of(), rival.ask("list"));
            assertThrows(MissingRequirementException.class, rival::firstTile);
        }
        try (RivalProcess rival = RivalProcess.none("nobody wanted it")) {
            assertEquals("nobody wanted it", rival.absence());
        }
    }

    @Test
    void aProgramThatIsNoneCannotBeStarted() throws IOException {
        FakeRival.program(folder.resolve("rivals"), "#!/no/such/shell\n");
        try (RivalProcess rival = new RivalProcess(() -> folder, SHORT)) {
            assertTrue(failure(rival, "list").getMessage().contains("cannot be started"));
        }
    }
}
