package dev.tilewright.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import java.util.zip.Deflater;
import jcuda.Pointer;
import org.apache.commons.codec.digest.DigestUtils;
import org.apache.commons.compress.archivers.zip.ZipArchiveEntry;
import org.apache.commons.io.input.BoundedInputStream;
import org.apache.commons.lang3.StringUtils;
import org.apache.commons.text.WordUtils;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** The launcher, in a copy of the project that counts as built: locales, odd paths, and its file for faster starts. */
@Order(5)
class LauncherTest {
    private static final Path ROOT = Path.of(System.getProperty("tilewright.root", ".")).toAbsolutePath();

    /** One class of each library. */
    private static final List<Class<?>> LIBRARIES = List.of(CommandLine.class, DigestUtils.class, ZipArchiveEntry.class,
            BoundedInputStream.class, StringUtils.class, WordUtils.class, JsonNode.class, JsonFactory.class,
            JsonProperty.class, Pointer.class);

    @TempDir
    Path folder;
    private Path project;

    @BeforeEach
    void bash() {
        assumeTrue(Files.isExecutable(Path.of("/bin/bash")) && Files.isDirectory(Path.of("/proc/self/fd")),
                "no bash, or no Linux");
    }

    /** A project with the classes of this process. */
    private void project(String name) throws IOException {
        project = Files.createDirectories(folder.resolve(name));
        for (String file : List.of("scripts/tilewright", "scripts/find-java.sh", "scripts/run-maven.sh", "pom.xml",
                "examples/interference.npy")) {
            Path copy = project.resolve(file);
            Files.createDirectories(copy.getParent());
            Files.copy(ROOT.resolve(file), copy, StandardCopyOption.COPY_ATTRIBUTES);
        }
        Files.createDirectories(project.resolve("src/main"));
        Path libraries = Files.createDirectories(project.resolve("target/lib"));
        for (Class<?> one : LIBRARIES) {
            Path jar = place(one);
            Files.createSymbolicLink(libraries.resolve(jar.getFileName()), jar);
        }
        jar(place(Main.class), project.resolve("target/tilewright-1.jar"));
    }

    private static Path place(Class<?> one) {
        return Path.of(one.getProtectionDomain().getCodeSource().getLocation().getPath()).toAbsolutePath();
    }

    private static void jar(Path classes, Path jar) throws IOException {
        assumeTrue(Files.isDirectory(classes), "the classes are in a jar");
        try (OutputStream out = Files.newOutputStream(jar); JarOutputStream zip = new JarOutputStream(out);
                Stream<Path> files = Files.walk(classes)) {
            zip.setLevel(Deflater.NO_COMPRESSION);
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                zip.putNextEntry(new JarEntry(classes.relativize(file).toString()));
                Files.copy(file, zip);
                zip.closeEntry();
            }
        }
    }

    private Process start(Map<String, String> variables, String... args) throws IOException {
        // A build in the background ignores signals, and so would what it starts.
        List<String> command = new ArrayList<>(List.of("env", "--default-signal=INT,TERM,HUP",
                project.resolve("scripts/tilewright").toString()));
        command.addAll(List.of(args));
        ProcessBuilder builder = new ProcessBuilder(command).directory(project.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("LC_") || name.startsWith("TILEWRIGHT"));
        builder.environment().put("TILEWRIGHT_JAVA", System.getProperty("java.home"));
        builder.environment().put("TILEWRIGHT_JAVA_OPTS", "-XX:TieredStopAtLevel=1");
        builder.environment().put("XDG_CACHE_HOME", folder.resolve("caches").toString());
        builder.environment().putAll(variables);
        return builder.start();
    }

    private PipedCommand run(Map<String, String> variables, String... args) throws Exception {
        Process process = start(variables, args);
        String err = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new PipedCommand(process.waitFor(), out, err);
    }

    private PipedCommand list() throws Exception {
        PipedCommand command = run(Map.of(), "list");
        assertEquals(0, command.code(), command.err());
        assertTrue(command.out().contains("tensor-copy"), command.out());
        return command;
    }

    private List<Path> startupFiles() throws IOException {
        try (Stream<Path> files = Files.list(project.resolve("target"))) {
            return files.filter(f -> f.getFileName().toString().startsWith("startup-")).sorted().toList();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"a:b ü", "\uD83D\uDE00 \uD840\uDC00 ü"})
    void foldersAndFilesOfAnyNameInTheLocaleC(String name) throws Exception {
        project(name);
        Files.copy(project.resolve("examples/interference.npy"), project.resolve("ä ö.npy"));
        PipedCommand run = run(Map.of("LC_ALL", "C"), "run", "tensor-copy", "--executor", "reference", "--input",
                "ä ö.npy", "--output", "ß.npy", "--check");
        assertEquals(
                new PipedCommand(0, "tensor-copy f32 200x320 on the reference executor: 250 KiB written to ß.npy, every"
                + " byte equals a direct computation\n", ""), run);
        assertTrue(Files.exists(project.resolve("ß.npy")));
        // Processes that it starts have the classes, too.
        PipedCommand verify = run(Map.of("LC_ALL", "C"), "verify", "--executor", "reference", "--case",
                "values program=1.2.3.4.5 launch=6");
        assertEquals("cases 1 passed 1 failed 0 skipped 0", verify.lines().getLast(), verify.toString());
        // One that is not installed is as C; the shell may say so.
        assertEquals(0, run(Map.of("LC_ALL", "xx_YY.UTF-8"), "run", "tensor-copy", "--executor", "reference", "--input",
                "ä ö.npy", "--output", "ö.npy").code());
        assertTrue(Files.exists(project.resolve("ö.npy")));
    }

    /**
     * One story, since making the file takes ten seconds: it cannot be made, is to be made the next day, while signals
     * come, is made, is damaged, and is to be made anew.
     */
    @Test
    void theFileForFasterStartsIsMadeOnceWhateverComesBetween() throws Exception {
        String preparing = "tilewright: preparing faster starts (once)\n";
        String failing = preparing + "tilewright: that failed, and is tried again in a day; starts take longer until"
                + " then\n";
        project("p");
        Path example = project.resolve("examples/interference.npy");
        byte[] good = Files.readAllBytes(example);
        Files.delete(example);
        assertEquals(failing, list().err());
        Path failed = startupFiles().getFirst();
        Files.write(example, good);
        assertEquals("", list().err());
        Files.setLastModifiedTime(failed, FileTime.from(Instant.now().minusSeconds(25 * 3600)));

        for (String signal : List.of("INT", "TERM", "HUP")) {
            Process process = startsPreparing();
            new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid())).start().waitFor();
            assertNotEquals(0, process.waitFor());
            assertEquals(List.of(failed), startupFiles(), signal);
        }
        Process killed = startsPreparing();
        List<ProcessHandle> trainers = killed.descendants().toList();
        killed.destroyForcibly().waitFor();
        // What it had started goes on, and holds the lock until it ends; then its leftovers go.
        String prepared = list().err();
        trainers.forEach(ProcessHandle::destroyForcibly);
        for (int i = 0; i < 240 && prepared.isEmpty(); i++) {
            Thread.sleep(500);
            prepared = list().err();
        }
        assertEquals(preparing, prepared);
        assertEquals(1, startupFiles().size(), () -> "left over beside the file");
        Path made = startupFiles().getFirst();
        assertTrue(made.toString().endsWith(".aot"));
        assertEquals("", list().err());

        try (FileChannel channel = FileChannel.open(made, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(new byte[] {1, 2, 3, 4}), channel.size() / 2);
        }
        Files.delete(example);
        assertEquals("tilewright: the file for faster starts, " + made + ", is damaged: it is removed\n" + failing,
                list().err());
        assertEquals(List.of(failed), startupFiles());
    }

    /** A start that has begun to make the file. */
    private Process startsPreparing() throws Exception {
        Process process = start(Map.of(), "list");
        assertEquals("tilewright: preparing faster starts (once)",
                process.errorReader(StandardCharsets.UTF_8).readLine());
        Thread.sleep(300);
        return process;
    }
}
