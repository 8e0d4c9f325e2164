package dev.tilewright.cli;

import dev.tilewright.ptx.Catalogue;
import dev.tilewright.ptx.Effects;
import dev.tilewright.ptx.FormPattern;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.PtxVersion;
import dev.tilewright.ptx.Target;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The page {@code docs/ptx.md}, made of the instruction records alone. */
final class PtxPage {
    private PtxPage() {
    }

    static String text() {
        StringBuilder page = new StringBuilder();
        List<? extends List<? extends PtxInstruction>> all = Catalogue.instructions().stream()
                .map(c -> Catalogue.forms(c).toList()).toList();
        page.append("# PTX instructions\n\n")
                .append("Made by `scripts/update-docs` from the records in `dev.tilewright.ptx`: change those, not this page.\n\n")
                .append("`{a|b}` is a choice, `[a]` may be left out. A line with a choice stands for several forms; each is a line of\n")
                .append("`tilewright ptx --tsv`. Versions and targets are the first that have the form; PTX 7.0 and sm_80 stand for\n")
                .append("everything older. \"Emitted only\" forms (sm_100 and later) are printed and assembled, and refused by the\n")
                .append("reference executor: no such hardware has been measured.\n\n")
                .append("| instruction | forms | PTX | lowest target | what it does |\n|---|---|---|---|---|\n");
        all.forEach(forms -> page.append("| [").append(name(forms)).append("](#").append(name(forms).toLowerCase(java.util.Locale.ROOT))
                .append(") | ").append(forms.size()).append(" | ").append(since(forms)).append(" | ").append(target(forms))
                .append(" | ").append(forms.getFirst().summary()).append(" |\n"));
        page.append("\n").append(all.size()).append(" instructions, ").append(all.stream().mapToInt(List::size).sum())
                .append(" forms.\n");
        all.forEach(forms -> section(page, forms));
        return page.toString();
    }

    private static void section(StringBuilder page, List<? extends PtxInstruction> forms) {
        PtxInstruction first = forms.getFirst();
        page.append("\n## ").append(name(forms)).append("\n\n").append(capital(first.summary())).append(".");
        if (forms.stream().allMatch(PtxInstruction::emitOnly)) {
            page.append(" Emitted only.");
        } else if (forms.stream().anyMatch(PtxInstruction::emitOnly)) {
            page.append(" Forms that need sm_100 or later are emitted only.");
        }
        if (!first.caution().isEmpty()) {
            page.append(" ").append(first.caution());
        }
        page.append(" PTX ISA, \"").append(first.section()).append("\".\n\n");
        effects(page, forms);
        page.append("```\n");
        for (FormPattern p : FormPattern.of(forms)) {
            page.append(p.opcode()).append(p.operands().isEmpty() ? "" : " " + p.operands()).append(";\n    // ").append(p.gate())
                    .append(p.forms() == 1 ? "" : "; " + p.forms() + " forms").append("\n");
        }
        page.append("```\n");
    }

    /** What the forms do to memory: the first form's accesses, and every way in which forms complete and order. */
    private static void effects(StringBuilder page, List<? extends PtxInstruction> forms) {
        Effects first = forms.getFirst().effects();
        Set<String> completions = new LinkedHashSet<>();
        Set<String> orders = new LinkedHashSet<>();
        forms.forEach(f -> {
            completions.add(f.effects().completion().toString());
            f.effects().order().ifPresent(o -> orders.add(lower(o.semantics())));
        });
        for (Effects.Access a : first.accesses()) {
            page.append("- ").append(lower(a.mode())).append("s ").append(a.extent()).append(" at `").append(a.operand())
                    .append("` (").append(lower(a.proxy())).append(" proxy)\n");
        }
        if (!first.accesses().isEmpty()) {
            page.append("- completes: ").append(String.join(", ", completions)).append("\n");
        }
        if (!orders.isEmpty()) {
            page.append("- orders: ").append(String.join(", ", orders)).append("\n");
        }
        if (!first.accesses().isEmpty() || !orders.isEmpty()) {
            page.append("\n");
        }
    }

    static PtxVersion since(List<? extends PtxInstruction> forms) {
        return forms.stream().map(PtxInstruction::since).min(Comparator.naturalOrder()).orElseThrow();
    }

    static Target target(List<? extends PtxInstruction> forms) {
        return forms.stream().map(PtxInstruction::minimumTarget).min(Comparator.naturalOrder()).orElseThrow();
    }

    private static String name(List<? extends PtxInstruction> forms) {
        return forms.getFirst().getClass().getSimpleName();
    }

    private static String capital(String sentence) {
        return Character.toUpperCase(sentence.charAt(0)) + sentence.substring(1);
    }

    private static String lower(Enum<?> constant) {
        return constant.name().toLowerCase(java.util.Locale.ROOT);
    }
}
