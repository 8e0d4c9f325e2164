package dev.tilewright.verify;

import java.util.Locale;
import org.apache.commons.text.StringEscapeUtils;

/** Writes a tally in the XML form that CI servers read from JUnit. */
public final class JUnitXml {

    private JUnitXml() {
    }

    /** The whole document. */
    public static String of(String suite, CheckSummary tally) {
        StringBuilder xml = new StringBuilder("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
        double seconds = tally.entries().stream().mapToDouble(CheckSummary.Entry::seconds).sum();
        xml.append(String.format(Locale.ROOT,
                "<testsuite name=\"%s\" tests=\"%d\" failures=\"%d\" errors=\"0\" skipped=\"%d\" time=\"%.3f\">%n",
                escape(suite), tally.entries().size(), tally.count(CheckSummary.Outcome.FAILED),
                tally.count(CheckSummary.Outcome.SKIPPED), seconds));
        for (CheckSummary.Entry e : tally.entries()) {
            xml.append(String.format(Locale.ROOT, "  <testcase classname=\"%s.%s\" name=\"%s\" time=\"%.3f\"",
                    escape(suite), escape(e.group()), escape(e.name()), e.seconds()));
            xml.append(switch (e.outcome()) {
                case PASSED -> "/>\n";
                // An attribute keeps no line breaks, so that the whole, such as a compiler's report, goes inside.
                case FAILED -> "><failure message=\"" + escape(e.detail().lines().findFirst().orElse("")) + "\">"
                        + escape(e.detail()) + "</failure></testcase>\n";
                case SKIPPED -> "><skipped message=\"" + escape(e.detail()) + "\"/></testcase>\n";
            });
        }
        return xml.append("</testsuite>\n").toString();
    }

    private static String escape(String text) {
        return StringEscapeUtils.escapeXml10(text);
    }
}
