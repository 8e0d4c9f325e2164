package dev.tilewright.verify;

import java.io.StringWriter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/**
 * Writes a summary in the XML form that CI servers read from JUnit: a suite for each group, and in it a test case for
 * each family, which says in its output how many checks it stands for, and one for each check that failed. So a report
 * of a hundred thousand checks is as long as one of a hundred, and names of what passed stay the same from run to run.
 */
public final class JUnitXml {
    /** What XML 1.0 cannot hold, escaped or not (section 2.2, Char). */
    private static final Pattern ILLEGAL =
            Pattern.compile("[^\t\n\r\\x{20}-\\x{D7FF}\\x{E000}-\\x{FFFD}\\x{10000}-\\x{10FFFF}]");
    private static final String REPLACEMENT = "\uFFFD";

    private final String name;
    private final CheckSummary summary;
    private final XMLStreamWriter xml;

    private JUnitXml(String name, CheckSummary summary, XMLStreamWriter xml) {
        this.name = name;
        this.summary = summary;
        this.xml = xml;
    }

    /**
     * The whole document. Characters that XML does not have are replaced.
     *
     * @param name what the names of the suites begin with
     * @param properties facts about the run that each suite has, by their names
     */
    public static String of(String name, CheckSummary summary, Map<String, String> properties) {
        StringWriter text = new StringWriter();
        try {
            XMLStreamWriter xml = XMLOutputFactory.newDefaultFactory().createXMLStreamWriter(text);
            new JUnitXml(name, summary, xml).write(properties);
            xml.close();
        } catch (XMLStreamException e) {
            throw new IllegalStateException("this report has no XML form", e);
        }
        return text.append("\n").toString();
    }

    /** The results of one group. @param listed failures that are listed one by one */
    private record Suite(String group, List<CheckSummary.Family> families, List<CheckSummary.Entry> listed) {

        /** Whether a family has passed or skipped cases: failures are listed one by one. */
        private boolean isListed(CheckSummary.Family family) {
            return family.passed() + family.skipped() > 0;
        }

        private boolean isSkipped(CheckSummary.Family family) {
            return isListed(family) && family.passed() == 0;
        }

        private long unlisted(CheckSummary.Family family) {
            return family.failed() - listed.stream().filter(e -> e.family().equals(family.name())).count();
        }

        long failures() {
            return listed.size() + families.stream().filter(f -> unlisted(f) > 0).count();
        }

        long skipped() {
            return families.stream().filter(this::isSkipped).count();
        }

        long tests() {
            return families.stream().filter(this::isListed).count() + failures();
        }

        double seconds() {
            return families.stream().mapToDouble(CheckSummary.Family::seconds).sum();
        }
    }

    private void write(Map<String, String> properties) throws XMLStreamException {
        // A run that was interrupted at once says so in a suite, too.
        List<String> groups = summary.groups().isEmpty() ? List.of("none") : summary.groups();
        List<Suite> suites = groups.stream().map(group -> new Suite(group, summary.families(group),
                summary.failures().stream().filter(e -> e.group().equals(group)).toList())).toList();
        xml.writeStartDocument("UTF-8", "1.0");
        start(0, "testsuites", name);
        attribute("tests", suites.stream().mapToLong(Suite::tests).sum());
        attribute("failures", suites.stream().mapToLong(Suite::failures).sum());
        attribute("errors", 0);
        attribute("time", seconds(suites.stream().mapToDouble(Suite::seconds).sum()));
        for (Suite suite : suites) {
            start(1, "testsuite", name + "." + suite.group());
            attribute("tests", suite.tests());
            attribute("failures", suite.failures());
            attribute("errors", 0);
            attribute("skipped", suite.skipped());
            attribute("time", seconds(suite.seconds()));
            write(suite, properties);
            end(1);
        }
        end(0);
        xml.writeEndDocument();
    }

    private void write(Suite suite, Map<String, String> properties) throws XMLStreamException {
        if (!properties.isEmpty()) {
            start(2, "properties", null);
            for (Map.Entry<String, String> property : properties.entrySet()) {
                newLine(3);
                xml.writeEmptyElement("property");
                attribute("name", property.getKey());
                attribute("value", property.getValue());
            }
            end(2);
        }
        for (CheckSummary.Family family : suite.families()) {
            if (suite.isListed(family)) {
                testCase(suite, family.name(), family.seconds());
                if (suite.isSkipped(family)) {
                    xml.writeEmptyElement("skipped");
                    attribute("message", family.reason());
                }
                text("system-out", family.passed() + " passed, " + family.failed() + " failed, " + family.skipped()
                        + " skipped" + (family.reason().isEmpty() ? "" : ": " + family.reason()));
                xml.writeEndElement();
            }
            if (suite.unlisted(family) > 0) {
                testCase(suite, family.name() + ", further failures", 0);
                failure(suite.unlisted(family) + " more failed, and are not listed", "", "");
                xml.writeEndElement();
            }
        }
        for (CheckSummary.Entry failed : suite.listed()) {
            testCase(suite, failed.name(), failed.seconds());
            if (!failed.file().isEmpty()) {
                attribute("file", failed.file());
                attribute("line", 1);
            }
            failure(failed.detail().lines().findFirst().orElse(""), failed.detail(), failed.reproduction());
            xml.writeEndElement();
        }
    }

    private void testCase(Suite suite, String own, double seconds) throws XMLStreamException {
        start(2, "testcase", own);
        attribute("classname", name + "." + suite.group());
        attribute("time", seconds(seconds));
    }

    /** An attribute keeps no line breaks, so that the whole, such as a compiler's report, goes inside. */
    private void failure(String message, String detail, String reproduction) throws XMLStreamException {
        xml.writeStartElement("failure");
        attribute("message", message);
        attribute("type", "failure");
        xml.writeCharacters(legal(detail) + (reproduction.isEmpty() ? "" : "\n" + legal(reproduction)));
        xml.writeEndElement();
    }

    private void text(String element, String content) throws XMLStreamException {
        xml.writeStartElement(element);
        xml.writeCharacters(legal(content));
        xml.writeEndElement();
    }

    /** On a line of its own. @param own its name; null if it has none */
    private void start(int depth, String element, String own) throws XMLStreamException {
        newLine(depth);
        xml.writeStartElement(element);
        if (own != null) {
            attribute("name", own);
        }
    }

    private void newLine(int depth) throws XMLStreamException {
        xml.writeCharacters("\n" + "  ".repeat(depth));
    }

    private void end(int depth) throws XMLStreamException {
        newLine(depth);
        xml.writeEndElement();
    }

    private void attribute(String key, Object value) throws XMLStreamException {
        xml.writeAttribute(key, legal(value.toString()));
    }

    private static String legal(String text) {
        return ILLEGAL.matcher(text).replaceAll(REPLACEMENT);
    }

    private static String seconds(double seconds) {
        return String.format(Locale.ROOT, "%.3f", seconds);
    }
}
