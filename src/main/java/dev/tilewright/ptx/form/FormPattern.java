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

/**
 * Several forms written as one line, as grammars are: {@code ld{.relaxed|.acquire}{.shared::cta}.b32}. Braces hold what
 * can stand in a place; where nothing can, too, the choice is in brackets instead: {@code [.mmio]}.
 *
 * @param opcode the opcodes
 * @param operands what follows them
 * @param gate what all of them need
 * @param forms how many they are
 */
public record FormPattern(String opcode, String operands, Gate gate, int forms) {

    private record Key(String operands, Gate gate) {
    }

    /** Lines that together are these forms of one record, each form in exactly one. */
    public static List<FormPattern> of(List<? extends PtxInstruction> forms) {
        Map<Key, List<List<Set<String>>>> groups = new LinkedHashMap<>();
        for (PtxInstruction instruction : forms) {
            Form form = instruction.form();
            groups.computeIfAbsent(new Key(form.listing(), form.gate()), _ -> new ArrayList<>())
                    .add(form.parts().stream().<Set<String>>map(part -> new LinkedHashSet<>(Set.of(part))).toList());
        }
        List<FormPattern> patterns = new ArrayList<>();
        groups.forEach((key, group) -> merged(group).forEach(places ->
                patterns.add(new FormPattern(text(places), key.operands, key.gate, count(places)))));
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
