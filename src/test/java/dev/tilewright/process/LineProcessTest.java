package dev.tilewright.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Talking to a process by lines. */
@Timeout(300)
class LineProcessTest {
    private static final Duration LONG = Duration.ofMinutes(2);

    private static LineProcess script(String text) throws Exception {
        return new LineProcess(new ProcessBuilder("sh", "-c", text));
    }

    @Test
    void itIsToldLinesAndSaysLines() throws Exception {
        try (LineProcess process =
                script("while read -r a; do echo \"heard $a\"; done; printf 'no end of line'; echo bye >&2; exit 3")) {
            process.write("one\ntwo\n");
            assertEquals(Optional.of("heard one"), process.readLine(LONG).text());
            assertEquals(Optional.of("heard two"), process.readLine(LONG).text());
            assertEquals(new LineProcess.Line(Optional.empty(), false), process.readLine(Duration.ofMillis(20)));
            assertTrue(process.isPresent());
            process.end();
            assertEquals(Optional.of("no end of line"), process.readLine(LONG).text());
            assertTrue(process.readLine(LONG).ended());
            assertTrue(process.readLine(LONG).ended());
            assertEquals("with exit code 3: bye", process.farewell());
            assertFalse(process.isPresent());
            process.write("nobody hears this\n");
        }
    }

    @Test
    void allThatItSaysIsHeardUntilItsEndOrATime() throws Exception {
        List<String> heard = new ArrayList<>();
        try (LineProcess process = script("echo one; echo two; exit 3")) {
            assertTrue(process.readAll(LONG, heard::add));
            assertEquals(List.of("one", "two"), heard);
            assertEquals(OptionalInt.of(3), process.exitCode());
        }
        LineProcess endless = script("exec sleep 1000");
        assertFalse(endless.readAll(Duration.ofMillis(50), heard::add));
        endless.close();
        assertEquals(OptionalInt.of(137), endless.exitCode());
    }

    /** A process that never ends its line fills no memory. */
    @Test
    void anEndlessLineIsCut() throws Exception {
        try (LineProcess process = script("head -c 3000000 /dev/zero | tr '\\0' x")) {
            assertEquals(1 << 20, process.readLine(LONG).text().orElseThrow().length());
            assertEquals(1 << 20, process.readLine(LONG).text().orElseThrow().length());
            assertEquals(3_000_000 - (2 << 20), process.readLine(LONG).text().orElseThrow().length());
        }
    }

    @Test
    void whatItHasStartedEndsWithIt() throws Exception {
        LineProcess process = script("sleep 1000 & echo $!; wait");
        long child = Long.parseLong(process.readLine(LONG).text().orElseThrow());
        assertTrue(ProcessHandle.of(child).map(ProcessHandle::isAlive).orElse(false));
        process.close();
        process.await(LONG);
        long until = System.nanoTime() + LONG.toNanos();
        while (ProcessHandle.of(child).map(ProcessHandle::isAlive).orElse(false) && System.nanoTime() < until) {
            Thread.sleep(10);
        }
        assertFalse(ProcessHandle.of(child).map(ProcessHandle::isAlive).orElse(false));
        assertTrue(process.readLine(LONG).ended());
    }
}
