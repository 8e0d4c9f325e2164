package dev.tilewright.cli.bench;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.bench.tune.TileTuner;
import dev.tilewright.bench.tune.Tuner;
import dev.tilewright.builder.Schedule;
import dev.tilewright.cli.terminal.Json;
import dev.tilewright.tuning.TunedPreset;
import dev.tilewright.tuning.TunedTiles;
import dev.tilewright.tuning.Tuning;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What {@code tune --json} says of a result. */
class TuneDocumentTest {

    @Test
    void aScheduleIsItsTextWhateverTheKernel() {
        for (TunedPreset line : Tuning.shipped().lines()) {
            requireSchedule(line.schedule(),
                    Json.line(TuneCommand.line(new Tuner.Result(line, true, true, List.of()))));
        }
        for (TunedTiles line : Tuning.shipped().tiles()) {
            requireSchedule(line.schedule(),
                    Json.line(TuneCommand.line(new TileTuner.Result(line, 1, true, List.of()))));
        }
    }

    private static void requireSchedule(Schedule schedule, String json) {
        assertTrue(json.contains("\"schedule\":\"" + schedule + "\""), json);
    }
}
