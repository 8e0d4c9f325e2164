package dev.tilewright.verify;

import java.io.StringWriter;
import java.util.Locale;
import java.util.regex.Pattern;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/** Writes a summary in the XML form that CI servers read from JUnit. */
public final class JUnitXml {
    /** What XML 1.0 cannot hold, escaped or not (section 2.2, Char). */
    private static final Pattern ILLEGAL =
            Pattern.compile("[^\t\n\r\\x{20}-\\x{D7FF}\\x{E000}-\\x{FFFD}\\x{10000}-\\x{10FFFF}]");

    private final String suite;
    private final XMLStreamWriter xml;

    private JUnitXml(String suite, XMLStreamWriter xml) {
        this.suite = suite;
        this.xml = xml;
    }

    /** The whole document. Characters that XML does not have are left out. */
    public static String of(String suite, CheckSummary summary) {
        StringWriter text = new StringWriter();
        try {
            XMLStreamWriter xml = XMLOutputFactory.newDefaultFactory().createXMLStreamWriter(text);
            new JUnitXml(suite, xml).write(summary);
            xml.close();
        } catch (XMLStreamException e) {
            throw new IllegalStateException("this report has no XML form", e);
        }
        return text.append("\n").toString();
    }

    private void write(CheckSummary summary) throws XMLStreamException {
        xml.writeStartDocument("UTF-8", "1.0");
        xml.writeCharacters("\n");
        xml.writeStartElement("testsuite");
        attribute("name", suite);
        attribute("tests", summary.entries().size());
        attribute("failures", summary.count(CheckSummary.Outcome.FAILED));
        attribute("errors", 0);
        attribute("skipped", summary.count(CheckSummary.Outcome.SKIPPED));
        attribute("time", seconds(summary.entries().stream().mapToDouble(CheckSummary.Entry::seconds).sum()));
        xml.writeCharacters("\n");
        for (CheckSummary.Entry entry : summary.entries()) {
            xml.writeCharacters("  ");
            write(entry);
            xml.writeCharacters("\n");
        }
        xml.writeEndElement();
        xml.writeEndDocument();
    }

    private void write(CheckSummary.Entry entry) throws XMLStreamException {
        if (entry.outcome() == CheckSummary.Outcome.PASSED) {
            xml.writeEmptyElement("testcase");
        } else {
            xml.writeStartElement("testcase");
        }
        attribute("classname", suite + "." + entry.group());
        attribute("name", entry.name());
        attribute("time", seconds(entry.seconds()));
        switch (entry.outcome()) {
            case PASSED -> { }
            case FAILED -> {
                // An attribute keeps no line breaks, so that the whole, such as a compiler's report, goes inside.
                xml.writeStartElement("failure");
                attribute("message", entry.detail().lines().findFirst().orElse(""));
                xml.writeCharacters(legal(entry.detail()));
                xml.writeEndElement();
                xml.writeEndElement();
            }
            case SKIPPED -> {
                xml.writeEmptyElement("skipped");
                attribute("message", entry.detail());
                xml.writeEndElement();
            }
        }
    }

    private void attribute(String name, Object value) throws XMLStreamException {
        xml.writeAttribute(name, legal(value.toString()));
    }

    private static String legal(String text) {
        return ILLEGAL.matcher(text).replaceAll("");
    }

    private static String seconds(double seconds) {
        return String.format(Locale.ROOT, "%.3f", seconds);
    }
}
