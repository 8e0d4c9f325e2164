package dev.tilewright.cli.ptx;

import dev.tilewright.ptx.Catalogue;
import dev.tilewright.ptx.Effects;
import dev.tilewright.ptx.Evidence;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.PtxVersion;
import dev.tilewright.ptx.Target;
import dev.tilewright.ptx.form.FormPattern;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.apache.commons.lang3.StringUtils;

/** The page {@code docs/ptx.md}, made of the instruction records alone. */
final class PtxPage {
    private static final String HEAD = """
            # PTX instructions

            Made by `scripts/update-docs` from the records in `dev.tilewright.ptx`: change those, not this page.

            `{a|b}` is a choice, `[a]` may be left out. A line with a choice stands for several forms; each is a line of
            `tilewright ptx --tsv`. Versions and targets are the first that have the form; PTX 7.0 and sm_80 stand for
            everything older. "Emitted only" forms (sm_100 and later) are printed and assembled, and refused by the
            reference executor: no such hardware has been measured. "Documented, not measured" ones run there by the \
            ISA's text alone.

            Not listed, because the ISA does not describe them so, though ptxas 13.0 takes them: st.async without a \
            release or
            a completion, red.async to global memory with operations other than add or without a release, tile::scatter4
            reductions, other places for the sink in get_first_ctaid.v4. Left out on purpose: membar; vectors, \
            half-precision
            pairs and eviction priorities on loads, stores and atomics.

            | instruction | opcode | forms | PTX | lowest target | what it does |
            |---|---|---|---|---|---|
            """;

    private PtxPage() { }

    static String text() {
        StringBuilder page = new StringBuilder(HEAD);
        List<? extends List<? extends PtxInstruction>> all = Catalogue.instructions().stream()
                .map(c -> Catalogue.forms(c).toList()).toList();
        all.forEach(forms -> page.append("| [").append(name(forms)).append("](#")
                .append(name(forms).toLowerCase(Locale.ROOT))
                .append(") | `").append(mnemonic(forms)).append("` | ").append(forms.size()).append(" | ")
                .append(since(forms)).append(" | ").append(target(forms))
                .append(" | ").append(forms.getFirst().meaning()).append(" |\n"));
        page.append("\n").append(all.size()).append(" instructions, ").append(all.stream().mapToInt(List::size).sum())
                .append(" forms.\n");
        all.forEach(forms -> section(page, forms));
        return page.toString();
    }

    private static void section(StringBuilder page, List<? extends PtxInstruction> forms) {
        PtxInstruction first = forms.getFirst();
        page.append("\n## ").append(name(forms)).append("\n\n").append(capital(first.meaning())).append(".");
        if (forms.stream().allMatch(PtxInstruction::emitOnly)) {
            page.append(" Emitted only.");
        } else if (forms.stream().anyMatch(PtxInstruction::emitOnly)) {
            page.append(" Forms that need sm_100 or later are emitted only.");
        }
        List<String> documented = forms.stream().filter(f -> f.evidence() == Evidence.DOCUMENTED)
                .map(PtxInstruction::opcode).toList();
        if (!documented.isEmpty()) {
            page.append(" Documented, not measured: ").append(documented.size()).append(documented.size() == 1
                    ? " form" : " forms").append(" of it that ").append(documented.size() == 1 ? "needs" : "need")
                    .append(" sm_100.");
        }
        if (first.evidence() == Evidence.INEXACT) {
            page.append(" Its bits differ between GPUs; the reference refuses it.");
        }
        if (!first.caution().isEmpty()) {
            page.append(" ").append(first.caution());
        }
        page.append(" PTX ISA, \"").append(first.section()).append("\".\n\n");
        effects(page, forms);
        page.append("```\n");
        for (FormPattern p : FormPattern.of(forms)) {
            page.append(p.opcode()).append(p.operands().isEmpty() ? "" : " " + p.operands()).append(p.flags())
                    .append(";\n    // ").append(p.gate())
                    .append(p.forms() == 1 ? "" : "; " + p.forms() + " forms").append("\n");
        }
        page.append("```\n");
    }

    /** What the forms do to memory: every kind of access, and every way in which forms complete, wait and order. */
    private static void effects(StringBuilder page, List<? extends PtxInstruction> forms) {
        Map<String, Set<String>> accesses = new LinkedHashMap<>();
        Set<String> completions = new LinkedHashSet<>();
        Set<String> orders = new LinkedHashSet<>();
        for (PtxInstruction form : forms) {
            Effects effects = form.effects();
            effects.accesses()
                    .forEach(a -> accesses.computeIfAbsent("at `" + a.operand() + "` (" + lower(a.mode()) + "s, "
                    + lower(a.proxy()) + " proxy)", _ -> new LinkedHashSet<>()).add(a.extent().toString()));
            if (!effects.accesses().isEmpty()) {
                completions.add(effects.completion().toString());
            }
            effects.order().ifPresent(o -> orders.add(lower(o.semantics()) + " for " + lower(o.scope())));
            effects.fence().ifPresent(
                    f -> orders.add(lower(f.from()) + " and " + lower(f.to()) + " proxy, " + lower(f.memory())
                    .replace('_', ' ')));
            effects.waitsFor().ifPresent(w -> completions.add("waits for " + w));
        }
        accesses.forEach((where, extents) -> page.append("- ").append(String.join(" or ", extents)).append(" ")
                .append(where).append("\n"));
        item(page, "completes: ", completions);
        item(page, "orders: ", orders);
        if (!accesses.isEmpty() || !orders.isEmpty() || !completions.isEmpty()) {
            page.append("\n");
        }
    }

    private static void item(StringBuilder page, String title, Set<String> texts) {
        if (!texts.isEmpty()) {
            page.append("- ").append(title).append(String.join("; ", texts)).append("\n");
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

    /** The part of the opcode that all forms begin with, or all names of instructions where there is none. */
    static String mnemonic(List<? extends PtxInstruction> forms) {
        List<String> opcodes = forms.stream().map(PtxInstruction::opcode).toList();
        List<String> names = opcodes.stream().map(o -> StringUtils.substringBefore(o, '.')).distinct().toList();
        if (names.size() > 1) {
            return String.join(", ", names);
        }
        String first = opcodes.getFirst();
        int end = first.length();
        for (String opcode : opcodes) {
            while (!opcode.startsWith(first.substring(0, end)) || end < opcode.length() && opcode.charAt(end) != '.') {
                end = first.lastIndexOf('.', end - 1);
            }
        }
        return first.substring(0, end);
    }

    private static String capital(String sentence) {
        return Character.toUpperCase(sentence.charAt(0)) + sentence.substring(1);
    }

    private static String lower(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
