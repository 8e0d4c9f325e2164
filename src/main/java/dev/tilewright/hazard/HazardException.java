package dev.tilewright.hazard;

/** A kernel was not launched, because a check before found hazards in it. The message is the whole report. */
public final class HazardException extends RuntimeException {
    private final transient HazardReport report;

    /** @param report what was found; its text becomes the message */
    public HazardException(HazardReport report) {
        super(report.toString());
        this.report = report;
    }

    /** The report of the check. */
    public HazardReport report() {
        return report;
    }
}
