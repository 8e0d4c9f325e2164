package dev.tilewright.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tilewright.builder.Preset;
import dev.tilewright.builder.Presets;
import dev.tilewright.builder.Schedule;
import dev.tilewright.emit.CudaEmitter;
import dev.tilewright.layout.ElementType;
import dev.tilewright.ptx.Target;
import dev.tilewright.tile.kernel.TilePreset;
import dev.tilewright.tile.kernel.TilePresets;
import dev.tilewright.tuning.TunedTiles;
import dev.tilewright.tuning.Tuning;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code list} and {@code emit}. */
class ListAndEmitTest {
    @TempDir
    Path folder;

    @Test
    void everyPresetIsOneLine() {
        PipedCommand command = PipedCommand.run("", "list");
        assertEquals(0, command.code());
        assertEquals("", command.err());
        assertEquals(Presets.ALL.size() + TilePresets.ALL.size(), command.lines().size());
        for (int i = 0; i < Presets.ALL.size(); i++) {
            Preset p = Presets.ALL.get(i);
            assertEquals(List.of(p.name(), p.mechanism().instruction(), p.minimumTarget().toString(),
                    p.summary() + (Tuning.shipped().has(p) ? "" : " (schedule not measured yet)")),
                    List.of(command.lines().get(i).split(" {2,}")));
        }
        Set<String> measured = Tuning.shipped().tiles().stream().map(TunedTiles::bits).collect(Collectors.toSet());
        for (int i = 0; i < TilePresets.ALL.size(); i++) {
            TilePreset p = TilePresets.ALL.get(i);
            assertEquals(List.of(p.name(), "tile kernel", p.minimumTarget().toString(),
                    p.summary() + (measured.contains(p.kernel().signature(Target.SM_90A).bits()) ? ""
                            : " (schedule not measured yet)")),
                    List.of(command.lines().get(Presets.ALL.size() + i).split(" {2,}")));
        }
    }

    @Test
    void theListAsJson() throws IOException {
        PipedCommand command = PipedCommand.run("", "list", "--json");
        JsonNode list = new ObjectMapper().readTree(command.out());
        assertEquals(Presets.ALL.size() + TilePresets.ALL.size(), list.size());
        assertEquals("""
                {"name":"softmax","mechanism":"tile kernel","minimumTarget":"sm_80",\
                "summary":"e to the power of each element, divided by the sum of its row",\
                "options":["--type","--schedule","--extents"],"measured":true,"types":["f32","bf16","f16","f64"]}""",
                list.valueStream().filter(row -> row.get("name").asText().equals("softmax")).findFirst().orElseThrow()
                        .toString());
        int place = Presets.ALL.indexOf(Presets.named("bulk-add"));
        assertEquals("""
                {"name":"bulk-add","mechanism":"cp.async.bulk","minimumTarget":"sm_90",\
                "summary":"adds a scalar to every element, in shared memory",\
                "options":["--tile","--stages","--threads","--step","--walk","--roles","--wait","--cache"],\
                "measured":true}""",
                list.get(place).toString());
    }

    @Test
    void aSourceGoesToStandardOutputAsItIs() {
        String source = CudaEmitter.emit(Presets.named("bulk-copy").build(ElementType.F32).program()).text();
        assertEquals(new PipedCommand(0, source, ""), PipedCommand.run("", "emit", "bulk-copy"));
        String other = CudaEmitter.emit(Presets.named("tensor-copy").build(ElementType.BF16, 2,
                Schedule.parse("step=add tile=3x64B")).program()).text();
        assertEquals(new PipedCommand(0, other, ""), PipedCommand.run("", "emit", "tensor-copy", "--type", "bfloat16",
                "--step", "add", "--tile", "3x64B"));
    }

    @Test
    void aSourceGoesToAFile() throws IOException {
        Path file = folder.resolve("kernel.cu");
        Files.writeString(file, "what was there before");
        assertEquals(new PipedCommand(0, "", ""), PipedCommand.run("", "emit", "bulk-copy", "-o", file.toString()));
        assertEquals(PipedCommand.run("", "emit", "bulk-copy").out(), Files.readString(file));
        Path link = Files.createSymbolicLink(folder.resolve("link.cu"), file);
        assertEquals(0, PipedCommand.run("", "emit", "bulk-add", "--output", link.toString()).code());
        assertEquals(PipedCommand.run("", "emit", "bulk-add").out(), Files.readString(file));
        assertTrue(Files.isSymbolicLink(link));
        assertEquals(List.of("kernel.cu", "link.cu"), new NpyFiles(folder).names());
    }

    @Test
    void itsFolderIsMade() throws IOException {
        Path file = folder.resolve("none/yet/kernel.cu");
        assertEquals(0, PipedCommand.run("", "emit", "bulk-copy", "-o", file.toString()).code());
        assertTrue(Files.readString(file).contains("__global__"));
    }

    @Test
    void filesThatCannotBeWritten() {
        assertEquals("tilewright: cannot write " + folder + ": it is a folder",
                PipedCommand.run("", "emit", "bulk-copy", "-o", folder.toString()).refusal());
        assertEquals(List.of(), new NpyFiles(folder).names());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "bulk-copy --target sm_80 | preset 'bulk-copy' needs sm_90 or later, got --target sm_80",
        "tensor-copy --target sm_89 | preset 'tensor-copy' needs sm_90 or later, got --target sm_89",
        "bulk-copy --target sm_9 | 'sm_9' is not a target: write it as sm_80, sm_90 or sm_90a",
        "cp-async-pipeline --stages 8 --tile 16384B --target sm_86 | preset 'cp-async-pipeline' with these options "
        + "needs 131072 bytes of shared memory per block, and sm_86 has 101376: choose a smaller tile or fewer stages",
        "bulk-copi | there is no preset 'bulk-copi': did you mean 'bulk-copy'?",
        "bulk-copy --stages 0 | bulk-copy takes 1 to 8 stages, got 0"})
    void whatIsRefused(String options, String message) {
        Path file = folder.resolve("kernel.cu");
        assertEquals("tilewright: " + message, PipedCommand.run("", ("emit " + options + " -o " + file).split(" "))
                .refusal());
        assertEquals(List.of(), new NpyFiles(folder).names());
    }

    @Test
    void targetsThatHaveWhatItTakes() {
        String source = PipedCommand.run("", "emit", "bulk-copy").out();
        for (String target : List.of("sm_90", "sm_90a", "compute_100", "SM_120")) {
            assertEquals(new PipedCommand(0, source, ""), PipedCommand.run("", "emit", "bulk-copy", "--target", target),
                    target);
        }
    }
}
