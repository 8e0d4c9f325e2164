package dev.tilewright.cli.ptx;

import dev.tilewright.BadRequestException;
import dev.tilewright.cli.option.Arguments;
import dev.tilewright.cli.option.JsonVerb;
import dev.tilewright.cli.option.Wildcard;
import dev.tilewright.cli.terminal.ExitCode;
import dev.tilewright.cli.terminal.Terminal;
import dev.tilewright.ptx.Catalogue;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.PtxVersion;
import dev.tilewright.ptx.Target;
import dev.tilewright.ptx.form.FormPattern;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ptx}: the instruction catalogue. */
@Command(name = "ptx",
        description = {"The PTX instructions that a program can use: forms, PTX versions, targets.",
            "Without a name, one line for each instruction; with one, all its forms. @|bold {a|b}|@ is a choice,"
                    + " @|bold [a]|@ may be left out."})
public final class PtxCommand extends JsonVerb {
    @Parameters(arity = "0..1", paramLabel = "NAME",
            description =
                    "an instruction (TensorLoad), or how its opcode begins (mbarrier.arrive; * stands for anything)")
    String name;

    @Option(names = "--target", paramLabel = "SM", description = "only what this target has, such as sm_90a")
    String target;

    @Option(names = "--ptx", paramLabel = "VERSION", description = "only what this PTX version has, such as 8.0")
    String version;

    @Option(names = "--tsv",
            description = "one line for each form, sorted: opcode, operands, PTX version, lowest target")
    boolean tsv;

    @Option(names = "--markdown", description = "the reference page")
    boolean markdown;

    PtxCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    public Integer call() {
        if (markdown) {
            if (name != null || target != null || version != null || tsv || json) {
                throw new BadRequestException("--markdown is the whole page: leave the other options out");
            }
            terminal.text(PtxPage.text());
            return ExitCode.OK;
        }
        if (tsv && json) {
            throw new BadRequestException("choose one of --tsv and --json");
        }
        Map<Class<? extends PtxInstruction>, List<PtxInstruction>> chosen = chosen();
        if (chosen.isEmpty()) {
            throw new BadRequestException("no form" + (name == null ? "" : " of '" + name + "'")
                    + (target == null ? "" : " for " + target) + (version == null ? "" : " in PTX " + version)
                    + ": 'tilewright ptx' lists the instructions");
        }
        if (tsv) {
            chosen.values().stream().flatMap(List::stream).map(PtxCommand::line).sorted().forEach(terminal::result);
        } else if (json) {
            terminal.json(chosen.values().stream().flatMap(List::stream).map(PtxForm::of).toList());
        } else if (name != null) {
            chosen.values().forEach(this::details);
        } else {
            overview(chosen);
        }
        return ExitCode.OK;
    }

    private Map<Class<? extends PtxInstruction>, List<PtxInstruction>> chosen() {
        Predicate<PtxInstruction> wanted = wanted();
        Map<Class<? extends PtxInstruction>, List<PtxInstruction>> chosen = new LinkedHashMap<>();
        for (Class<? extends PtxInstruction> instruction : Catalogue.instructions()) {
            List<PtxInstruction> forms = isOther(instruction) ? List.of()
                    : Catalogue.forms(instruction).<PtxInstruction>map(f -> f).filter(wanted).toList();
            if (!forms.isEmpty()) {
                chosen.put(instruction, forms);
            }
        }
        return chosen;
    }

    /** Whether the name is that of another record, so that this one's forms need not be looked at. */
    private boolean isOther(Class<? extends PtxInstruction> instruction) {
        return name != null && !instruction.getSimpleName().equalsIgnoreCase(name)
                && Catalogue.instructions().stream().anyMatch(c -> c.getSimpleName().equalsIgnoreCase(name));
    }

    private Predicate<PtxInstruction> wanted() {
        Target for_ = target == null ? null : Arguments.target(target);
        PtxVersion in = version == null ? null : Arguments.ptxVersion(version);
        Wildcard opcode = name == null ? null : Wildcard.ofStars(name);
        return form -> (for_ == null || form.gate().admits(for_))
                && (in == null || form.gate().alternatives().stream().anyMatch(a -> in.compareTo(a.since()) >= 0))
                && (for_ == null || in == null || form.gate().admits(in, for_))
                && (opcode == null || form.getClass().getSimpleName().equalsIgnoreCase(name)
                        || opcode.matchesUpToQualifier(form.opcode()));
    }

    private void overview(Map<Class<? extends PtxInstruction>, List<PtxInstruction>> chosen) {
        int width = chosen.keySet().stream().mapToInt(c -> c.getSimpleName().length()).max().orElse(0);
        Map<Class<? extends PtxInstruction>, String> mnemonics = new HashMap<>();
        chosen.forEach((instruction, forms) -> mnemonics.put(instruction, PtxPage.mnemonic(forms)));
        int opcodes = mnemonics.values().stream().mapToInt(String::length).max().orElse(0);
        chosen.forEach((instruction, forms) -> terminal.result(String.format(
                "%-" + width + "s  %-" + opcodes + "s  %4d  PTX %-3s  %-7s  %s%s",
                instruction.getSimpleName(), mnemonics.get(instruction), forms.size(), PtxPage.since(forms),
                PtxPage.target(forms), forms.getFirst().meaning(),
                forms.stream().allMatch(PtxInstruction::emitOnly) ? " (emitted, not run on the CPU)" : "")));
        int forms = chosen.values().stream().mapToInt(List::size).sum();
        terminal.result("instructions " + chosen.size() + " forms " + forms);
    }

    private void details(List<PtxInstruction> forms) {
        PtxInstruction first = forms.getFirst();
        terminal.result(first.getClass().getSimpleName() + ": " + first.meaning() + " (PTX ISA, \"" + first.section()
                + "\")");
        if (!first.caution().isEmpty()) {
            terminal.result("  " + first.caution());
        }
        for (FormPattern p : FormPattern.of(forms)) {
            terminal.result("  " + p.opcode() + (p.operands().isEmpty() ? "" : " " + p.operands() + p.flags()) + "  ("
                    + p.gate() + (p.forms() == 1 ? "" : "; " + p.forms() + " forms")
                    + (p.gate().minimumTarget().compareTo(Target.SM_100) >= 0
                            ? "; emitted, not run on the CPU)" : ")"));
        }
    }

    private static String line(PtxInstruction instruction) {
        Form form = instruction.form();
        return String.join("\t", form.opcode(), form.listing(), form.gate().since().toString(),
                form.gate().minimumTarget().toString());
    }
}
