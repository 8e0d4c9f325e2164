package dev.tilewright.emit;

import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.PtxVersion;
import dev.tilewright.ptx.Target;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Assumptions;

/**
 * A ptxas on the PATH. It is given plain PTX, one form a line, and reads on after an error, so that one run says which
 * lines it refuses.
 */
record Ptxas(Path program, Path folder, String release) {
    private static final Pattern ERROR = Pattern.compile("line (\\d+); (?:error|fatal)\\s*: (.*)");

    /** Skips where there is none. */
    static Ptxas onPath(Path folder) throws IOException, InterruptedException {
        Path found = Arrays.stream(String.valueOf(System.getenv("PATH")).split(File.pathSeparator))
                .map(p -> Path.of(p, "ptxas")).filter(Files::isExecutable).findFirst().orElse(null);
        Assumptions.assumeTrue(found != null, "no ptxas on the PATH");
        Matcher version = Pattern.compile("release (\\d+\\.\\d+)").matcher(run(List.of(found.toString(), "--version"), folder).text());
        Assumptions.assumeTrue(version.find(), found + " does not say its release");
        return new Ptxas(found, folder, version.group(1));
    }

    /** The newest PTX that it takes. */
    PtxVersion newest() {
        String[] numbers = release.split("\\.");
        return PtxVersion.ofCuda(Integer.parseInt(numbers[0]), Integer.parseInt(numbers[1]));
    }

    /** The forms that it refuses, each with what it says. */
    Map<PtxInstruction, String> refusals(List<PtxInstruction> forms, PtxVersion version, Target target)
            throws IOException, InterruptedException {
        Map<PtxInstruction, String> refused = new LinkedHashMap<>();
        List<PtxInstruction> left = new ArrayList<>(forms);
        left.sort(Comparator.comparing(Ptxas::hasRegisters));
        while (!left.isEmpty()) {
            List<String> head = head(version, target);
            List<String> lines = new ArrayList<>(head);
            List<PtxInstruction> plain = left.stream().filter(form -> !hasRegisters(form)).toList();
            plain.forEach(form -> lines.add(statement(form)));
            lines.add("ret; }");
            left.stream().skip(plain.size()).forEach(form -> lines.add(entry(form, lines.size())));
            lines.add("");
            Path source = Files.writeString(folder.resolve("forms.ptx"), String.join("\n", lines));
            Outcome outcome = run(List.of(program.toString(), "-arch=" + target, "-O0", "-o", folder.resolve("forms.cubin").toString(),
                    source.toString()), folder);
            if (outcome.status() == 0) {
                break;
            }
            int before = refused.size();
            ERROR.matcher(outcome.text()).results().forEach(m -> {
                int line = Integer.parseInt(m.group(1)) - 1 - head.size();
                int index = line < plain.size() ? line : line == plain.size() ? -1 : line - 1;
                if (index >= 0 && index < left.size()) {
                    refused.putIfAbsent(left.get(index), m.group(2));
                }
            });
            if (refused.size() == before) {
                throw new AssertionError("ptxas stopped and named no form: " + outcome.text());
            }
            left.removeAll(refused.keySet());
        }
        return refused;
    }

    private static List<String> head(PtxVersion version, Target target) {
        List<String> lines = new ArrayList<>(List.of(".version " + version, ".target " + target, ".address_size 64",
                ".visible .entry every_form(.param .u64 memory) {",
                ".reg .b8 b<8>; .reg .b16 h<8>; .reg .b32 r<8>; .reg .b64 d<8>; .reg .f32 f<8>; .reg .f64 g<8>; .reg .pred p<8>;"));
        lines.add(version.compareTo(PtxVersion.of(8, 3)) >= 0 ? ".reg .b128 q<8>;" : "");
        lines.add("ld.param.u64 d0, [memory];");
        return lines;
    }

    private static boolean hasRegisters(PtxInstruction form) {
        return form.inputs().stream().anyMatch(o -> o.kind().isRegisters());
    }

    /** A function of its own for a form with many registers, or the accumulators of all forms would be alive at once. */
    private static String entry(PtxInstruction form, int number) {
        return ".visible .entry form_" + number + "() { .reg .b32 r<128>; .reg .b32 a<8>; .reg .b64 d<8>; .reg .f32 f<128>; .reg .f64 g<8>; .reg .pred p<8>; "
                + statement(form) + " ret; }";
    }

    /** The form with a register of the right kind for every operand. */
    private static String statement(PtxInstruction form) {
        String text = form.operandText();
        for (Operand o : form.operands()) {
            text = text.replace("%" + o.name() + "%", switch (o.kind()) {
                case B32_REGISTERS, S32_REGISTERS -> several(o.access().writes() ? "r" : "a", o.count());
                case F32_REGISTERS -> several("f", o.count());
                case F64_REGISTERS -> several("g", o.count());
                case PREDICATE, PREDICATE_OUT -> "p1";
                case U8 -> "b1";
                case U16, U16_OUT -> "h1";
                case U128 -> "q1";
                case F32, F32_OUT -> "f1";
                case F64, F64_OUT -> "g1";
                default -> o.kind().isWide() ? "d0" : "r1";
            });
        }
        return form.opcode() + " " + text + ";";
    }

    private static String several(String registers, int count) {
        return IntStream.range(0, count).mapToObj(i -> registers + i).collect(Collectors.joining(", "));
    }

    private record Outcome(int status, String text) {
    }

    private static Outcome run(List<String> command, Path folder) throws IOException, InterruptedException {
        Path output = folder.resolve("output.txt");
        Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start();
        if (!process.waitFor(5, TimeUnit.MINUTES)) {
            process.destroyForcibly();
            throw new AssertionError(command + " did not end in 5 minutes");
        }
        return new Outcome(process.exitValue(), Files.readString(output, StandardCharsets.UTF_8));
    }
}
