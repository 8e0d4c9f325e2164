package dev.tilewright.docs.figures;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A paragraph, an item of a list or a row of a table, with the comment that says where its figures come from. Of a
 * paragraph it stands behind it ({@code <!-- from …}, see {@link Evidence}), of a table before it, for all rows:
 * {@code <!-- rows LOG "TEXT"} where all of a row's figures stand in one line of a log, which also has the text and
 * what the first cell names (its code, or its parts between semicolons); {@code <!-- cells} where each cell's do, with
 * a line {@code COLUMN: LOG "TEXT"} for each column; {@code <!-- held TEST} where a test of its own holds the table.
 *
 * @param page the file
 * @param line the number of its first line
 * @param text its text, one line
 * @param header a table's first row; empty for all else
 * @param evidence the comment
 */
record Block(String page, int line, String text, List<String> header, String evidence) {
    /** Behind a median its least and most, which tables do not have. */
    private static final Pattern SPREAD = Pattern.compile("( (?:[GM]B/s|TFLOP/s|us|ms|bytes)) [\\d.]+ to [\\d.]+");
    private static final Pattern TABLE = Pattern.compile("(?s)(rows|cells) *\n?(.*)");
    private static final Pattern COLUMN = Pattern.compile(
            "(?:(.*?): )?((?:\\+?[\\w.-]+\\.(?:log|tsv)(?:\\[[^]]*])?)+)((?: \"[^\"]*\")*)");

    /** The numbers of the lines that have the words of a cell. */
    private static final Map<String, List<double[]>> LINES = new ConcurrentHashMap<>();

    static List<Block> of(String page, String markdown) {
        List<Block> blocks = new ArrayList<>();
        List<String> header = List.of();
        String rule = "";
        StringBuilder text = new StringBuilder();
        int begin = 0;
        String[] lines = (markdown + "\n").split("\n", -1);
        for (int i = 0; i < lines.length; i++) {
            String line = lines[i];
            String bare = line.strip();
            boolean comment = bare.startsWith("<!--");
            boolean row = bare.startsWith("|");
            if (!text.isEmpty() && (comment || row || bare.matches("|(?:- |```|#).*"))) {
                blocks.add(new Block(page, begin, text.toString(), List.of(), ""));
                text.setLength(0);
            }
            if (bare.startsWith("```")) {
                do {
                    i++;
                } while (!lines[i].strip().equals("```"));
            } else if (comment) {
                StringBuilder all = new StringBuilder(bare);
                while (!lines[i].contains("-->")) {
                    all.append("\n").append(lines[++i].strip());
                }
                String inner = all.substring(4, all.indexOf("-->")).strip();
                if (inner.startsWith("from")) {
                    Block last = blocks.removeLast();
                    blocks.add(last.with(last.text, inner.substring(4).strip()));
                } else {
                    rule = inner;
                }
            } else if (row) {
                List<String> cells = cells(bare);
                if (header.isEmpty()) {
                    header = cells;
                    blocks.add(new Block(page, i + 1, bare, header, ""));
                } else if (!bare.matches("[|: -]+")) {
                    blocks.add(new Block(page, i + 1, bare, header, rule));
                }
            } else if (!bare.isEmpty() && !(text.isEmpty() && line.startsWith("    "))) {
                if (text.isEmpty()) {
                    begin = i + 1;
                }
                text.append(text.isEmpty() ? "" : " ").append(bare);
            }
            if (!row && !comment) {
                header = List.of();
                rule = "";
            }
        }
        return blocks;
    }

    Block with(String otherText, String otherEvidence) {
        return new Block(page, line, otherText, header, otherEvidence);
    }

    private static List<String> cells(String row) {
        return Arrays.stream(row.substring(1, row.length() - 1).split("(?<!\\\\)\\|", -1)).map(String::strip).toList();
    }

    /** What is wrong with the figures of this block; empty if each has its evidence. */
    List<String> complaints() {
        if (evidence.startsWith("held ")) {
            requireHeld(evidence.substring(5));
            return List.of();
        }
        Matcher table = TABLE.matcher(evidence);
        if (!header.isEmpty() && table.matches()) {
            return tableComplaints(table.group(1).equals("rows"), columns(table.group(2)));
        }
        List<Figure> figures = Figure.of(text);
        if (evidence.isEmpty()) {
            return figures.stream().map(f -> "'" + f.text() + "' has no log").toList();
        }
        List<Double> values = Evidence.values(evidence);
        return Evidence.complaints(figures, values, Evidence.operands(evidence, values.size()));
    }

    /** A table that another test holds: it is there, and names the page. */
    private void requireHeld(String test) {
        try (Stream<Path> tests = Files.walk(Log.ROOT.resolve("src/test/java"))) {
            Path file = tests.filter(f -> f.endsWith(test + ".java")).findFirst().orElseThrow();
            String name = page.substring(page.lastIndexOf('/') + 1);
            Evidence.require(Files.readString(file).contains(name), test + " does not read " + page);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Map<String, List<String>> columns(String rules) {
        Map<String, List<String>> columns = new LinkedHashMap<>();
        for (String rule : rules.strip().split("\n")) {
            Matcher column = COLUMN.matcher(rule.strip());
            Evidence.require(column.matches(), "not '[COLUMN: ]LOG \"TEXT\"…': " + rule);
            List<String> needs = new ArrayList<>(List.of(column.group(2)));
            Pattern.compile("\"([^\"]*)\"").matcher(column.group(3)).results().forEach(m -> needs.add(m.group(1)));
            columns.put(column.group(1) == null ? "" : column.group(1), needs);
        }
        return columns;
    }

    private List<String> tableComplaints(boolean rows, Map<String, List<String>> columns) {
        List<String> cells = cells(text);
        List<String> complaints = new ArrayList<>();
        if (rows) {
            List<Figure> figures = cells.stream().skip(1).flatMap(c -> Figure.of(c).stream()).toList();
            lacking(columns.get(""), "", figures, cells.getFirst(), complaints);
            return complaints;
        }
        for (int i = 1; i < cells.size(); i++) {
            String name = header.get(i);
            List<String> needs = columns.containsKey(name) ? columns.get(name) : columns.get("");
            Evidence.require(needs != null || Figure.of(cells.get(i)).isEmpty(), "column " + name + " has no log");
            lacking(needs, name, Figure.of(cells.get(i)), cells.getFirst(), complaints);
        }
        return complaints;
    }

    /** Complains if no line of the log has all these figures, the names of row and column, and what is needed too. */
    private static void lacking(List<String> needs, String column, List<Figure> figures, String row,
            List<String> complaints) {
        if (figures.isEmpty()) {
            return;
        }
        List<String> words = new ArrayList<>(needs.subList(1, needs.size()));
        List<String> parts = spans(row).isEmpty() ? List.of(row.split("; ")) : spans(row);
        words.replaceAll(w -> w.replace("ROW", parts.getLast()));
        words.addAll(parts);
        words.addAll(spans(column));
        String logs = needs.getFirst();
        List<double[]> lines = LINES.computeIfAbsent(logs + words, _ -> Arrays.stream(logs.split("\\+")).map(Log::of)
                .flatMap(log -> numbers(log, words)).toList());
        if (lines.stream().noneMatch(l -> figures.stream().allMatch(f -> Arrays.stream(l).anyMatch(f::prints)))) {
            complaints.add(logs + " has no line with " + words + " and " + figures.stream().map(Figure::text).toList());
        }
    }

    private static Stream<double[]> numbers(Log log, List<String> words) {
        return log.lines().stream().filter(l -> words.stream().allMatch(w -> hasWord(l, w)))
                .map(l -> log.numbers(SPREAD.matcher(l).replaceAll("$1")));
    }

    private static List<String> spans(String text) {
        return Pattern.compile("`([^`]*)`").matcher(text).results().map(m -> m.group(1)).toList();
    }

    /** {@code copy} is no word of {@code tensor-copy}. */
    private static boolean hasWord(String line, String word) {
        int at = line.indexOf(word);
        while (at >= 0) {
            int end = at + word.length();
            if ((at == 0 || !isPart(line.charAt(at - 1))) && (end == line.length() || !isPart(line.charAt(end)))) {
                return true;
            }
            at = line.indexOf(word, at + 1);
        }
        return false;
    }

    private static boolean isPart(char c) {
        return Character.isLetterOrDigit(c) || c == '-' || c == '_';
    }
}
