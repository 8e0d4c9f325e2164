package dev.tilewright.verify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.verify.CheckSummary.Entry;
import dev.tilewright.verify.CheckSummary.Outcome;
import java.io.StringReader;
import java.util.List;
import java.util.Map;
import javax.xml.XMLConstants;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.transform.dom.DOMSource;
import javax.xml.validation.Schema;
import javax.xml.validation.SchemaFactory;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.xml.sax.InputSource;
import org.xml.sax.SAXException;

/** Counting outcomes, and the report that CI servers read. */
class CheckSummaryTest {
    /** What the readers have in common, see the file. */
    private static final Schema SCHEMA = schema();

    private static Schema schema() {
        try {
            return SchemaFactory.newInstance(XMLConstants.W3C_XML_SCHEMA_NS_URI)
                    .newSchema(CheckSummaryTest.class.getResource("junit-report.xsd"));
        } catch (SAXException e) {
            throw new AssertionError(e);
        }
    }

    private static CheckSummary summary(Entry... entries) {
        CheckSummary summary = new CheckSummary();
        List.of(entries).forEach(summary::add);
        return summary;
    }

    private static Document parse(String xml) {
        try {
            Document document = DocumentBuilderFactory.newInstance().newDocumentBuilder()
                    .parse(new InputSource(new StringReader(xml)));
            SCHEMA.newValidator().validate(new DOMSource(document));
            return document;
        } catch (Exception e) {
            throw new AssertionError(xml, e);
        }
    }

    @Test
    void outcomesAreCounted() {
        assertEquals("cases 0 passed 0 failed 0 skipped 0", summary().lastLine());
        CheckSummary some = summary(new Entry("a", "1", Outcome.PASSED, "", 0),
                new Entry("b", "2", Outcome.FAILED, "x", 0), new Entry("a", "3", Outcome.PASSED, "", 0),
                new Entry("a", "4", Outcome.SKIPPED, "y", 0));
        assertEquals("cases 4 passed 2 failed 1 skipped 1", some.lastLine());
        assertEquals(2, some.count("a", Outcome.PASSED));
        assertEquals(0, some.count("a", Outcome.FAILED));
        assertEquals(0, some.count("c", Outcome.PASSED));
        assertEquals(List.of("a", "b"), some.groups());
        assertEquals(List.of(new CheckSummary.Family("1", 1, 0, 0, 0, ""), new CheckSummary.Family("3", 1, 0, 0, 0, ""),
                new CheckSummary.Family("4", 0, 0, 1, 0, "y")), some.families("a"));
        assertThrows(UnsupportedOperationException.class, () -> some.failures().clear());
    }

    /** A million checks are as many lines as ten. */
    @Test
    void whatPassesIsCountedAndNotKept() {
        CheckSummary summary = new CheckSummary();
        Entry passed = new Entry("gpu", "copy", "x", Outcome.PASSED, "", 0.5, "", "");
        Entry failed = new Entry("gpu", "copy", "x", Outcome.FAILED, "why", 0.5, "", "");
        for (int i = 0; i < 2500; i++) {
            summary.add(passed);
            summary.add(failed);
        }
        summary.skip("gpu", "copy", 1_000_000_000_000L, "no GPU");
        assertEquals("cases 1000000005000 passed 2500 failed 2500 skipped 1000000000000", summary.lastLine());
        assertEquals(CheckSummary.MOST_FAILURES, summary.failures().size());
        Document report = parse(JUnitXml.of("s", summary, Map.of()));
        assertEquals(CheckSummary.MOST_FAILURES + 2, report.getElementsByTagName("testcase").getLength());
        assertTrue(JUnitXml.of("s", summary, Map.of()).contains("1500 more failed, and are not listed"));
        assertCountsAreRight(report);
    }

    @Test
    void theWholeReport() {
        assertEquals("""
                <?xml version="1.0" encoding="UTF-8"?>
                <testsuites name="suite" tests="4" failures="1" errors="0" time="0.875">
                  <testsuite name="suite.gpu" tests="3" failures="1" errors="0" skipped="1" time="0.875">
                    <properties>
                      <property name="seed" value="1"/>
                    </properties>
                    <testcase name="none" classname="suite.gpu" time="0.000"><skipped message="too old"/><system-out>0 \
                passed, 0 failed, 1 skipped: too old</system-out></testcase>
                    <testcase name="one" classname="suite.gpu" time="0.875"><system-out>2 passed, 1 failed, 0 \
                skipped</system-out></testcase>
                    <testcase name="one a=1 &amp; &quot;more&quot;" classname="suite.gpu" time="0.500" \
                file="kernels/one.cu" line="1"><failure message="a &lt; b" type="failure">a &lt; b
                on two lines
                tilewright verify --case 'one a=1'</failure></testcase>
                  </testsuite>
                  <testsuite name="suite.replay" tests="1" failures="0" errors="0" skipped="1" time="0.000">
                    <properties>
                      <property name="seed" value="1"/>
                    </properties>
                    <testcase name="three" classname="suite.replay" time="0.000"><skipped message="it's not \
                there"/><system-out>0 passed, 0 failed, 1 skipped: it's not there</system-out></testcase>
                  </testsuite>
                </testsuites>
                """, JUnitXml.of("suite", summary(new Entry("gpu", "one", "one a=2", Outcome.PASSED, "", 0.25, "", ""),
                        new Entry("gpu", "one", "one a=1 & \"more\"", Outcome.FAILED, "a < b\non two lines", 0.5,
                                "tilewright verify --case 'one a=1'", "kernels/one.cu"),
                        new Entry("gpu", "one", "one a=3", Outcome.PASSED, "", 0.125, "", ""),
                        new Entry("gpu", "none", Outcome.SKIPPED, "too old", 0),
                        new Entry("replay", "three", Outcome.SKIPPED, "it's not there", 0)), Map.of("seed", "1")));
    }

    @Test
    void aReportOfNothingHasItsFactsToo() {
        Document report = parse(JUnitXml.of("s", summary(), Map.of("complete", "false")));
        assertEquals("false", ((Element) report.getElementsByTagName("property").item(0)).getAttribute("value"));
        assertCountsAreRight(report);
    }

    @Test
    void whatXmlDoesNotHaveIsReplaced() {
        String text = "bell \u0007, half a pair \uD83D, a whole one \uD83D\uDE00, the last \uFFFF";
        String xml = JUnitXml.of("s", summary(new Entry("g", text, Outcome.FAILED, text, 0)), Map.of());
        String kept = "bell \uFFFD, half a pair \uFFFD, a whole one \uD83D\uDE00, the last \uFFFD";
        assertEquals(kept, parse(xml).getElementsByTagName("failure").item(0).getTextContent());
        assertTrue(xml.contains("name=\"" + kept + "\""), xml);
    }

    @Property
    void anyTextComesOutOfTheReportAsItWentIn(@ForAll String name, @ForAll String detail) {
        Document document = parse(JUnitXml.of("s", summary(new Entry("g", name, Outcome.FAILED, detail, 0),
                new Entry("g", name, Outcome.SKIPPED, detail, 0), new Entry("g", name, Outcome.PASSED, detail, 0)),
                Map.of("text", detail)));
        Element failure = (Element) document.getElementsByTagName("failure").item(0);
        assertEquals(readable(detail), failure.getTextContent());
        assertEquals(readable(name).replaceAll("[\t\n]", " "), ((Element) failure.getParentNode())
                .getAttribute("name"));
        assertEquals(2, document.getElementsByTagName("testcase").getLength());
        assertCountsAreRight(document);
    }

    /** What the attributes say is what is there: readers take one or the other. */
    private static void assertCountsAreRight(Document report) {
        Element root = report.getDocumentElement();
        assertEquals(root.getAttribute("tests"), "" + root.getElementsByTagName("testcase").getLength());
        assertEquals(root.getAttribute("failures"), "" + root.getElementsByTagName("failure").getLength());
        for (int i = 0; i < root.getElementsByTagName("testsuite").getLength(); i++) {
            Element suite = (Element) root.getElementsByTagName("testsuite").item(i);
            assertEquals(suite.getAttribute("tests"), "" + suite.getElementsByTagName("testcase").getLength());
            assertEquals(suite.getAttribute("failures"), "" + suite.getElementsByTagName("failure").getLength());
            assertEquals(suite.getAttribute("skipped"), "" + suite.getElementsByTagName("skipped").getLength());
        }
    }

    /** What XML 1.0 can hold of a text, with the line ends that its parsers make. */
    private static String readable(String text) {
        StringBuilder result = new StringBuilder();
        text.codePoints().map(c -> c == '\t' || c == '\n' || c == '\r' || c >= ' ' && c <= 0xD7FF
                || c >= 0xE000 && c <= 0xFFFD
                || c >= 0x10000 ? c : 0xFFFD).forEach(result::appendCodePoint);
        return result.toString().replace("\r\n", "\n").replace('\r', '\n');
    }
}
