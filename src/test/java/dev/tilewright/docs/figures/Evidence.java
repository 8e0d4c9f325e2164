package dev.tilewright.docs.figures;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a comment behind a text says of where its figures come from, a line for each:
 * <pre>
 * gpu-tests.log: [ # tests started ]                  a line of a log, and the number that is meant
 * bench-check.log: least tilewright # MB/s            of all such lines: least, most, median, first, last, sum
 * check-mutants.log: count harmless                   how many lines have this text
 * src/main/java/…/Quota.java: BYTES = #               what the source decides
 * = 100 * (1 - v1 / v2)                               computed from the values above, in their order
 * known 3,352: what a specification says
 * </pre>
 */
final class Evidence {
    private static final Pattern LINE = Pattern.compile(
            "([\\w./-]+(?:\\[[^]]*])?): (?:(least|most|median|first|last|count|sum) )?(.*)");
    private static final Pattern KNOWN = Pattern.compile("known ([\\d,.]+): \\S.*");
    private static final Pattern OPERAND = Pattern.compile("v(\\d+)");

    private static final Map<String, List<Double>> READ = new ConcurrentHashMap<>();

    private Evidence() {
    }

    /** The values that the lines of a comment stand for. */
    static List<Double> values(String comment) {
        return READ.computeIfAbsent(comment, Evidence::read);
    }

    private static List<Double> read(String comment) {
        List<Double> values = new ArrayList<>();
        for (String line : comment.strip().split("\n")) {
            String rule = line.strip();
            if (rule.isEmpty()) {
                continue;
            }
            if (rule.startsWith("= ")) {
                values.add(new Expression(rule.substring(2), values).value());
                continue;
            }
            if (rule.startsWith("known ")) {
                Matcher known = KNOWN.matcher(rule);
                require(known.matches(), "not 'known NUMBER: REASON': " + rule);
                values.add(Log.value(known.group(1)));
                continue;
            }
            Matcher source = LINE.matcher(rule);
            require(source.matches(), "not 'LOG: TEXT WITH #', '= EXPRESSION' or 'known NUMBER: REASON': " + rule);
            List<double[]> found = Log.of(source.group(1)).find(source.group(3));
            require(!found.isEmpty(), source.group(1) + " has no line with: " + source.group(3));
            for (double value : chosen(source.group(2), found, rule)) {
                values.add(value);
            }
        }
        return values;
    }

    private static double[] chosen(String selector, List<double[]> found, String rule) {
        if (selector == null) {
            for (double[] other : found) {
                require(Arrays.equals(found.getFirst(), other), "lines differ, say which is meant: " + rule);
            }
            return found.getFirst();
        }
        if (selector.equals("first") || selector.equals("last")) {
            return selector.equals("first") ? found.getFirst() : found.getLast();
        }
        if (selector.equals("count")) {
            return new double[] {found.size()};
        }
        double[] sorted = found.stream().mapToDouble(f -> f[0]).sorted().toArray();
        return new double[] {switch (selector) {
            case "least" -> sorted[0];
            case "most" -> sorted[sorted.length - 1];
            case "sum" -> Arrays.stream(sorted).sum();
            default -> sorted[sorted.length / 2];
        }};
    }

    /** Which values no figure prints, and which figures print no value, each as a sentence. */
    static List<String> complaints(List<Figure> figures, List<Double> values, boolean[] operands) {
        List<String> complaints = new ArrayList<>();
        for (Figure figure : figures) {
            if (values.stream().noneMatch(figure::prints)) {
                complaints.add("'" + figure.text() + "' is none of " + values);
            }
        }
        for (int i = 0; i < values.size(); i++) {
            double value = values.get(i);
            if (!operands[i] && figures.stream().noneMatch(f -> f.prints(value))) {
                complaints.add(value + " (v" + (i + 1) + ") is not printed");
            }
        }
        return complaints;
    }

    /** Which values are used by expressions. */
    static boolean[] operands(String comment, int values) {
        boolean[] used = new boolean[values];
        comment.lines().map(String::strip).filter(l -> l.startsWith("= ")).flatMap(l -> OPERAND.matcher(l).results())
                .forEach(m -> used[Integer.parseInt(m.group(1)) - 1] = true);
        return used;
    }

    static void require(boolean condition, String otherwise) {
        if (!condition) {
            throw new IllegalArgumentException(otherwise);
        }
    }
}
