package dev.tilewright.hazard;

/** A kernel was not launched, because a check before found hazards in it. The message is the whole report. */
public final class HazardException extends RuntimeException {
    private final transient HazardReport report;

    public HazardException(HazardReport report) {
        super(report.toString());
        this.report = report;
    }

    public HazardReport report() {
        return report;
    }
}
