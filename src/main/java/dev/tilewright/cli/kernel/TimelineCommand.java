package dev.tilewright.cli.kernel;

import dev.tilewright.BadRequestException;
import dev.tilewright.builder.PresetCatalog;
import dev.tilewright.cli.option.Arguments;
import dev.tilewright.cli.option.ExecutorChoice;
import dev.tilewright.cli.option.JsonVerb;
import dev.tilewright.cli.option.OutputFile;
import dev.tilewright.cli.option.RunLimits;
import dev.tilewright.cli.terminal.ExitCode;
import dev.tilewright.cli.terminal.Terminal;
import dev.tilewright.explain.timeline.GpuTimeline;
import dev.tilewright.explain.timeline.Timeline;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.hazard.HazardOptions;
import dev.tilewright.reference.ReferenceOptions;
import dev.tilewright.verify.KernelCheck;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code timeline}: the schedule of a kernel as a table. */
@Command(name = "timeline", description = "Run a small launch of a preset or of your own kernel on the CPU, and print "
        + "the schedule of its first cluster: a column for each role (threads that perform the same steps), a "
        + "row for each step in the order it ran, and at each wait the rows that ended it.",
        footer = {"", "The table shows order and dependence, not time: on a GPU, rows of different columns may run in "
                + "any order that the arrows (<-) allow.",
            "", "With --executor gpu the kernel writes time stamps; a row's time runs from the end of the previous "
                    + "step to the end of this one, in the thread that the column shows.",
            "", "Between two steps that concern other threads (barriers, counted copies, flags), each step that a "
                    + "thread repeats takes one row, with the number of repetitions.",
            "", "The exit code is 1 if the kernel does not run to its end; the rows end where it stopped."})
public final class TimelineCommand extends JsonVerb {
    @Mixin
    final SmallLaunch kernel;

    @Mixin
    final RunLimits limits = new RunLimits();

    @Option(names = "--rows", paramLabel = "N", defaultValue = "64",
            description = "print at most this many rows, default ${DEFAULT-VALUE}")
    int rows;

    @Option(names = "--executor", paramLabel = "EXECUTOR", defaultValue = "reference",
            description = "reference: the order, on the CPU; gpu: times in nanoseconds, from time stamps in the "
                    + "kernel; auto: gpu if there is a GPU, else reference; default ${DEFAULT-VALUE}")
    ExecutorChoice executor;

    @Option(names = "--format", paramLabel = "FORMAT", defaultValue = "text",
            description = "text, svg, html (the drawing and the table, one file) or perfetto (a trace for"
                    + " ui.perfetto.dev, in the order of the rows, or in GPU time with --executor gpu); default"
                    + " ${DEFAULT-VALUE}")
    Format format;

    @Mixin
    final OutputFile output = new OutputFile();

    /** What is printed. */
    enum Format { TEXT, SVG, HTML, PERFETTO }

    TimelineCommand(Terminal terminal, PresetCatalog presets) {
        super(terminal);
        this.kernel = new SmallLaunch(terminal, presets);
    }

    @Override
    public Integer call() {
        if (rows < 1) {
            throw new BadRequestException("--rows must be at least 1, got " + rows);
        }
        if (json && format != Format.TEXT) {
            throw new BadRequestException("give --json or --format, not both: got --json and --format " + format);
        }
        boolean inTime = executor.isForGpu(terminal::note);
        HazardOptions options = limits.options(terminal);
        KernelCheck check = kernel.check();
        Timeline timeline = check.first((launch, memory) -> Timeline.of(launch, memory,
                options.limited(ReferenceOptions.DEFAULT), RunLimits::explain));
        if (format != Format.TEXT && timeline.rows().isEmpty()) {
            throw new BadRequestException(kernel.title() + " performed no step in this launch, and a drawing or a trace"
                    + " is of a kernel that ran");
        }
        if (inTime && timeline.fault().isEmpty()) {
            return show(Arguments.read(() -> Stamps.read(check, timeline)).first(rows));
        }
        return show(timeline.first(rows));
    }

    private int show(GpuTimeline timeline) {
        switch (format) {
            case TEXT -> output.report(terminal, json, timeline, timeline.lines());
            case SVG -> output.text(terminal, timeline.drawing().toString());
            case HTML -> output.text(terminal, timeline.page().toString());
            case PERFETTO -> output.json(terminal, timeline.trace());
        }
        return ExitCode.OK;
    }

    private int show(Timeline timeline) {
        switch (format) {
            case TEXT -> output.report(terminal, json, timeline, timeline.lines());
            case SVG -> output.text(terminal, timeline.drawing().toString());
            case HTML -> output.text(terminal, timeline.page().toString());
            case PERFETTO -> output.json(terminal, timeline.trace());
        }
        return timeline.fault().isEmpty() ? ExitCode.OK : ExitCode.FOUND;
    }

    /** Apart from the command, of which each start looks at all methods. */
    private static final class Stamps {
        static GpuTimeline read(KernelCheck check, Timeline timeline) {
            return check.first((launch, memory) -> GpuTimeline.of(launch, memory, timeline,
                    emit -> Gpu.options().emit(emit).open()));
        }
    }
}
