package dev.tilewright.verify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.verify.CheckSummary.Entry;
import dev.tilewright.verify.CheckSummary.Outcome;
import java.io.StringReader;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.xml.sax.InputSource;

/** Counting outcomes, and the report that CI servers read. */
class CheckSummaryTest {

    private static CheckSummary summary(Entry... entries) {
        CheckSummary summary = new CheckSummary();
        List.of(entries).forEach(summary::add);
        return summary;
    }

    private static Document parse(String xml) {
        try {
            return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new InputSource(new StringReader(xml)));
        } catch (Exception e) {
            throw new AssertionError(xml, e);
        }
    }

    @Test
    void outcomesAreCounted() {
        assertEquals("cases 0 passed 0 failed 0 skipped 0", summary().lastLine());
        CheckSummary some = summary(new Entry("a", "1", Outcome.PASSED, "", 0), new Entry("b", "2", Outcome.FAILED, "x", 0),
                new Entry("a", "3", Outcome.PASSED, "", 0), new Entry("a", "4", Outcome.SKIPPED, "y", 0));
        assertEquals("cases 4 passed 2 failed 1 skipped 1", some.lastLine());
        assertEquals(2, some.count("a", Outcome.PASSED));
        assertEquals(0, some.count("a", Outcome.FAILED));
        assertEquals(0, some.count("c", Outcome.PASSED));
        assertThrows(UnsupportedOperationException.class, () -> some.entries().clear());
    }

    @Test
    void theWholeReport() {
        assertEquals("""
                <?xml version="1.0" encoding="UTF-8"?>
                <testsuite name="suite" tests="3" failures="1" errors="0" skipped="1" time="0.750">
                  <testcase classname="suite.gpu" name="one" time="0.250"/>
                  <testcase classname="suite.gpu" name="two &amp; &quot;more&quot;" time="0.500"><failure message="a &lt; b">a &lt; b
                on two lines</failure></testcase>
                  <testcase classname="suite.replay" name="three" time="0.000"><skipped message="no GPU: it's not there"/></testcase>
                </testsuite>
                """, JUnitXml.of("suite", summary(new Entry("gpu", "one", Outcome.PASSED, "", 0.25),
                        new Entry("gpu", "two & \"more\"", Outcome.FAILED, "a < b\non two lines", 0.5),
                        new Entry("replay", "three", Outcome.SKIPPED, "no GPU: it's not there", 0))));
    }

    @Test
    void whatXmlDoesNotHaveIsLeftOut() {
        String text = "bell \u0007, half a pair \uD83D, a whole one \uD83D\uDE00, the last \uFFFF";
        String xml = JUnitXml.of("s", summary(new Entry("g", text, Outcome.FAILED, text, 0)));
        String kept = "bell , half a pair , a whole one \uD83D\uDE00, the last ";
        assertEquals(kept, parse(xml).getElementsByTagName("failure").item(0).getTextContent());
        assertTrue(xml.contains("name=\"" + kept + "\""), xml);
    }

    @Property
    void anyTextComesOutOfTheReportAsItWentIn(@ForAll String name, @ForAll String detail) {
        Document document = parse(JUnitXml.of("s", summary(new Entry("g", name, Outcome.FAILED, detail, 0),
                new Entry("g", name, Outcome.SKIPPED, detail, 0), new Entry("g", name, Outcome.PASSED, detail, 0))));
        Element failure = (Element) document.getElementsByTagName("failure").item(0);
        assertEquals(readable(detail), failure.getTextContent());
        assertEquals(readable(name).replaceAll("[\t\n]", " "), ((Element) failure.getParentNode()).getAttribute("name"));
        assertEquals(3, document.getElementsByTagName("testcase").getLength());
        assertTrue(document.getElementsByTagName("skipped").getLength() == 1);
    }

    /** What XML 1.0 can hold of a text, with the line ends that its parsers make. */
    private static String readable(String text) {
        StringBuilder result = new StringBuilder();
        text.codePoints().filter(c -> c == '\t' || c == '\n' || c == '\r' || c >= ' ' && c <= 0xD7FF || c >= 0xE000 && c <= 0xFFFD
                || c >= 0x10000).forEach(result::appendCodePoint);
        return result.toString().replace("\r\n", "\n").replace('\r', '\n');
    }
}
