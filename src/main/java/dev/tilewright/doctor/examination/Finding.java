package dev.tilewright.doctor.examination;

import dev.tilewright.NotNull;

/**
 * One thing that was looked at: a line of the report.
 *
 * @param subject what it is about, such as {@code driver} or {@code gpu 0}
 * @param verdict what is to be thought of it
 * @param fact what there is, or is not
 * @param remedy what to do about it; empty where nothing has to be done, never empty for a lack or what is broken
 */
public record Finding(String subject, Verdict verdict, String fact, String remedy) {
    public Finding {
        NotNull.all("subject, verdict, fact", subject, verdict, fact);
        if (remedy.isEmpty() && verdict.compareTo(Verdict.LACK) >= 0) {
            throw new IllegalArgumentException("a " + verdict + " without a remedy: " + fact);
        }
    }

    static Finding ok(String subject, String fact) {
        return new Finding(subject, Verdict.OK, fact, "");
    }

    static Finding note(String subject, String fact, String remedy) {
        return new Finding(subject, Verdict.NOTE, fact, remedy);
    }

    static Finding lack(String subject, String fact, String remedy) {
        return new Finding(subject, Verdict.LACK, fact, remedy);
    }

    static Finding broken(String subject, String fact, String remedy) {
        return new Finding(subject, Verdict.BROKEN, fact, remedy);
    }

    /** {@code driver    broken it is a stub -> take its folder out of LD_LIBRARY_PATH}. */
    @Override
    public String toString() {
        return String.format("%-9s %-6s %s%s", subject, verdict, fact, remedy.isEmpty() ? "" : " -> " + remedy);
    }
}
