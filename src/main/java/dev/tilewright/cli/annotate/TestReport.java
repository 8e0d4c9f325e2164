package dev.tilewright.cli.annotate;

import dev.tilewright.BadRequestException;
import dev.tilewright.cli.terminal.Failure;
import dev.tilewright.io.FileProblem;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/**
 * Reads the failures out of a report in JUnit's XML form: of Surefire, Gradle, the console launcher, or {@code verify}.
 */
final class TestReport {
    private TestReport() { }

    /**
     * Its failures and errors, in order, each at its own place in the sources.
     *
     * @throws BadRequestException if the file cannot be read, or is no such report
     */
    static List<Failure> failures(Path file, SourceLines sources) {
        XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        try (InputStream in = Files.newInputStream(file)) {
            return read(factory.createXMLStreamReader(in), file, sources);
        } catch (IOException e) {
            throw FileProblem.of("read", file, e);
        } catch (XMLStreamException e) {
            throw new BadRequestException(file + " is no report in JUnit's XML form: it is not XML at line "
                    + e.getLocation().getLineNumber(), e);
        }
    }

    private static List<Failure> read(XMLStreamReader xml, Path file, SourceLines sources) throws XMLStreamException {
        List<Failure> failures = new ArrayList<>();
        String root = null;
        String type = "";
        String test = "";
        while (xml.hasNext()) {
            if (xml.next() != XMLStreamConstants.START_ELEMENT) {
                continue;
            }
            String element = xml.getLocalName();
            root = root == null ? element : root;
            switch (element) {
                case "testcase" -> {
                    type = attribute(xml, "classname");
                    test = attribute(xml, "name");
                }
                case "failure", "error" -> failures.add(failure(type, test, attribute(xml, "message"),
                        text(xml).strip(), sources));
                default -> { }
            }
        }
        if (!"testsuite".equals(root) && !"testsuites".equals(root)) {
            throw new BadRequestException(file + " is no report in JUnit's XML form: its first element is <" + root
                    + ">, and has to be <testsuite> or <testsuites>");
        }
        return failures;
    }

    /** All text of the element that begins here, that of elements in it too; reads to its end. */
    private static String text(XMLStreamReader xml) throws XMLStreamException {
        StringBuilder text = new StringBuilder();
        for (int depth = 1; depth > 0;) {
            switch (xml.next()) {
                case XMLStreamConstants.START_ELEMENT -> depth++;
                case XMLStreamConstants.END_ELEMENT -> depth--;
                case XMLStreamConstants.CHARACTERS, XMLStreamConstants.CDATA, XMLStreamConstants.SPACE ->
                        text.append(xml.getText());
                default -> { }
            }
        }
        return text.toString();
    }

    private static String attribute(XMLStreamReader xml, String name) {
        String value = xml.getAttributeValue(null, name);
        return value == null ? "" : value;
    }

    private static Failure failure(String type, String test, String message, String trace, SourceLines sources) {
        String title = type.isEmpty() ? test : type.substring(type.lastIndexOf('.') + 1) + "." + test;
        String text = message.isEmpty() ? trace.lines().findFirst().orElse("failed") : message;
        Optional<SourceLines.Place> place = sources.first(trace);
        return new Failure(title, text, place.map(SourceLines.Place::file), place.map(SourceLines.Place::line));
    }
}
