package dev.tilewright.emit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.Remembered;
import dev.tilewright.Thorough;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the assembler makes of the checked-in kernels, where there is an nvcc on the PATH: no kernel keeps registers in
 * memory, and each has the registers that {@code kernels/registers.tsv} says, which {@code scripts/update-kernels}
 * renews. Each is compiled for its least target, with {@code -Dtilewright.thorough=true} for sm_90a, too.
 */
@Order(7)
class KernelRegistersTest {
    private static final Path KERNELS = Path.of(System.getProperty("tilewright.root", "."), "kernels");
    private static final Path RECORD = KERNELS.resolve("registers.tsv");
    private static final Pattern RELEASE = Pattern.compile("release (\\d+\\.\\d+)");
    private static final Pattern TARGET = Pattern.compile("// Target: sm_(\\d+a?) or later");
    private static final Pattern USED = Pattern.compile("(\\d+) bytes stack frame, (\\d+) bytes spill stores, "
            + "(\\d+) bytes spill loads\\s+ptxas info\\s+: Used (\\d+) registers");

    private static final String CALLS = "calls a subroutine";

    @TempDir
    static Path folder;

    private static String nvcc;
    private static String version;
    private static String release;
    private static List<Row> rows;
    /** Kernels that call a subroutine of ptxas. */
    private static final Set<String> calling = new TreeSet<>();
    /** Kernel and target of every line that the record has to have. */
    private static List<String> names;

    /** One kernel for one target. @param stack bytes of a thread's stack frame */
    private record Row(String kernel, String target, int registers, int stack, int spillStores, int spillLoads) {
        private String text() {
            return "%s\t%d\t%d\t%d\t%d".formatted(name(kernel, target), registers, stack, spillStores, spillLoads);
        }

        private static String name(String kernel, String target) {
            return kernel + "\tsm_" + target;
        }
    }

    @BeforeAll
    static void assemble() throws IOException, InterruptedException {
        nvcc = Arrays.stream(String.valueOf(System.getenv("PATH")).split(File.pathSeparator))
                .map(p -> Path.of(p, "nvcc"))
                .filter(Files::isExecutable).map(Path::toString).findFirst().orElse(null);
        Assumptions.assumeTrue(nvcc != null, "no nvcc on the PATH, with whose ptxas to assemble the kernels");
        version = run(List.of(nvcc, "--version"));
        Matcher said = RELEASE.matcher(version);
        Assumptions.assumeTrue(said.find(), nvcc + " does not say its release");
        release = said.group(1);
        rows = new ArrayList<>();
        names = new ArrayList<>();
        for (Path kernel : kernels()) {
            Matcher target = TARGET.matcher(Files.readString(kernel));
            assertTrue(target.find(), kernel + " says for what target it is");
            List<String> targets = Stream.of(target.group(1), "90a").distinct().toList();
            targets.forEach(each -> names.add(Row.name(kernel.getFileName().toString(), each)));
            for (String each : targets.subList(0, Thorough.of(1, targets.size()))) {
                rows.add(row(kernel, each));
            }
        }
    }

    private static List<Path> kernels() throws IOException {
        try (Stream<Path> files = Files.list(KERNELS)) {
            return files.filter(f -> f.toString().endsWith(".cu")).sorted().toList();
        }
    }

    private static Row row(Path kernel, String target) throws IOException, InterruptedException {
        List<String> command =
                List.of(nvcc, "-cubin", "-gencode=arch=compute_" + target + ",code=sm_" + target, "--fmad=false",
                "-Xptxas", "-v", "-o", folder.resolve("kernel.cubin").toString(), kernel.toString());
        String text = Remembered.answer(List.of(version, "calls", String.join(" ", command.subList(1, command.size()
                - 2)), Files.readString(kernel)), () -> run(command) + (calls() ? CALLS : ""));
        Matcher used = USED.matcher(text);
        assertTrue(used.find(), () -> kernel + " for sm_" + target + ":\n" + text);
        if (text.endsWith(CALLS)) {
            calling.add(kernel.getFileName().toString());
        }
        return new Row(kernel.getFileName().toString(), target, Integer.parseInt(used.group(4)),
                Integer.parseInt(used.group(1)), Integer.parseInt(used.group(2)), Integer.parseInt(used.group(3)));
    }

    /** Whether the kernel that was compiled last calls a subroutine of ptxas. */
    private static boolean calls() throws IOException {
        return new String(Files.readAllBytes(folder.resolve("kernel.cubin")), StandardCharsets.ISO_8859_1).contains(
                "__cuda_sm");
    }

    private static List<String> recorded() throws IOException {
        return Files.readAllLines(RECORD).stream().filter(line -> !line.startsWith("#")).toList();
    }

    @Test
    void noKernelSpills() throws IOException {
        assertEquals(List.of(), Stream.concat(rows.stream().map(Row::text), recorded().stream())
                .filter(line -> !line.endsWith("\t0\t0\t0")).toList());
    }

    /** Those of quotients may overwrite registers (docs/verify-findings.md): only a convolution's pixels need one. */
    @Test
    void onlyConvolutionsCallASubroutine() {
        calling.removeIf(kernel -> kernel.startsWith("conv-"));
        assertEquals(Set.of(), calling);
    }

    @Test
    void registersAreThoseRecorded() throws IOException {
        Matcher by = Pattern.compile("ptxas (\\d+\\.\\d+)").matcher(Files.readAllLines(RECORD).getFirst());
        assertTrue(by.find(), RECORD + " says in its first line whose numbers they are");
        Assumptions.assumeTrue(by.group(1).equals(release),
                "recorded by ptxas " + by.group(1) + ", this is " + release);
        Map<String, String> lines = new LinkedHashMap<>();
        recorded().forEach(line -> lines.put(line.replaceFirst("(\t\\d+){4}$", ""), line));
        assertEquals(String.join("\n", names), String.join("\n", lines.keySet()),
                "scripts/update-kernels renews the record");
        assertEquals(rows.stream().map(row -> lines.get(Row.name(row.kernel, row.target)))
                .collect(Collectors.joining("\n")), rows.stream().map(Row::text).collect(Collectors.joining("\n")),
                "scripts/update-kernels renews the record");
    }

    private static String run(List<String> command) throws IOException, InterruptedException {
        Path output = folder.resolve("output.txt");
        Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start();
        if (!process.waitFor(2, TimeUnit.MINUTES)) {
            process.destroyForcibly();
            throw new AssertionError(command + " did not end in 2 minutes");
        }
        String text = Files.readString(output, StandardCharsets.UTF_8);
        assertEquals(0, process.exitValue(), () -> command + ":\n" + text);
        return text;
    }
}
