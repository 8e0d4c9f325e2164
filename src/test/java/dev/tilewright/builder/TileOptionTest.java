package dev.tilewright.builder;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.BadRequestException;
import dev.tilewright.layout.ElementType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The options of tile kernels: values as Java has them and as text, and what is refused. */
class TileOptionTest {

    @Property(tries = 200)
    void aValueIsWrittenAndReadBack(@ForAll long seed) {
        TileOption.ALL.forEach(option -> isReadBack(option, new SplittableRandom(seed)));
    }

    private static <V> void isReadBack(TileOption<V> option, SplittableRandom random) {
        List<String> texts = new ArrayList<>(option.sweep());
        texts.add(option.sample(random, ElementType.U8));
        texts.add(option.example().substring(option.name().length() + 1));
        for (String text : texts) {
            Schedule read = Schedule.parse(option.name() + "=" + text);
            V value = read.get(option).orElseThrow();
            Schedule written = Schedule.DEFAULT.with(option, value);
            assertEquals(read, written);
            assertEquals(Optional.of(value), Schedule.parse(written.toString()).get(option));
        }
    }

    @Test
    void typedChoicesAreTheTextForm() {
        Schedule schedule = Schedule.DEFAULT.with(TileOption.TILE, List.of(64, 128)).with(TileOption.STAGES, 3)
                .with(TileOption.CLUSTER, List.of(2, 1)).with(TileOption.EARLY, EarlyStart.reading("table", "row"))
                .with(GridPolicy.tilesEach(1));
        assertEquals("cluster=2x1 early=table+row stages=3 tile=64x128, 1 tile a block", schedule.toString());
        assertEquals(Optional.empty(), schedule.get(TileOption.BAND));
        assertEquals("early=0", Schedule.DEFAULT.with(TileOption.EARLY, EarlyStart.OFF).toString());
        assertEquals(EarlyStart.WAITING, Schedule.parse("early=1").get(TileOption.EARLY).orElseThrow());
    }

    @Test
    void bothEndsOfARangeAreLegalAndNoMore() {
        for (TileOption<Integer> option : List.of(TileOption.STAGES, TileOption.STEPS, TileOption.ROWS,
                TileOption.GROUPS, TileOption.AHEAD, TileOption.BAND, TileOption.RESIDENT)) {
            String[] ends = option.range().split(" to | or ");
            int least = Integer.parseInt(ends[0]);
            int most = Integer.parseInt(ends[1]);
            for (int end : List.of(least, most)) {
                assertEquals(Optional.of(end), Schedule.DEFAULT.with(option, end).get(option));
            }
            for (int beyond : List.of(least - 1, most + 1)) {
                String said = "a tile kernel's schedule has " + option.name() + "=" + beyond + ": choose "
                        + option.range() + ", such as " + option.example();
                assertEquals(said, refusal(() -> Schedule.DEFAULT.with(option, beyond)));
                assertEquals(said, refusal(() -> TileOption.require(Schedule.parse(option.name() + "=" + beyond))));
            }
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "threads=96|a tile kernel's schedule has threads=96: choose 32, 64, 128, 256, 512 or 1024, such as threads=256",
        "tile=64,64|a tile kernel's schedule has tile=64,64: choose 1 to 5 dimensions, such as tile=64x128",
        "cluster=3x1|a tile kernel's schedule has cluster=3x1: choose 1x1, 2x1 or 1x2, such as cluster=2x1",
        "early=a+|a tile kernel's schedule has early=a+: choose 0, 1 or names of tensors joined by +, such as early=1",
        "depth=4|a tile kernel's schedule has no option 'depth'; it has threads, tile, stages, steps, rows, groups, "
                + "ahead, band, cluster, resident, early",
        "stage=4|a tile kernel's schedule has no option 'stage'; it has threads, tile, stages, steps, rows, groups, "
                + "ahead, band, cluster, resident, early: did you mean 'stages'?",
        "resident=4|a tile kernel's schedule has resident=4: that is of blocks whose threads all do the same: choose "
                + "threads too, or leave it out",
        "resident=9 threads=256|a tile kernel's schedule has resident=9: with threads=256 choose 1 to 8",
        "groups=2 threads=256|a tile kernel's schedule has groups=2: that is of products whose warps have parts of "
                + "their own, and threads=256 has all threads do the same: choose one of both",
        "none, 4 tiles a block in waves of 264|blocks of a tile kernel that take several tiles take neighbouring ones "
                + "at the same time, got the grid '4 tiles a block in waves of 264': say '132 blocks' or '1 tile a "
                + "block'"})
    void whatNoTileKernelHasIsRefused(String schedule, String message) {
        assertEquals(message, refusal(() -> TileOption.require(Schedule.parse(schedule))));
    }

    @ParameterizedTest
    @ValueSource(strings = {"threads=032", "threads=+32", "tile=64X64", "tile=64B", "tile=0x64", "tile=64x", "tile=",
        "tile=1x1x1x1x1x1", "tile=99999999999", "stages=03", "stages=3.0", "stages=", "early=", "early=2", "early=01",
        "early=+a", "early=a,b", "cluster=2X1", "cluster=2"})
    void whatIsNotAsItIsWrittenIsRefused(String schedule) {
        assertTrue(refusal(() -> TileOption.require(Schedule.parse(schedule)))
                .startsWith("a tile kernel's schedule has " + schedule + ": choose "));
    }

    @Test
    void whatGoesTogetherIsTaken() {
        for (String schedule : List.of("none", "threads=256 resident=8", "threads=256 stages=3", "tile=64x128 groups=2",
                "none, 132 blocks")) {
            TileOption.require(Schedule.parse(schedule));
        }
    }

    @Test
    void anEarlyStartNamesTensorsOnlyWhereItIsOne() {
        assertEquals("a launch that does not begin early reads nothing before, got [a]",
                refusal(() -> new EarlyStart(false, List.of("a"))));
        assertEquals("tensors have names such as 'weight', got [a+b]", refusal(() -> EarlyStart.reading("a+b")));
    }

    /** The table in docs/tiles.md. */
    @Test
    void theDocumentListsEveryOptionAsItIsDeclared() throws IOException {
        String document = Files.readString(Path.of(System.getProperty("tilewright.root", "."), "docs/tiles.md"));
        String table = String.join("\n", TileOption.ALL.stream().map(option -> "| `" + option.example() + "` | "
                + option.range() + " | " + option.help() + " |").toList());
        assertTrue(document.contains("|---|---|---|\n" + table + "\n"), () -> "docs/tiles.md lacks:\n" + table);
        assertFalse(TileOption.ALL.isEmpty());
    }

    private static String refusal(Runnable asked) {
        return assertThrows(BadRequestException.class, asked::run).getMessage();
    }
}
