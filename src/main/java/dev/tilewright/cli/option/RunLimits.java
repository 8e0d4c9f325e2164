package dev.tilewright.cli.option;

import dev.tilewright.BadRequestException;
import dev.tilewright.Counted;
import dev.tilewright.cli.terminal.SlowRun;
import dev.tilewright.cli.terminal.Terminal;
import dev.tilewright.hazard.HazardOptions;
import dev.tilewright.reference.fault.ReferenceStoppedException;
import java.math.BigDecimal;
import java.util.regex.Pattern;
import picocli.CommandLine.Option;

/** How long a kernel may run on the CPU: one that polls for what never comes has no end of its own. */
public final class RunLimits {
    private static final String TIME = "--most-time";
    private static final String STEPS = "--most-steps";
    private static final Pattern NUMBER = Pattern.compile("[1-9]\\d{0,17}|[1-9]\\d?e1?\\d");

    @Option(names = TIME, paramLabel = "TIME", defaultValue = "10m",
            description = "stop a run on the CPU that takes longer, such as a kernel that spins forever: 30s, 5m, 2h; "
                    + "default ${DEFAULT-VALUE}")
    String mostTime;

    @Option(names = STEPS, paramLabel = "N", defaultValue = "1e12",
            description = "stop a run on the CPU when its threads have taken this many steps together; default "
                    + "${DEFAULT-VALUE}")
    String mostSteps;

    /**
     * The default with these limits, which begin now: a run that takes long says so on standard error.
     *
     * @throws BadRequestException if they are none
     */
    public HazardOptions options(Terminal terminal) {
        if (!NUMBER.matcher(mostSteps).matches()) {
            throw new BadRequestException(STEPS + " takes a number of at least 1, such as 1000000 or 1e9, got '"
                    + mostSteps + "'");
        }
        return HazardOptions.DEFAULT.withMostTime(TimeSpan.parse(TIME, mostTime))
                .withMostSteps(new BigDecimal(mostSteps).longValueExact())
                .withProgress(new SlowRun(terminal::note, System::nanoTime,
                        "a run is stopped after " + mostTime + " (" + TIME + ") or " + Counted.of(mostSteps, "step")
                        + " (" + STEPS + ")"));
    }

    /** What a run that was stopped says to those who can set the limits here. */
    public static String explain(ReferenceStoppedException stopped) {
        return stopped.limitedBy(STEPS, TIME).getMessage();
    }
}
