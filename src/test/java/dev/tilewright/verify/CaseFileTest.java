package dev.tilewright.verify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.BadRequestException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CaseFileTest {
    @TempDir
    Path folder;

    private static String refusal(Path file) {
        return assertThrows(BadRequestException.class, () -> CaseFile.read("@" + file)).getMessage();
    }

    @Test
    void aShortLineStaysOnTheCommandLine() throws IOException {
        String line = "values program=" + "1".repeat(CaseFile.LONG - "values program=".length());
        assertEquals(line, CaseFile.write(folder, line));
        try (var files = Files.list(folder)) {
            assertEquals(0, files.count());
        }
        assertEquals("tilewright verify --case 'one a=1'", CaseFile.command("one a=1"));
    }

    @Property(tries = 30)
    void aLongLineIsReadBack(@ForAll @IntRange(min = CaseFile.LONG + 1, max = 200_000) int length) throws IOException {
        Path made = Files.createTempDirectory("case");
        String line = "values program=" + "7".repeat(length - "values program=".length());
        String argument = CaseFile.write(made.resolve("new"), line);
        assertTrue(argument.startsWith("@" + made.resolve("new"))
                && argument.matches(".*/ValuesCase[0-9a-f]{8}\\.case"), argument);
        assertEquals(line, CaseFile.read(argument));
        assertTrue(CaseFile.isFile(argument));
        assertFalse(CaseFile.isFile(line));
        Files.delete(Path.of(argument.substring(1)));
        Files.delete(made.resolve("new"));
        Files.delete(made);
    }

    @Test
    void whatHasNotOneLineIsRefused() throws IOException {
        Path file = folder.resolve("x.case");
        assertEquals("cannot read " + file + ": there is no such file", refusal(file));
        Files.writeString(file, "\n");
        assertEquals("--case @" + file + " takes a file with the line of one case, and this has 0 lines",
                refusal(file));
        Files.writeString(file, "one a=1\r\n\none a=2\n");
        assertEquals("--case @" + file + " takes a file with the line of one case, and this has 2 lines",
                refusal(file));
        Files.write(file, new byte[(1 << 20) + 1]);
        assertEquals("--case @" + file + " takes a file with the line of one case, and this has more than 1048576 "
                + "bytes", refusal(file));
        Files.writeString(file, "  one a=1\r\n\n");
        assertEquals("one a=1", CaseFile.read("@" + file));
    }
}
