package dev.tilewright.verify.draw;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.Remembered;
import dev.tilewright.builder.Presets;
import dev.tilewright.emit.CudaEmitter;
import dev.tilewright.emit.CudaSource;
import dev.tilewright.emit.EmbeddedCompiler;
import dev.tilewright.emit.EmitOptions;
import dev.tilewright.emit.Spelling;
import dev.tilewright.examples.Example;
import dev.tilewright.gpu.compile.Nvrtc;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.tile.kernel.Attention;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * No compiler has anything to say of what is emitted: presets, examples and drawn kernels compile without a warning of
 * the front end and without a remark of the assembler (C75xx: what it ignores, injects or serialises).
 * {@code -Dtilewright.remarks=100} takes a hundred drawn kernels of each kind, every preset for sm_90a as well as for
 * its lowest target, and gives nvcc every preset.
 */
class RemarksTest {
    private static final int KERNELS = Integer.getInteger("tilewright.remarks", 2);
    private static final boolean ALL = KERNELS > 2;
    private static final long SEED = 25;

    private static Nvrtc nvrtc;

    @TempDir
    Path folder;

    @BeforeAll
    static void find() {
        nvrtc = EmbeddedCompiler.release("13.3");
    }

    private static String remarks(TileProgram program, Target target) {
        CudaSource source = source(program, target);
        return EmbeddedCompiler.remarks(nvrtc, source.text(), List.of(source.kernelName()), target).stream()
                .map(remark -> program.name() + " for " + target + ": " + remark + "\n").collect(Collectors.joining());
    }

    private static CudaSource source(TileProgram program, Target target) {
        return CudaEmitter.emit(program, EmitOptions.DEFAULT.spelledFor(new Spelling(nvrtc.ptxVersion(), target)));
    }

    private static TileProgram drawn(DrawnKind kind, long number) {
        return kind.draw(SEED, number, new SplittableRandom(number), 1).getFirst().run().launch().program();
    }

    /** Its products are in flight while scores are read: ptxas is told when they may be, or runs them one by one. */
    @Test
    void ofAttention() {
        for (int width : new int[] {64, 256}) {
            assertEquals("", remarks(Attention.of(ValueType.BF16).withHeadWidth(width).causal().kernel()
                    .lowered(Target.SM_90A, Map.of()).program(), Target.SM_90A));
        }
    }

    static Stream<DrawnKind> kinds() {
        return Kinds.DRAWN.stream();
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void ofDrawnKernels(DrawnKind kind) {
        assertEquals("", IntStream.range(0, KERNELS).parallel().mapToObj(i -> drawn(kind, i))
                .map(program -> remarks(program, Target.SM_90A)).collect(Collectors.joining()));
    }

    @Test
    void ofPresets() {
        assertEquals("", Presets.ALL.parallelStream().map(preset -> preset.build(ElementType.F32).program())
                .flatMap(program -> Stream.of(program.minimumTarget(), ALL ? Target.SM_90A : program.minimumTarget())
                .distinct()
                        .map(target -> remarks(program, target))).collect(Collectors.joining()));
    }

    @Test
    void ofExamples() {
        assertEquals("", Arrays.stream(Example.values()).map(Example::program)
                .map(program -> remarks(program, Target.SM_90A))
                .collect(Collectors.joining()));
    }

    @Test
    void ofNvcc() throws IOException, InterruptedException {
        Path nvcc = Arrays.stream(String.valueOf(System.getenv("PATH")).split(File.pathSeparator))
                .map(p -> Path.of(p, "nvcc"))
                .filter(Files::isExecutable).findFirst().orElse(null);
        Assumptions.assumeTrue(nvcc != null, "no nvcc on the PATH");
        List<TileProgram> programs = new ArrayList<>(Arrays.stream(Example.values()).map(Example::program).toList());
        Presets.ALL.stream().filter(p -> ALL || p.name().equals("tensor-scale"))
                .forEach(p -> programs.add(p.build(ElementType.F32).program()));
        kinds().forEach(kind -> programs.add(drawn(kind, 1)));
        List<String> command =
                new ArrayList<>(List.of(nvcc.toString(), "-arch=sm_90a", "-Xcompiler", "-Wall,-Wextra", "-ptx",
                "--Werror", "all-warnings", "--threads", "2"));
        List<String> question = new ArrayList<>(command);
        question.add(said(List.of(nvcc.toString(), "--version")));
        for (TileProgram program : programs) {
            Path file = folder.resolve(command.size() + ".cu");
            String text = source(program, Target.SM_90A).text();
            command.add(Files.writeString(file, text).toString());
            question.add(text);
        }
        assertEquals("", Remembered.answer(question, () -> said(command)));
    }

    private String said(List<String> command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), said);
        return said;
    }
}
