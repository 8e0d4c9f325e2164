package dev.tilewright.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tilewright.Thorough;
import dev.tilewright.gpu.host.OtherJava;
import java.io.BufferedOutputStream;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import java.util.zip.Deflater;
import java.util.zip.ZipEntry;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code java -jar}: beside its libraries the jar is the command, alone it says what it needs. */
class JarLauncherTest {
    private static final Path ROOT = Path.of(System.getProperty("tilewright.root", "."));

    @TempDir
    static Path folder;

    private static List<Path> classPath() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator)).map(Path::of).toList();
    }

    /** As Maven packs it. */
    @BeforeAll
    static void pack() throws IOException {
        Path home = Files.createDirectories(folder.resolve("a folder/lib")).getParent();
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, JarLauncher.class.getName());
        Path classes = classPath().stream()
                .filter(entry -> Files.exists(entry.resolve("dev/tilewright/cli/JarLauncher.class")))
                .findFirst().orElseThrow();
        try (JarOutputStream out = new JarOutputStream(new BufferedOutputStream(
                        Files.newOutputStream(home.resolve("tilewright.jar"))), manifest);
                Stream<Path> files = Files.walk(classes)) {
            out.setLevel(Deflater.NO_COMPRESSION);
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                out.putNextEntry(new ZipEntry(classes.relativize(file).toString()));
                Files.copy(file, out);
            }
        }
        Files.copy(home.resolve("tilewright.jar"), folder.resolve("alone.jar"));
        for (Path entry : classPath().stream().filter(entry -> entry.getFileName().toString()
                .matches("(picocli|jackson|commons)-.*\\.jar")).toList()) {
            Files.copy(entry, home.resolve("lib").resolve(entry.getFileName()));
        }
    }

    private static PipedCommand start(Path jar, String... args) throws IOException, InterruptedException {
        List<String> line = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED"));
        line.addAll(OtherJava.BRIEF);
        line.addAll(List.of("-jar", jar.toString()));
        line.addAll(List.of(args));
        Path err = Files.createTempFile(folder, "err", "");
        Process process = new ProcessBuilder(line).redirectError(err.toFile()).start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new PipedCommand(process.waitFor(), out, Files.readString(err));
    }

    @Test
    void besideItsLibrariesItIsTheCommand() throws Exception {
        Path jar = folder.resolve("a folder/tilewright.jar");
        assertEquals(PipedCommand.run("", "emit", "bulk-copi"), start(jar, "emit", "bulk-copi"));
        if (Thorough.of(0, 1) == 1) {
            assertEquals(PipedCommand.run("", "list", "--json"), start(jar, "list", "--json"));
        }
        // Workers are processes of their own.
        PipedCommand verify = start(jar, "verify", "--executor", "reference", "--json", "--case",
                "values program=1.2.3.4.5 launch=6");
        assertEquals("{\"passed\":1,\"failed\":0,\"skipped\":0}", new ObjectMapper().readTree(verify.out())
                .get("reference").toString(), verify.toString());
    }

    @Test
    void aloneItSaysWhatItNeeds() throws Exception {
        PipedCommand command = start(folder.resolve("alone.jar"), "list");
        assertEquals(3, command.code(), command.toString());
        assertEquals("", command.out());
        assertEquals(1, command.err().lines().count(), command.err());
        assertTrue(command.err().startsWith("tilewright: the command needs libraries that are not in "
                + folder.resolve("lib")
                + " (picocli.CommandLine and "), command.err());
    }

    /** What the build does with it: the jar's main class, compiled for the oldest Java that gets the sentence. */
    @Test
    void theBuildStartsItOnAnOlderJavaToo() throws IOException {
        String pom = Files.readString(ROOT.resolve("pom.xml"));
        assertTrue(pom.contains("<mainClass>" + JarLauncher.class.getName() + "</mainClass>"), "the jar's main class");
        assertFalse(pom.contains("<addClasspath>"), "javac warns of what a manifest names and is not there");
        assertEquals(2, pom.split("<include>dev/tilewright/cli/JarLauncher\\.").length - 1, "compiled again");
        Path out = Files.createDirectory(folder.resolve("out"));
        assertEquals(0, ToolProvider.getSystemJavaCompiler()
                .run(null, null, null, "--release", "17", "-d", out.toString(),
                ROOT.resolve("src/main/java/dev/tilewright/cli/JarLauncher.java").toString()));
    }
}
