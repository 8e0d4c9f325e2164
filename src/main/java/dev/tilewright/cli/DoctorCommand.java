package dev.tilewright.cli;

import dev.tilewright.MissingRequirementException;
import dev.tilewright.cli.option.JsonVerb;
import dev.tilewright.cli.terminal.ExitCode;
import dev.tilewright.cli.terminal.Terminal;
import dev.tilewright.doctor.DoctorReport;
import dev.tilewright.doctor.machine.HostFacts;
import dev.tilewright.doctor.need.Needs;
import dev.tilewright.io.host.HostEnvironment;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code doctor}: what this machine can do, what is missing, and whether it has what is needed. */
@Command(name = "doctor", description = "What this machine can do, and what it lacks: a line for each fact, with a "
        + "verdict (ok, note, lack, broken) and what to do about it.")
final class DoctorCommand extends JsonVerb {
    @Option(names = "--need", paramLabel = "NEED", description =
            "exit with 3 unless this is available; repeatable: gpu, 2-gpus, "
            + "sm_90, memory=40GiB, driver=12.4, nvrtc=12.8, jdk=25, cache, nvcc")
    List<String> needed = new ArrayList<>();

    DoctorCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    public Integer call() {
        Needs needs = Needs.parse(needed);
        DoctorReport report = DoctorReport.of(HostFacts.look(HostEnvironment.current()), needs);
        if (json) {
            terminal.json(report);
        } else {
            report.findings().forEach(f -> terminal.result(f.toString()));
            terminal.result(report.summary());
            if (common.debug) {
                report.machine().nvrtc().passedOver().forEach(p -> terminal.note("no usable NVRTC: " + p));
            }
        }
        if (!report.unmet().isEmpty()) {
            throw new MissingRequirementException(report.unmet());
        }
        return ExitCode.OK;
    }
}
