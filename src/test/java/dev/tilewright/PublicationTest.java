package dev.tilewright;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.recording.ToolVersion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.w3c.dom.Document;

/** What a public repository asks of the POM, and one version everywhere; .ci/steps/36-publish looks into the bundle. */
class PublicationTest {
    private static final Path ROOT = Path.of(System.getProperty("tilewright.root", "."));
    private static final Pattern SNIPPET = Pattern.compile("```(xml|kotlin)\n(.*?)```", Pattern.DOTALL);

    private static String pom(String path) throws Exception {
        Document document = DocumentBuilderFactory.newInstance().newDocumentBuilder()
                .parse(ROOT.resolve("pom.xml").toFile());
        return (String) XPathFactory.newInstance().newXPath().evaluate(path, document, XPathConstants.STRING);
    }

    @ParameterizedTest
    @ValueSource(strings = {"name", "description", "url", "licenses/license/name", "licenses/license/url",
        "developers/developer/name", "developers/developer/url", "scm/connection", "scm/developerConnection", "scm/url",
        "issueManagement/url"})
    void thePomSays(String element) throws Exception {
        assertFalse(pom("/project/" + element).isBlank());
    }

    @Test
    void nothingOfASnapshot() throws Exception {
        assertFalse(Files.readString(ROOT.resolve("pom.xml")).contains("-SNAPSHOT"));
    }

    @Test
    void oneVersionEverywhere() throws Exception {
        String version = pom("/project/version");
        assertEquals(version, ToolVersion.TEXT);
        assertTrue(Files.readString(ROOT.resolve("CHANGELOG.md")).contains("\n## " + version + "\n"));
        Pattern said = Pattern.compile("tilewright-(\\d[\\w.-]*?)\\.jar|<tilewright.version>([^<]*)<"
                + "|<artifactId>tilewright</artifactId>\\s*<version>([^<$]*)<|dev\\.tilewright:tilewright:([\\w.-]*)");
        int seen = 0;
        for (Path file : files()) {
            for (MatchResult use : said.matcher(Files.readString(file)).results().toList()) {
                for (int group = 1; group <= use.groupCount(); group++) {
                    assertTrue(use.group(group) == null || use.group(group).equals(version),
                            () -> file + ": " + use.group());
                }
                seen++;
            }
        }
        assertTrue(seen >= 12, "versions said: " + seen);
    }

    private static List<Path> files() throws IOException {
        try (Stream<Path> pages = Files.list(ROOT.resolve("docs"));
                Stream<Path> examples = Files.walk(ROOT.resolve("examples"), 2)) {
            return Stream.of(Stream.of(ROOT.resolve("README.md")), pages, examples).flatMap(s -> s)
                    .filter(file -> file.toString().matches(".*(\\.md|pom\\.xml|\\.kts)")).toList();
        }
    }

    /** The build files of docs/install.md are those of the application that scripts/try-artifact builds and runs. */
    @Test
    void snippetsAreThoseOfTheApplication() throws IOException {
        List<String> snippets = SNIPPET.matcher(Files.readString(ROOT.resolve("docs/install.md"))).results()
                .map(snippet -> snippet.group(2)).toList();
        for (String name : List.of("pom.xml", "build.gradle.kts")) {
            String file = Files.readString(ROOT.resolve("examples/application").resolve(name));
            assertTrue(snippets.contains(file), name);
        }
    }
}
