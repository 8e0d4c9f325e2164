package dev.tilewright.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.databind.JsonNode;
import dev.tilewright.Thorough;
import java.io.BufferedOutputStream;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
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
import org.junit.jupiter.params.provider.CsvSource;
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

    private static final String PREPARING = "tilewright: preparing faster starts (once)\n";
    private static final String FAILING = PREPARING + "tilewright: that failed, and is tried again in a day; starts"
            + " take longer until then\n";

    @TempDir
    static Path packages;

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
        scripts(name);
        for (Class<?> one : LIBRARIES) {
            Path jar = place(one);
            Files.createSymbolicLink(project.resolve("target/lib").resolve(jar.getFileName()), jar);
        }
        Path packed = packages.resolve("tilewright-1.jar");
        if (!Files.exists(packed)) {
            jar(place(Main.class), packed);
        }
        Files.copy(packed, project.resolve("target/tilewright-1.jar"));
    }

    /** A project that counts as built, but has no classes. */
    private void emptyProject(String name) throws IOException {
        scripts(name);
        Files.createFile(project.resolve("target/lib/library.jar"));
        Files.createFile(project.resolve("target/tilewright-1.jar"));
    }

    private void scripts(String name) throws IOException {
        project = Files.createDirectories(folder.resolve(name));
        for (String file : List.of("scripts/tilewright", "scripts/find-java.sh", "scripts/run-maven.sh", "pom.xml",
                "examples/interference.npy")) {
            Path copy = project.resolve(file);
            Files.createDirectories(copy.getParent());
            Files.copy(ROOT.resolve(file), copy, StandardCopyOption.COPY_ATTRIBUTES);
        }
        Files.createDirectories(project.resolve("src/main"));
        Files.createDirectories(project.resolve("target/lib"));
    }

    private static Path place(Class<?> one) {
        return Path.of(one.getProtectionDomain().getCodeSource().getLocation().getPath()).toAbsolutePath();
    }

    private static void jar(Path classes, Path jar) throws IOException {
        assumeTrue(Files.isDirectory(classes), "the classes are in a jar");
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(jar));
                JarOutputStream zip = new JarOutputStream(out);
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

    private PipedCommand list(Map<String, String> variables) throws Exception {
        PipedCommand command = run(variables, "list");
        assertEquals(0, command.code(), command.err());
        assertTrue(command.out().contains("tensor-copy"), command.out());
        return command;
    }

    /** What the command says besides its version, which is soon said. */
    private String besidesItsVersion(Map<String, String> variables) throws Exception {
        PipedCommand command = run(variables, "--version");
        assertEquals(0, command.code(), command.err());
        assertTrue(command.out().startsWith("tilewright "), command.out());
        return command.err();
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
        // Processes that it starts have the classes, too.
        Files.writeString(project.resolve("ä ö.case"), "values program=1.2.3.4.5 launch=6");
        PipedCommand verify = run(Map.of("LC_ALL", "C"), "verify", "--executor", "reference", "--case", "@ä ö.case",
                "--junit-xml", "ß.xml");
        assertEquals("cases 1 passed 1 failed 0 skipped 0", verify.lines().getLast(), verify.toString());
        assertEquals(new PipedCommand(0, verify.out(), "tilewright: verifying ...\n"), verify);
        assertTrue(Files.exists(project.resolve("ß.xml")));
        if (Thorough.of(0, 1) == 1) {
            Files.copy(project.resolve("examples/interference.npy"), project.resolve("ä ö.npy"));
            PipedCommand run = run(Map.of("LC_ALL", "C"), "run", "tensor-copy", "--executor", "reference", "--input",
                    "ä ö.npy", "--output", "ß.npy", "--check");
            assertEquals(new PipedCommand(0, "tensor-copy f32 200x320 on the reference executor: 250 KiB written to "
                    + "ß.npy, every byte equals a direct computation\n", ""), run);
            assertTrue(Files.exists(project.resolve("ß.npy")));
        }
    }

    /** Stands in for Java where what the script does is asked about: makes files as a training would, and says more. */
    private static final String STAND_IN = """
            #!/bin/bash
            mode=
            cache=none
            for option in "$@"; do
              case $option in
                -XX:AOTMode=*) mode=${option#*=} ;;
                -XX:AOTConfiguration=*) config=${option#*=} ;;
                -XX:AOTCache=*) cache=${option#*=} ;;
              esac
            done
            case $mode in
              record)
                [[ -e ${*: -2:1} ]] || exit 2
                : >"$config"
                sleep "${TRAINS_FOR:-0}"
                ;;
              create) [[ -e $config ]] && echo classes >"$cache" ;;
              *) echo "tensor-copy in $LC_ALL with $cache" ;;
            esac
            """;

    /** Where the script finds the stand-in, and what else it is started with. */
    private Map<String, String> standIn(String... variables) throws IOException {
        return java(STAND_IN, variables);
    }

    /** Where the script finds a Java that is this script. */
    private Map<String, String> java(String script, String... variables) throws IOException {
        Path java = folder.resolve("java");
        Path program = java.resolve("bin/java");
        if (!Files.exists(program)) {
            Files.createDirectories(program.getParent());
            Files.writeString(program, script);
            assertTrue(program.toFile().setExecutable(true));
            Files.writeString(java.resolve("release"), "JAVA_VERSION=\"25\"\n");
        }
        Map<String, String> all = new HashMap<>(Map.of("TILEWRIGHT_JAVA", java.toString()));
        for (int i = 0; i < variables.length; i += 2) {
            all.put(variables[i], variables[i + 1]);
        }
        return all;
    }

    /** One that is not installed is as C; the shell may say so. */
    @ParameterizedTest
    @CsvSource({"C, C.UTF-8", "POSIX, C.UTF-8", "xx_YY.UTF-8, C.UTF-8", "C.UTF-8, C.UTF-8", "C.utf8, C.utf8"})
    void localesThatTakeNoNameOfAnotherAlphabetAreReplaced(String locale, String becomes) throws Exception {
        emptyProject("a:b");
        PipedCommand command = run(standIn("LC_ALL", locale), "list");
        assertEquals("tensor-copy in " + becomes + " with none\n", command.out(), command.err());
    }

    /**
     * The real Java makes the file, runs with it, and makes none where the training fails. A training takes as long as
     * a hundred other tests: a thorough run has it, and so has {@code .ci/run catalogue}.
     */
    @Test
    void theFileForFasterStartsIsMadeByTheRealJava() throws Exception {
        assumeTrue(Thorough.of(0, 1) == 1, "only in a thorough run");
        project("p");
        // Its training, too, is over before better code would pay.
        Map<String, String> java = java("#!/bin/sh\nexec '" + System.getProperty("java.home")
                + "/bin/java' -XX:TieredStopAtLevel=1 \"$@\"\n");
        assertEquals(PREPARING, besidesItsVersion(java));
        Path made = startupFiles().getFirst();
        assertEquals(List.of(made), startupFiles(), "left over beside the file");
        assertTrue(made.toString().endsWith(".aot"));
        java.put("TILEWRIGHT_JAVA_OPTS", "-XX:AOTMode=on");
        assertEquals("", besidesItsVersion(java));
        damage(made);
        Files.delete(project.resolve("examples/interference.npy"));
        java.remove("TILEWRIGHT_JAVA_OPTS");
        assertEquals(damaged(made) + FAILING, besidesItsVersion(java));
        assertEquals(1, startupFiles().size());
        assertTrue(startupFiles().getFirst().toString().endsWith(".failed"));
    }

    private static void damage(Path made) throws IOException {
        try (FileChannel channel = FileChannel.open(made, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(new byte[] {1, 2, 3, 4}), channel.size() / 2);
        }
    }

    private static String damaged(Path made) {
        return "tilewright: the file for faster starts, " + made + ", is damaged: it is removed\n";
    }

    /** It cannot be made, is to be made the next day, while signals come, is made, is damaged, and is made anew. */
    @Test
    void theFileForFasterStartsIsMadeOnceWhateverComesBetween() throws Exception {
        emptyProject("p");
        Map<String, String> java = standIn();
        Path example = project.resolve("examples/interference.npy");
        byte[] good = Files.readAllBytes(example);
        Files.delete(example);
        assertEquals(FAILING, list(java).err());
        Path failed = startupFiles().getFirst();
        Files.write(example, good);
        assertEquals("", list(java).err());
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
        assertFalse(trainers.isEmpty());
        assertEquals("", list(java).err());
        for (ProcessHandle trainer : trainers) {
            trainer.destroyForcibly();
            trainer.onExit().get(1, TimeUnit.MINUTES);
        }
        assertEquals(PREPARING, list(java).err());
        assertEquals(1, startupFiles().size(), () -> "left over beside the file");
        Path made = startupFiles().getFirst();
        assertTrue(made.toString().endsWith(".aot"));
        PipedCommand used = list(java);
        assertEquals("", used.err());
        assertTrue(used.out().endsWith(" with " + made + "\n"), used.out());

        damage(made);
        Files.delete(example);
        assertEquals(damaged(made) + FAILING, list(java).err());
        assertEquals(List.of(failed), startupFiles());
    }

    /** A start that has begun to make the file. */
    private Process startsPreparing() throws Exception {
        Process process = start(standIn("TRAINS_FOR", "600"), "list");
        assertEquals(PREPARING.strip(), process.errorReader(StandardCharsets.UTF_8).readLine());
        // Until the trainer runs.
        for (int i = 0; i < 1000 && process.descendants().noneMatch(LauncherTest::sleeps); i++) {
            Thread.sleep(20);
        }
        assertTrue(process.descendants().anyMatch(LauncherTest::sleeps));
        return process;
    }

    private static boolean sleeps(ProcessHandle process) {
        return process.info().command().filter(command -> command.endsWith("/sleep")).isPresent();
    }
}
