package dev.tilewright.ptx;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The Javadoc of every instruction lists its operands in order, as its forms have them. */
class OperandOrderTest {
    private static final Path SOURCES = Path.of(System.getProperty("tilewright.root", "."), "src/main/java");

    @Test
    void everyInstructionListsItsOperands() throws Exception {
        Map<String, String> missing = new TreeMap<>();
        for (Class<? extends PtxInstruction> type : Catalogue.instructions()) {
            String source = Files.readString(SOURCES.resolve(type.getName().replace('.', '/') + ".java"));
            String comment = source.substring(0, source.indexOf("public record "));
            String text = comment.replaceAll("\\s+\\*?\\s*", " ");
            if (!text.contains(sentence(type))) {
                missing.put(type.getName(), sentence(type));
            }
        }
        assertEquals("", missing.entrySet().stream().map(e -> e.getKey() + ": " + e.getValue())
                .collect(Collectors.joining("\n")), "comments that do not say this of their operands");
    }

    /** {@code Inputs, in order: dst, value, [replacement]. Result: old}: what not every form has is in brackets. */
    private static String sentence(Class<? extends PtxInstruction> type) {
        Set<List<String>> inputs = new LinkedHashSet<>();
        Set<List<String>> results = new LinkedHashSet<>();
        Catalogue.forms(type).forEach(form -> {
            inputs.add(names(form.inputs()));
            results.add(names(form.results()));
        });
        String result = merged(results);
        return (inputs.equals(Set.of(List.of())) ? "" : "Inputs, in order: {@code " + merged(inputs) + "}.")
                + (result.isEmpty() ? "" : (result.contains(",") ? " Results" : " Result") + ": {@code " + result
                + "}.");
    }

    /** Names, of which neighbours that differ in a number alone are one: {@code c0...}. */
    private static List<String> names(List<Operand> operands) {
        Set<String> names = new LinkedHashSet<>();
        for (Operand o : operands) {
            String stem = o.name().replaceAll("\\d+$", "");
            names.add(stem.equals(o.name()) || stem.isEmpty() ? o.name() : stem + "0...");
        }
        return List.copyOf(names);
    }

    /** All names in an order that each list has. */
    private static String merged(Set<List<String>> lists) {
        Map<String, Set<String>> before = new LinkedHashMap<>();
        lists.stream().sorted((a, b) -> b.size() - a.size()).forEach(list -> {
            for (int i = 0; i < list.size(); i++) {
                before.computeIfAbsent(list.get(i), _ -> new LinkedHashSet<>()).addAll(list.subList(0, i));
            }
        });
        List<String> order = new ArrayList<>();
        while (order.size() < before.size()) {
            order.add(before.keySet().stream().filter(n -> !order.contains(n) && order.containsAll(before.get(n)))
                    .findFirst().orElseThrow(() -> new AssertionError("operands in several orders: " + lists)));
        }
        return order.stream().map(n -> lists.stream().allMatch(list -> list.contains(n)) ? n : "[" + n + "]")
                .collect(Collectors.joining(", "));
    }
}
