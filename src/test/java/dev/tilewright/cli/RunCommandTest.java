package dev.tilewright.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tilewright.builder.Mechanism;
import dev.tilewright.builder.Option;
import dev.tilewright.builder.Preset;
import dev.tilewright.builder.Presets;
import dev.tilewright.cli.kernel.RunCommand;
import dev.tilewright.cli.terminal.Terminal;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.device.Devices;
import dev.tilewright.layout.ElementType;
import dev.tilewright.ptx.Target;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** {@code run} on real files, through the reference executor. */
class RunCommandTest {
    @TempDir
    Path folder;
    private NpyFiles files;

    @BeforeEach
    void files() {
        files = new NpyFiles(folder);
    }

    private PipedCommand run(String options) {
        List<String> line = new ArrayList<>(List.of("run"));
        line.addAll(List.of(options.split(" ")));
        line.addAll(List.of("--input", folder.resolve("x.npy").toString(), "--output",
                folder.resolve("y.npy").toString()));
        return PipedCommand.run("", line.toArray(String[]::new));
    }

    private void done(String message, PipedCommand command) {
        assertEquals(new PipedCommand(0, message.replace("$", folder + "/") + "\n", ""), command);
    }

    @Test
    void bankConflictsAreCountedInTheFirstBlocks() {
        files.floats("x.npy", 640L, 360L);
        PipedCommand command = run("cp-async-scale --scalar 3 --executor reference --bank-conflicts");
        assertEquals(0, command.code(), command.err());
        assertTrue(command.lines().get(1).startsWith("cp_async_scale: ")
                && command.lines().get(1).contains(" accesses of warps to shared memory in 8 blocks, "), command.out());
    }

    static Stream<Preset> presets() {
        return Presets.ALL.stream();
    }

    @ParameterizedTest
    @MethodSource("presets")
    void everyPresetMovesAMatrix(Preset preset) {
        files.floats("x.npy", 65L, 36L);
        String step = preset.schedule().get("step").orElse("copy");
        done(preset.name() + " f32 65x36 on the reference executor: 9.1 KiB written to $y.npy, every byte equals a "
                + "direct computation",
                run(preset.name() + " --check --executor reference" + (step.equals("copy") ? "" : " --scalar 3")));
        float[] expected = files.read("x.npy");
        for (int i = 0; i < expected.length; i++) {
            expected[i] = step.equals("scale") ? expected[i] * 3 : step.equals("add") ? expected[i] + 3 : expected[i];
        }
        assertArrayEquals(expected, files.read("y.npy"));
        assertEquals(List.of(65L, 36L), files.shape("y.npy"));
        assertEquals(List.of("x.npy", "y.npy"), files.names());
    }

    @Test
    void arraysWithoutDimensionsAndWithoutElements() {
        files.floats("x.npy");
        done("bulk-copy f32 scalar on the reference executor: 4 bytes written to $y.npy, every byte equals a direct "
                + "computation", run("bulk-copy --check --executor reference"));
        assertEquals(List.of(), files.shape("y.npy"));
        done("tensor-copy f32 scalar on the reference executor: 4 bytes written to $y.npy",
                run("tensor-copy --executor reference"));
        files.floats("x.npy", 3L, 0L, 5L);
        for (String preset : List.of("bulk-copy", "cp-async-pipeline", "tensor-copy", "tensor-copy-3d")) {
            done(preset + " f32 3x0x5 on the reference executor: 0 bytes written to $y.npy",
                    run(preset + " --executor reference"));
            assertEquals(List.of(3L, 0L, 5L), files.shape("y.npy"));
        }
    }

    @Test
    void elementsMayBeTakenAsAnotherTypeOfTheirSize() {
        // bfloat16 1.0 and -2.0, kept as 16-bit integers.
        files.write("x.npy", ElementType.U16, MemorySegment.ofArray(new short[] {0x3F80, (short) 0xC000}), 2L);
        done("bulk-add bf16 2 on the reference executor: 4 bytes written to $y.npy, every byte equals a direct "
                + "computation", run("bulk-add --type bf16 --scalar 1 --check --executor reference"));
    }

    @Test
    void aWrongResultIsReportedAndNotWritten() throws IOException {
        files.floats("x.npy", 5L, 4L);
        PipedCommand text = runDamaged("tensor-copy", "--check");
        assertEquals(
                new PipedCommand(1, "tensor-copy f32 5x4 on emulated GPU (sm_90a): the GPU and the reference differ: "
                + "1 byte differs, at byte 37, in element "
                + "[2, 1]: expected 0x00, got 0x01; " + folder.resolve("y.npy") + " not written\n", ""), text);
        PipedCommand json = runDamaged("tensor-copy", "--check", "--json");
        JsonNode report = new ObjectMapper().readTree(json.out());
        assertEquals(1, json.code());
        assertEquals("the GPU and the reference differ: 1 byte differs, at byte 37, in element [2, 1]: expected 0x00, "
                + "got 0x01", report.get("difference").asText());
        assertTrue(report.get("output").isNull());
        assertEquals("gpu", report.get("executor").asText());
        assertEquals(List.of("x.npy"), files.names());
        // Nobody looks where no check is asked for.
        assertEquals(0, runDamaged("tensor-copy").code());
    }

    /** Runs on a GPU that gets one byte wrong. */
    private PipedCommand runDamaged(String preset, String... options) {
        return runOnGpu(result -> result.set(ValueLayout.JAVA_BYTE, 37, (byte) 1), preset, options);
    }

    /** @param damage is done to the result when the kernel has run */
    private PipedCommand runOnGpu(Consumer<MemorySegment> damage, String preset, String... options) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Terminal terminal = new Terminal(InputStream.nullInputStream(), new PrintStream(out), new PrintStream(err),
                false);
        RunCommand command = new RunCommand(terminal, Presets.CATALOG) {
            @Override
            public Optional<Gpu> gpu(Target minimum) {
                return Optional.of(Gpu.emulated());
            }

            @Override
            public void moved(MemorySegment result) {
                damage.accept(result);
            }
        };
        List<String> line = new ArrayList<>(List.of(preset, "--input", folder.resolve("x.npy").toString(), "--output",
                folder.resolve("y.npy").toString()));
        line.addAll(List.of(options));
        int code = new CommandLine(command).setCaseInsensitiveEnumValuesAllowed(true)
                .setExecutionExceptionHandler((e, _, _) -> Main.failed(e, false, terminal))
                .execute(line.toArray(String[]::new));
        return new PipedCommand(code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @ValueSource(strings = {"--check", "--json"})
    void anInputThatIsCutShortMeanwhileIsOneSentenceAndTheOldResultStays(String option) throws IOException {
        files.floats("x.npy", 65L, 36L);
        Files.writeString(folder.resolve("y.npy"), "old");
        PipedCommand command = runOnGpu(_ -> cut("x.npy", 200), "bulk-copy", option);
        assertEquals("tilewright: cannot read " + folder + "/x.npy: it was cut from 9488 to 200 bytes while it was "
                + "being read", command.refusal());
        assertEquals(List.of("x.npy", "y.npy"), files.names());
        assertEquals("old", Files.readString(folder.resolve("y.npy")));
    }

    @Test
    void anInputThatIsChangedMeanwhileIsNotARun() {
        files.floats("x.npy", 65L, 36L);
        PipedCommand command = runOnGpu(_ -> files.floats("x.npy", 65L, 36L), "bulk-copy");
        assertEquals("tilewright: cannot read " + folder + "/x.npy: it was changed or replaced while it was being read",
                command.refusal());
        assertEquals(List.of("x.npy"), files.names());
    }

    private void cut(String file, long bytes) {
        try (FileChannel channel = FileChannel.open(folder.resolve(file), StandardOpenOption.WRITE)) {
            channel.truncate(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void withoutAGpuAutoSaysSoAndRunsOnTheCpu() {
        Devices devices = Devices.probe();
        assumeTrue(devices.list().isEmpty(), "this machine has a GPU");
        files.floats("x.npy", 7L);
        PipedCommand command = run("bulk-copy");
        assertEquals("tilewright: no GPU (" + devices.why() + "): running the reference executor on the CPU\n",
                command.err());
        assertEquals(0, command.code());
        assertArrayEquals(files.read("x.npy"), files.read("y.npy"));
    }

    @Test
    void aGpuThatIsAskedForMustBeThere() {
        Devices devices = Devices.probe();
        assumeTrue(devices.list().isEmpty(), "this machine has a GPU");
        files.floats("x.npy", 7L);
        assertEquals(new PipedCommand(3, "", "tilewright: --executor gpu needs a GPU, and there is none: "
                + devices.why()
                + "; --executor reference runs on the CPU\n"), run("bulk-copy --executor gpu"));
        assertEquals(List.of("x.npy"), files.names());
    }

    @Test
    void theReportIsJsonWhereItIsAskedFor() throws IOException {
        files.floats("x.npy", 2L, 3L);
        PipedCommand command = run("cp-async-scale --scalar 2 --check --json --executor reference");
        assertEquals("", command.err());
        JsonNode report = new ObjectMapper().readTree(command.out());
        List<String> names = new ArrayList<>();
        report.fieldNames().forEachRemaining(names::add);
        assertEquals(List.of("preset", "type", "shape", "bytes", "executor", "device", "checked", "difference",
                "output", "milliseconds"), names);
        assertEquals("cp-async-scale", report.get("preset").asText());
        assertEquals("f32", report.get("type").asText());
        assertEquals("[2,3]", report.get("shape").toString());
        assertEquals(24, report.get("bytes").asInt());
        assertEquals("reference", report.get("executor").asText());
        assertEquals("the reference executor", report.get("device").asText());
        assertTrue(report.get("checked").asBoolean() && report.get("difference").isNull());
        assertEquals(folder.resolve("y.npy").toString(), report.get("output").asText());
        for (String part : List.of("read", "driver", "move", "check", "write")) {
            assertTrue(report.get("milliseconds").get(part).asDouble() >= 0, part);
        }
    }

    @Test
    void helpForAPresetListsItsOptions() {
        for (Preset preset : Presets.ALL) {
            PipedCommand command = PipedCommand.run("", "run", preset.name(), "--help");
            assertEquals(0, command.code());
            assertEquals("", command.err());
            assertTrue(command.lines().getFirst().startsWith("tilewright run " + preset.name()
                    + " --input X.npy --output Y.npy"));
            for (Mechanism<?> mechanism : Presets.CATALOG.mechanisms()) {
                for (Option<?, ?> option : mechanism.options()) {
                    boolean listed = command.lines().stream().anyMatch(l -> l.startsWith("  --" + option.name() + " "));
                    assertEquals(preset.mechanism().hasOption(option.name()), listed, preset.name() + " " + option);
                }
            }
        }
        String scale = PipedCommand.run("", "run", "tensor-scale", "-h").out();
        assertTrue(scale.contains("(here: 128B)") && scale.contains("(here: scale)"), scale);
        assertTrue(PipedCommand.run("", "run", "--help").out().startsWith("Usage: tilewright run "));
        assertEquals("tilewright: there is no preset 'tensor-scal': did you mean 'tensor-scale'?",
                PipedCommand.run("", "run", "tensor-scal", "--help").refusal());
    }
}
