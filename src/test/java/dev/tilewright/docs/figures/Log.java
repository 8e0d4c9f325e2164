package dev.tilewright.docs.figures;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A file that figures come from, line by line; of a benchmark's table a row and its continuation are one line. */
final class Log {
    static final Path ROOT = Path.of(System.getProperty("tilewright.root", "."));
    private static final Pattern NUMBER = Pattern.compile(
            "(?<![\\w.])-?(?:\\d{1,3}(?:[,_]\\d{3})+|\\d+)(?:\\.\\d+)?(?:e[+-]?\\d+)?(?!\\d)");
    private static final Pattern PART = Pattern.compile("#|~|\\s*\\.\\.\\.\\s*|\\s+|[^#~.\\s]+|\\.");
    /** Where a log of several runs has its next one. */
    private static final Pattern NEXT_RUN = Pattern.compile("(?:state: |\\$ |Before|The same|With |Presets |====).*");
    private static final Map<String, Log> READ = new ConcurrentHashMap<>();

    private final List<String> lines;
    private final Map<String, double[]> numbers = new ConcurrentHashMap<>();

    private Log(List<String> lines) {
        this.lines = lines;
    }

    private static Log read(Path file) {
        List<String> lines = new ArrayList<>();
        try {
            for (String line : Files.readAllLines(file)) {
                if (!lines.isEmpty() && line.startsWith(" ".repeat(40))) {
                    lines.add(lines.removeLast() + " " + line.strip().replaceAll("\\s+", " "));
                } else {
                    lines.add(line.strip().replaceAll("\\s+", " "));
                }
            }
        } catch (NoSuchFileException e) {
            throw new IllegalArgumentException("there is no " + file.getFileName(), e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new Log(lines);
    }

    /**
     * A log by its name, or another file of the repository by its path; {@code LOG[TEXT]} is the run of a log that
     * begins at the line with this text. Pages, whose figures are in question, prove nothing.
     */
    static Log of(String name) {
        Matcher run = Pattern.compile("(.*?)\\[(.*)]").matcher(name);
        if (run.matches()) {
            return of(run.group(1)).run(run.group(2));
        }
        if (name.startsWith("docs/") && !name.equals("docs/ptx.md") || name.equals("./README.md")) {
            throw new IllegalArgumentException(name + " is a page itself");
        }
        return READ.computeIfAbsent(name, n -> read(ROOT.resolve(n.contains("/") ? n : "native-tests/logs/" + n)));
    }

    private Log run(String beginning) {
        List<String> run = new ArrayList<>();
        for (String line : lines) {
            if (run.isEmpty() ? line.contains(beginning) : !NEXT_RUN.matcher(line).matches()) {
                run.add(line);
            } else if (!run.isEmpty()) {
                break;
            }
        }
        Evidence.require(!run.isEmpty(), "no run begins with: " + beginning);
        return new Log(run);
    }

    List<String> lines() {
        return lines;
    }

    /** All numbers of a line. */
    double[] numbers(String line) {
        return numbers.computeIfAbsent(line,
                l -> NUMBER.matcher(l).results().mapToDouble(m -> value(m.group())).toArray());
    }

    static double value(String number) {
        return Double.parseDouble(number.replaceAll("[,_]", ""));
    }

    /** The numbers at the # of a text in each line that has it; ~ is any number, and ... anything. */
    List<double[]> find(String text) {
        StringBuilder pattern = new StringBuilder();
        Matcher part = PART.matcher(text.strip());
        while (part.find()) {
            String one = part.group().contains("...") ? "..." : part.group();
            pattern.append(switch (one) {
                case "#" -> "(" + NUMBER.pattern() + ")";
                case "~" -> NUMBER.pattern();
                case "..." -> ".*?";
                default -> one.isBlank() ? "\\s+" : Pattern.quote(one);
            });
        }
        Pattern wanted = Pattern.compile(pattern.toString());
        List<double[]> found = new ArrayList<>();
        for (String line : lines) {
            Matcher m = wanted.matcher(line);
            if (m.find()) {
                double[] values = new double[m.groupCount()];
                for (int i = 0; i < values.length; i++) {
                    values[i] = value(m.group(i + 1));
                }
                found.add(values);
            }
        }
        return found;
    }
}
