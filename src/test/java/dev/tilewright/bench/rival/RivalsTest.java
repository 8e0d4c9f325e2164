package dev.tilewright.bench.rival;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.MissingRequirementException;
import dev.tilewright.Progress;
import dev.tilewright.io.host.HostEnvironment;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Finding nvcc and compiling the sources once, with a script in the place of nvcc. */
class RivalsTest {
    private static final String NVCC = """
            #!/bin/bash
            if [[ $1 == --version ]]; then echo "release 13.0, V13.0.88"; exit; fi
            """;

    @TempDir
    Path folder;

    private final List<String> steps = new ArrayList<>();
    private final Progress progress = (what, done, total) -> steps.add(done + "/" + total);
    private Map<String, String> variables;

    @BeforeEach
    void machine() {
        variables = new TreeMap<>(Map.of("PATH", folder.resolve("bin") + ":/no-such", "XDG_CACHE_HOME",
                folder.resolve("cache").toString()));
    }

    private Rivals rivals(RivalSources sources) {
        return new Rivals(HostEnvironment.of(Map.of(), variables, folder.resolve("root")), sources, false);
    }

    /** A build that says its steps and leaves what a real one would. */
    private static RivalSources sources(String more) {
        String build = """
                set -e
                mkdir -p "$1"
                echo 1 of 2
                nvcc compile
                echo a word of a compiler
                echo 2 of 2
                touch "$1/rivals"
                echo x >>"%s"
                """;
        return new RivalSources(new TreeMap<>(Map.of("build", (build.formatted("$(dirname \"$0\")/../../builds") + more)
                .getBytes(StandardCharsets.UTF_8), "a.cu", "kernel".getBytes(StandardCharsets.UTF_8))));
    }

    private int builds() throws IOException {
        Path file = folder.resolve("cache/tilewright/rivals/builds");
        return Files.exists(file) ? Files.readAllLines(file).size() : 0;
    }

    private static String reason(Rivals rivals) {
        return assertThrows(MissingRequirementException.class, () -> rivals.obtain(Progress.NONE)).getMessage();
    }

    @Test
    void withoutNvccThereAreNone() {
        Rivals rivals = rivals(sources(""));
        assertTrue(reason(rivals).contains("no nvcc below CUDA_HOME, on the PATH"), reason(rivals));
    }

    @Test
    void theyAreCompiledOnceForEachSetOfSources() throws IOException {
        FakeRival.program(folder.resolve("bin/nvcc"), NVCC);
        Path first = rivals(sources("")).obtain(progress);
        assertTrue(Files.exists(first.resolve("rivals")));
        assertEquals(List.of("1/2", "2/2"), steps);
        assertEquals(first, rivals(sources("")).obtain(progress));
        assertEquals(1, builds());
        assertNotEquals(first, rivals(sources("# changed\n")).obtain(progress));
        FakeRival.program(folder.resolve("bin/nvcc"), NVCC.replace("13.0", "13.1"));
        assertNotEquals(first, rivals(sources("")).obtain(progress));
        assertEquals(3, builds());
        try (Stream<Path> left = Files.list(first.getParent())) {
            assertEquals(0, left.filter(f -> f.getFileName().toString().startsWith(".unfinished")).count());
        }
    }

    @Test
    void nvccIsFoundBelowCudaHomeToo() throws IOException {
        FakeRival.program(folder.resolve("toolkit/bin/nvcc"), NVCC);
        variables.put("CUDA_HOME", folder.resolve("toolkit").toString());
        assertTrue(Files.isDirectory(rivals(sources("")).obtain(progress)));
        variables.remove("CUDA_HOME");
        FakeRival.program(folder.resolve("root/usr/local/cuda/bin/nvcc"), NVCC);
        assertTrue(Files.isDirectory(rivals(sources("")).obtain(progress)));
    }

    @Test
    void whatDoesNotCompileLeavesNothingAndIsNotTriedAgain() throws IOException {
        FakeRival.program(folder.resolve("bin/nvcc"), NVCC + "echo 'a.cu(3): error: no such thing'; exit 2\n");
        Rivals rivals = rivals(sources(""));
        String reason = reason(rivals);
        assertTrue(reason.contains("exit code 2") && reason.contains("a.cu(3): error: no such thing"), reason);
        FakeRival.program(folder.resolve("bin/nvcc"), NVCC);
        assertEquals(reason, reason(rivals));
        try (Stream<Path> left = Files.list(folder.resolve("cache/tilewright/rivals"))) {
            assertEquals(List.of(".lock"), left.map(f -> f.getFileName().toString()).toList());
        }
    }

    @Test
    void aFolderThatOthersMayWriteIsNotRunFrom() throws IOException {
        FakeRival.program(folder.resolve("bin/nvcc"), NVCC);
        Path cache = Files.createDirectories(folder.resolve("cache"));
        Files.setPosixFilePermissions(cache, java.nio.file.attribute.PosixFilePermissions.fromString("rwxrwxrwx"));
        assertTrue(reason(rivals(sources(""))).contains("can be written by everyone"));
    }

    @Test
    void sourcesAreUnpackedAsTheyWere() throws IOException {
        RivalSources sources = sources("");
        Path unpacked = folder.resolve("unpacked");
        sources.unpack(unpacked);
        assertEquals(sources.hash(), RivalSources.in(unpacked).hash());
        assertEquals("kernel", RivalSources.in(unpacked).text("a.cu"));
        assertNotEquals(sources.hash(), sources.hash("nvcc"));
    }

    /** Every file of native-tests/rivals is named, and is as it lies there. */
    @Test
    void theJarHasThemAll() {
        RivalSources lying = RivalSources.in(Path.of(System.getProperty("tilewright.root", "."), "native-tests",
                "rivals"));
        TreeMap<String, byte[]> wanted = new TreeMap<>(lying.files());
        wanted.remove("README.md");
        assertEquals(List.copyOf(wanted.keySet()), RivalSources.NAMES.stream().sorted().toList());
        assertEquals(new RivalSources(wanted).hash(), RivalSources.packed().hash());
    }
}
