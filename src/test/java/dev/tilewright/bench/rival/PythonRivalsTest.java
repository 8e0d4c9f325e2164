package dev.tilewright.bench.rival;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.io.host.HostEnvironment;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Without Python, with one that has no PyTorch, and with a script in its place. */
class PythonRivalsTest {
    private static final Path SOURCES = Path.of(System.getProperty("tilewright.root", "."), "native-tests", "rivals");
    private static final Duration LIMIT = Duration.ofMinutes(2);

    @TempDir
    Path folder;

    private static PythonRivals of(Path python) {
        return new PythonRivals(new PythonEnvironment(Optional.ofNullable(python)), () -> RivalSources.in(SOURCES),
                LIMIT, null);
    }

    private static String absence(PythonRivals rivals) {
        RivalException e = assertThrows(RivalException.class, rivals::works);
        assertEquals(RivalException.Kind.ABSENT, e.kind());
        return e.getMessage();
    }

    @Test
    void withoutPythonThereAreNone() {
        try (PythonRivals rivals = of(null)) {
            assertTrue(absence(rivals).contains("no python3 on the PATH"));
        }
        HostEnvironment nothing = HostEnvironment.of(Map.of(), Map.of("PATH", folder.toString()), folder);
        assertEquals(Optional.empty(), PythonEnvironment.of(nothing).python());
        assertEquals(Optional.empty(), PythonEnvironment.of(nothing).libraryPath());
    }

    @Test
    void itIsThatOfTheSettingOrOfThePath() throws IOException {
        Path named = FakeRival.program(folder.resolve("named/python"), "#!/bin/bash\necho /lib-a:/lib-b\n");
        Path onPath = FakeRival.program(folder.resolve("bin/python3"), "#!/bin/bash\nexit 1\n");
        HostEnvironment both = HostEnvironment.of(Map.of(), Map.of("PATH", folder.resolve("bin").toString(),
                "TILEWRIGHT_PYTHON", named.toString()), folder);
        assertEquals(Optional.of(named), PythonEnvironment.of(both).python());
        assertEquals(Optional.of("/lib-a:/lib-b"), PythonEnvironment.of(both).libraryPath());
        HostEnvironment path = HostEnvironment.of(Map.of(), Map.of("PATH", folder.resolve("bin").toString()), folder);
        assertEquals(Optional.of(onPath), PythonEnvironment.of(path).python());
        assertEquals(Optional.empty(), PythonEnvironment.of(path).libraryPath());
    }

    @Test
    void theScriptAnswersWithoutPyTorch() {
        Path python = PythonEnvironment.of(HostEnvironment.current()).python().orElse(null);
        Assumptions.assumeTrue(python != null, "no python3 on the PATH");
        Assumptions.assumeTrue(Tools.output(List.of(python.toString(), "-c", "import torch")).isEmpty(),
                "PyTorch is here");
        try (PythonRivals rivals = of(python)) {
            assertTrue(absence(rivals).contains("PyTorch is not installed for"), absence(rivals));
            RivalException e = assertThrows(RivalException.class, () -> rivals.figures(
                    new PythonRivals.Work("torch", "copy"), "f32", List.of(1024L, 1024L), 1, 3));
            assertEquals(RivalException.Kind.REFUSED, e.kind());
        }
    }

    @Test
    void figuresAreAsked() throws IOException {
        Path python = FakeRival.program(folder.resolve("python3"), """
                #!/bin/bash
                while read -r line; do
                  case $line in
                    list) echo '{"work":"softmax","side":"triton","parameters":"triton 3"}'; echo '{"done":"list"}' ;;
                    'softmax triton f32 4x8 5 3')
                      echo '{"name":"triton softmax","unit":"GB/s","amount":4000,"milliseconds":[0.001],\
                      "verified":true}'
                      echo '{"done":"softmax"}' ;;
                    *) echo '{"error":"no such","kind":"refused"}' ;;
                  esac
                done
                """);
        try (PythonRivals rivals = of(python)) {
            PythonRivals.Work work = rivals.works().getFirst();
            assertEquals(new PythonRivals.Work("triton", "softmax"), work);
            RivalFigure figure = rivals.figures(work, "f32", List.of(4L, 8L), 5, 3).getFirst();
            assertEquals(4, figure.spread().median(), 1e-9);
            assertTrue(figure.verified());
        }
    }

    @Test
    void noneSaysWhy() {
        try (PythonRivals rivals = PythonRivals.none("not wanted")) {
            assertEquals("not wanted", absence(rivals));
        }
    }
}
