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
public record Notice(String subject, Grade verdict, String fact, String remedy) {
    public Notice {
        NotNull.all("subject, verdict, fact", subject, verdict, fact);
        if (remedy.isEmpty() && verdict.compareTo(Grade.LACK) >= 0) {
            throw new IllegalArgumentException("a " + verdict + " without a remedy: " + fact);
        }
    }

    static Notice ok(String subject, String fact) {
        return new Notice(subject, Grade.OK, fact, "");
    }

    static Notice note(String subject, String fact, String remedy) {
        return new Notice(subject, Grade.NOTE, fact, remedy);
    }

    static Notice lack(String subject, String fact, String remedy) {
        return new Notice(subject, Grade.LACK, fact, remedy);
    }

    static Notice broken(String subject, String fact, String remedy) {
        return new Notice(subject, Grade.BROKEN, fact, remedy);
    }

    /** {@code driver    broken it is a stub -> take its folder out of LD_LIBRARY_PATH}. */
    @Override
    public String toString() {
        return String.format("%-9s %-6s %s%s", subject, verdict, fact, remedy.isEmpty() ? "" : " -> " + remedy);
    }
}
