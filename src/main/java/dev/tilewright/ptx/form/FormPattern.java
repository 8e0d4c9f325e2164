package dev.tilewright.ptx.form;

import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.Gate;
import dev.tilewright.ptx.PtxInstruction;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Several forms written as one line, as grammars are: {@code ld{.relaxed|.acquire}{.shared::cta}.b32}. Braces hold what
 * can stand in a place; where nothing can, too, the choice is in brackets instead: {@code [.mmio]}. Numbers at the end
 * that tell forms apart are written in the same way: {@code , {1|-1}}.
 *
 * @param opcode the opcodes
 * @param operands what follows them
 * @param flags what follows those: a comma and what can stand there, for each number that tells forms apart
 * @param gate what all of them need
 * @param forms how many they are
 */
public record FormPattern(String opcode, String operands, String flags, Gate gate, int forms) {

    private record Key(String operands, int flags, Gate gate) { }

    /** Lines that together are these forms of one record, each form in exactly one. */
    public static List<FormPattern> of(List<? extends PtxInstruction> forms) {
        Map<Key, List<List<Set<String>>>> groups = new LinkedHashMap<>();
        for (PtxInstruction instruction : forms) {
            Form form = instruction.form();
            String flags = form.flags().stream().map(f -> ", " + f).collect(Collectors.joining());
            String operands = form.listing().substring(0, form.listing().length() - flags.length());
            groups.computeIfAbsent(new Key(operands, form.flags().size(), form.gate()), _ -> new ArrayList<>())
                    .add(Stream.concat(form.parts().stream(), form.flags().stream())
                            .<Set<String>>map(part -> new LinkedHashSet<>(Set.of(part))).toList());
        }
        List<FormPattern> patterns = new ArrayList<>();
        groups.forEach((key, group) -> merged(group).forEach(places -> {
            int parts = places.size() - key.flags;
            String flags = places.stream().skip(parts).map(f -> ", " + text(List.of(f))).collect(Collectors.joining());
            patterns.add(new FormPattern(text(places.subList(0, parts)), key.operands, flags, key.gate, count(places)));
        }));
        return patterns;
    }

    /** Joins lines that differ in one place, one place after the other from the last, until no more can be joined. */
    private static List<List<Set<String>>> merged(List<List<Set<String>>> lines) {
        List<List<Set<String>>> now = lines;
        for (int size = -1; size != now.size();) {
            size = now.size();
            for (int place = lines.getFirst().size() - 1; place >= 0; place--) {
                now = mergedAt(place, now);
            }
        }
        return now;
    }

    private static List<List<Set<String>>> mergedAt(int place, List<List<Set<String>>> lines) {
        Map<List<Set<String>>, List<Set<String>>> byRest = new LinkedHashMap<>();
        for (List<Set<String>> line : lines) {
            List<Set<String>> rest = new ArrayList<>(line);
            rest.remove(place);
            List<Set<String>> joined = byRest.get(rest);
            if (joined == null) {
                byRest.put(rest, new ArrayList<>(line));
            } else {
                Set<String> both = new LinkedHashSet<>(joined.get(place));
                both.addAll(line.get(place));
                joined.set(place, both);
            }
        }
        return List.copyOf(byRest.values());
    }

    private static String text(List<Set<String>> places) {
        StringBuilder text = new StringBuilder();
        for (Set<String> choices : places) {
            List<String> written = choices.stream().filter(c -> !c.isEmpty()).toList();
            String joined = String.join("|", written);
            if (written.size() < choices.size() && !written.isEmpty()) {
                text.append('[').append(joined).append(']');
            } else if (written.size() > 1) {
                text.append('{').append(joined).append('}');
            } else {
                text.append(joined);
            }
        }
        return text.toString();
    }

    private static int count(List<Set<String>> places) {
        return places.stream().mapToInt(Set::size).reduce(1, Math::multiplyExact);
    }
}
