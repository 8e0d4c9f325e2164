package dev.tilewright.emit;

import dev.tilewright.Remembered;
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
import java.util.HashMap;
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
    private static final int FORMS_TOGETHER = 100;
    private static final Pattern ERROR = Pattern.compile("line (\\d+); (?:error|fatal)\\s*: (.*)");

    /** Skips where there is none. */
    static Ptxas onPath(Path folder) throws IOException, InterruptedException {
        Path found = Arrays.stream(String.valueOf(System.getenv("PATH")).split(File.pathSeparator))
                .map(p -> Path.of(p, "ptxas")).filter(Files::isExecutable).findFirst().orElse(null);
        Assumptions.assumeTrue(found != null, "no ptxas on the PATH");
        Matcher version = Pattern.compile("release (\\d+\\.\\d+)")
                .matcher(run(List.of(found.toString(), "--version"), folder).text());
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
        while (!left.isEmpty()) {
            Source source = source(left, version, target);
            String said = said(source.text(), target);
            if (!ERROR.matcher(said).find()) {
                break;
            }
            int before = refused.size();
            ERROR.matcher(said).results().forEach(m -> {
                PtxInstruction form = source.forms().get(Integer.parseInt(m.group(1)));
                if (form != null) {
                    refused.putIfAbsent(form, m.group(2));
                }
            });
            if (refused.size() == before) {
                throw new AssertionError("ptxas stopped and named no form: " + said);
            }
            left.removeAll(refused.keySet());
        }
        return refused;
    }

    /** What it says of PTX: nothing, warnings, or errors. */
    String said(String ptx, Target target) {
        return Remembered.answer(List.of("ptxas", release, target.toString(), ptx), () -> {
            Path file = Files.writeString(folder.resolve("forms.ptx"), ptx);
            Outcome outcome = run(List.of(program.toString(), "-arch=" + target, "-O0", "-o",
                    folder.resolve("forms.cubin").toString(), file.toString()), folder);
            if (outcome.status() != 0 && !ERROR.matcher(outcome.text()).find()) {
                throw new AssertionError("ptxas ended with " + outcome.status() + ": " + outcome.text());
            }
            return outcome.text();
        });
    }

    /** @param forms by the number of the line that they stand on */
    private record Source(String text, Map<Integer, PtxInstruction> forms) {
    }

    /**
     * Functions of a hundred forms, which ptxas is faster at than at one of all; each form with many registers has
     * one of its own, or the accumulators of all would be alive at once.
     */
    private static Source source(List<PtxInstruction> all, PtxVersion version, Target target) {
        List<String> lines = new ArrayList<>(List.of(".version " + version, ".target " + target, ".address_size 64"));
        Map<Integer, PtxInstruction> places = new HashMap<>();
        List<PtxInstruction> plain = all.stream().filter(form -> !hasRegisters(form)).toList();
        for (int i = 0; i < plain.size(); i++) {
            if (i % FORMS_TOGETHER == 0) {
                lines.add((i == 0 ? "" : "ret; } ") + ".visible .entry forms_" + i + "(.param .u64 memory) { "
                        + ".reg .b8 b<8>; .reg .b16 h<8>; .reg .b32 r<8>; .reg .b64 d<8>; .reg .f32 f<8>; "
                        + ".reg .f64 g<8>; .reg .pred p<8>; "
                        + (version.compareTo(PtxVersion.of(8, 3)) >= 0 ? ".reg .b128 q<8>; " : "")
                        + "ld.param.u64 d0, [memory];");
            }
            lines.add(statement(plain.get(i)));
            places.put(lines.size(), plain.get(i));
        }
        lines.add(plain.isEmpty() ? "" : "ret; }");
        all.stream().filter(Ptxas::hasRegisters).forEach(form -> {
            lines.add(".visible .entry form_" + lines.size() + "() { .reg .b32 r<128>; .reg .b32 a<8>; .reg .b64 d<8>; "
                    + ".reg .f32 f<128>; .reg .f64 g<8>; .reg .pred p<8>; " + statement(form) + " ret; }");
            places.put(lines.size(), form);
        });
        return new Source(String.join("\n", lines) + "\n", places);
    }

    private static boolean hasRegisters(PtxInstruction form) {
        return form.inputs().stream().anyMatch(o -> o.kind().isRegisters());
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
