package dev.tilewright.ci;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a file for a build server takes from elsewhere without saying exactly what: each place as a line of text. */
final class Pins {
    private static final String DIGEST = ".+@sha256:[0-9a-f]{64}";
    private static final Pattern USES = Pattern.compile("^\\s*(?:- )?uses: *(.*)$", Pattern.MULTILINE);
    private static final Pattern COMMIT = Pattern.compile("[\\w.-]+(?:/[\\w.-]+)+@[0-9a-f]{40} # v\\d+\\.\\d+\\.\\d+");
    private static final Pattern IMAGE = Pattern.compile(
            "^\\s*(?:- )?(?:image|container|name): *(\\S*[:$/]\\S*)$", Pattern.MULTILINE);
    private static final Pattern VARIABLE = Pattern.compile("^\\s+([A-Z][A-Z0-9_]*): *(\\S+)$", Pattern.MULTILINE);
    private static final Pattern RUNNER = Pattern.compile("^\\s*runs-on: *(\\S*-latest)$", Pattern.MULTILINE);
    private static final Pattern DOCKER = Pattern.compile(
            "^(?:ARG (\\w+)=(\\S+)|FROM (\\S+)(?: AS (\\w+))?|COPY --from=(\\S+) .*)$", Pattern.MULTILINE);
    private static final Pattern GOAL = Pattern.compile(
            "[\\w.]+:([\\w-]+-maven-plugin|maven-[\\w-]+-plugin):(?!\\d+(?:\\.\\d+)+:)\\S*");
    private static final Pattern POM_ENTRY = Pattern.compile(
            "<(plugin|dependency|path|extension)>(.*?)</\\1>", Pattern.DOTALL);
    private static final Pattern POM_VERSION = Pattern.compile("<version>(?:\\d[\\w.-]*|\\$\\{[\\w.-]+})</version>");
    private static final Pattern PACKAGE = Pattern.compile("\"([@\\w/-]+)\": \"([^\"]*)\"");

    private Pins() {
    }

    /** The unpinned places of a file with this name; empty if there are none. */
    static List<String> missing(String name, String text) {
        List<String> found = new ArrayList<>();
        if (name.endsWith(".yml")) {
            jobs(text, found);
        } else if (name.endsWith("Dockerfile")) {
            images(text, found);
        } else if (name.endsWith("pom.xml")) {
            POM_ENTRY.matcher(text.replaceAll("(?s)<!--.*?-->|<configuration>.*?</configuration>", "")).results()
                    // What a plugin depends on stands behind its own version.
                    .filter(e -> !POM_VERSION.matcher(e.group(2).split("<dependencies>", 2)[0]).find())
                    .forEach(e -> found.add(e.group(1) + " without a version: " + e.group(2).replaceAll("\\s+", " ")));
        } else if (name.endsWith("package.json")) {
            PACKAGE.matcher(text.substring(text.indexOf("\"dependencies\""))).results()
                    .filter(p -> !p.group(2).matches("\\d+\\.\\d+\\.\\d+"))
                    .forEach(p -> found.add("no exact version: " + p.group()));
        }
        GOAL.matcher(text).results().forEach(g -> found.add("plugin without a version: " + g.group()));
        return found;
    }

    private static void jobs(String text, List<String> found) {
        USES.matcher(text).results().map(u -> u.group(1))
                .filter(u -> !u.startsWith("./") && !COMMIT.matcher(u).matches())
                .forEach(u -> found.add("not a commit with its release: uses: " + u));
        Map<String, String> variables = new HashMap<>();
        VARIABLE.matcher(text).results().forEach(v -> variables.put(v.group(1), v.group(2)));
        IMAGE.matcher(text).results().map(i -> i.group(1))
                .map(i -> i.startsWith("$") ? variables.getOrDefault(i.substring(1).replaceAll("[{}]", ""), i) : i)
                .filter(i -> !i.matches(DIGEST)).forEach(i -> found.add("no digest: image: " + i));
        RUNNER.matcher(text).results().forEach(r -> found.add("moves with time: runs-on: " + r.group(1)));
    }

    private static void images(String text, List<String> found) {
        Map<String, String> arguments = new HashMap<>();
        Set<String> stages = new HashSet<>(List.of("scratch"));
        Matcher line = DOCKER.matcher(text);
        while (line.find()) {
            if (line.group(1) != null) {
                arguments.put(line.group(1), line.group(2));
                continue;
            }
            String image = line.group(3) != null ? line.group(3) : line.group(5);
            for (Map.Entry<String, String> argument : arguments.entrySet()) {
                image = image.replace("${" + argument.getKey() + "}", argument.getValue());
            }
            if (!stages.contains(image) && !image.matches(DIGEST)) {
                found.add("no digest: " + line.group());
            }
            if (line.group(4) != null) {
                stages.add(line.group(4));
            }
        }
    }
}
