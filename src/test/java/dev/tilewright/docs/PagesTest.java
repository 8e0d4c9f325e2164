package dev.tilewright.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The pages hang together: links lead somewhere, the index has every page, and names that are given exist. */
class PagesTest {
    private static final Path ROOT = Path.of(System.getProperty("tilewright.root", "."));
    private static final Pattern LINK = Pattern.compile("(!?)\\[[^\\]]*\\]\\(([^)\\s]+)\\)");
    private static final Pattern HEADING = Pattern.compile("^#+ +(.*)$", Pattern.MULTILINE);
    private static final Pattern FENCED = Pattern.compile("^```.*?^```$", Pattern.DOTALL | Pattern.MULTILINE);
    private static final Pattern CODE = Pattern.compile("`([^`]*)`");
    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

    private static final Pattern QUALIFIED = Pattern.compile(NAME + "(?:\\." + NAME + ")?");

    private static final Pattern EXTENDS = Pattern.compile("(?m)^public [a-z ]*class \\w+ extends (\\w+)");
    private static final int MOST_LEVELS = 8;

    private static List<Path> pages() throws IOException {
        try (Stream<Path> docs = Files.list(ROOT.resolve("docs"))) {
            return Stream.concat(Stream.of("README.md", "CONTRIBUTING.md", "CHANGELOG.md",
                    "examples/llama/README.md").map(ROOT::resolve),
                    docs.filter(p -> p.toString().endsWith(".md")).sorted()).toList();
        }
    }

    /** What a code host makes of a heading: lower case, hyphens for spaces, no other punctuation. */
    private static Set<String> anchors(String text) {
        return HEADING.matcher(FENCED.matcher(text).replaceAll("")).results()
                .map(h -> h.group(1).toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9_ -]", "").replace(' ', '-'))
                .collect(Collectors.toSet());
    }

    @Test
    void everyLinkLeadsSomewhere() throws IOException {
        List<String> broken = new ArrayList<>();
        Map<Path, Set<String>> anchors = new HashMap<>();
        int seen = 0;
        for (Path page : pages()) {
            String text = FENCED.matcher(Files.readString(page)).replaceAll("");
            for (MatchResult link : LINK.matcher(text).results().toList()) {
                String to = link.group(2);
                if (to.matches("https?:.*")) {
                    continue;
                }
                seen++;
                String[] parts = to.split("#", 2);
                Path file = parts[0].isEmpty() ? page : page.resolveSibling(parts[0]).normalize();
                if (!Files.exists(file)) {
                    broken.add(ROOT.relativize(page) + ": " + to);
                } else if (parts.length == 2 && file.toString().endsWith(".md")) {
                    if (!anchors.containsKey(file)) {
                        anchors.put(file, anchors(Files.readString(file)));
                    }
                    if (!anchors.get(file).contains(parts[1])) {
                        broken.add(ROOT.relativize(page) + ": no heading for " + to);
                    }
                }
            }
        }
        assertEquals(List.of(), broken);
        assertTrue(seen > 150, "links seen: " + seen);
    }

    @Test
    void theIndexHasEveryPage() throws IOException {
        String index = Files.readString(ROOT.resolve("docs/index.md"));
        for (Path page : pages()) {
            String name = page.getFileName().toString();
            assertTrue(name.equals("index.md") || index.contains(name + ")"), name);
        }
    }

    @Test
    void everyPictureIsShown() throws IOException {
        StringBuilder all = new StringBuilder();
        for (Path page : pages()) {
            all.append(Files.readString(page));
        }
        for (String folder : List.of("docs/pictures", "docs/gallery", "docs/performance")) {
            try (Stream<Path> pictures = Files.list(ROOT.resolve(folder))) {
                pictures.filter(p -> !p.toString().endsWith(".txt"))
                        .forEach(p -> assertTrue(all.indexOf("/" + p.getFileName() + ")") > 0, p::toString));
            }
        }
    }

    /**
     * The last column of docs/names.md: each word of its code is one of the sources, a member one of its class, or of a
     * class that this one extends.
     */
    @Test
    void namesExist() throws IOException {
        Map<String, Set<String>> members = new HashMap<>();
        Map<String, String> extended = new HashMap<>();
        try (Stream<Path> sources = Files.walk(ROOT.resolve("src/main/java/dev/tilewright"))) {
            for (Path source : sources.filter(s -> s.toString().endsWith(".java")).toList()) {
                String type = source.getFileName().toString().replace(".java", "");
                String text = Files.readString(source);
                members.computeIfAbsent(type, _ -> new HashSet<>()).addAll(NAME.matcher(text).results()
                        .map(MatchResult::group).toList());
                EXTENDS.matcher(text).results().findFirst().ifPresent(e -> extended.put(type, e.group(1)));
            }
        }
        Set<String> words = new HashSet<>(Set.of("tilewright"));
        members.values().forEach(words::addAll);
        List<String> unknown = new ArrayList<>();
        int seen = 0;
        for (String row : Files.readAllLines(ROOT.resolve("docs/names.md"))) {
            if (row.startsWith("| ") && !row.endsWith("| Tilewright |")) {
                String cell = row.substring(row.lastIndexOf(" | ") + 3);
                for (MatchResult code : CODE.matcher(cell).results().toList()) {
                    for (MatchResult name : QUALIFIED.matcher(code.group(1)).results().toList()) {
                        seen++;
                        String[] parts = name.group().split("\\.");
                        if (parts.length == 1 ? !words.contains(parts[0]) : Stream.iterate(parts[0],
                                of -> of != null && members.containsKey(of), extended::get).limit(MOST_LEVELS)
                                .noneMatch(of -> members.get(of).contains(parts[1]))) {
                            unknown.add(row + ": " + name.group());
                        }
                    }
                }
            }
        }
        assertEquals(List.of(), unknown);
        assertTrue(seen > 80, "names seen: " + seen);
    }
}
