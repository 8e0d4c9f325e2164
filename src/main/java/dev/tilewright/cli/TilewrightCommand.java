package dev.tilewright.cli;

import dev.tilewright.cli.annotate.AnnotateCommand;
import dev.tilewright.cli.bench.BenchCommand;
import dev.tilewright.cli.bench.TuneCommand;
import dev.tilewright.cli.kernel.AuditCommand;
import dev.tilewright.cli.kernel.CheckCommand;
import dev.tilewright.cli.kernel.EmitCommand;
import dev.tilewright.cli.kernel.ExplainCommand;
import dev.tilewright.cli.kernel.ListCommand;
import dev.tilewright.cli.kernel.RunCommand;
import dev.tilewright.cli.kernel.TimelineCommand;
import dev.tilewright.cli.ptx.PtxCommand;
import dev.tilewright.cli.tensormap.TensorMapCommand;
import dev.tilewright.cli.verify.VerifyCommand;
import dev.tilewright.recording.ToolVersion;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine;

/** The command itself; every verb is a class of its own. */
@Command(name = "tilewright", description = "GPU kernels for CUDA, described once in Java: emitted as CUDA C++, and "
        + "run byte for byte on the CPU.", mixinStandardHelpOptions = true, version = "tilewright " + ToolVersion.TEXT,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:all is well", "1:the bytes differ or something was found", "2:the request is wrong",
            "3:something it needs is not there, or its output could not be written"})
final class TilewrightCommand implements Runnable {
    /** In the order in which help names them. */
    private static final List<Class<?>> VERBS = List.of(DoctorCommand.class, ListCommand.class, EmitCommand.class,
            RunCommand.class, VerifyCommand.class, CheckCommand.class, ExplainCommand.class, TimelineCommand.class,
            AuditCommand.class, RecordCommand.class, ReplayCommand.class, AnnotateCommand.class, TensorMapCommand.class,
            SwizzleCommand.class, PtxCommand.class, BenchCommand.class, TuneCommand.class, CacheCommand.class);

    @Spec
    CommandSpec spec;

    /**
     * The verbs that a line can come to: the one that it begins with, or all of them. Picocli collects the options of
     * each by reflection, and a start waits for it.
     */
    static List<Class<?>> verbs(List<String> args) {
        List<Class<?>> first = args.isEmpty() ? List.of() : VERBS.stream()
                .filter(verb -> verb.getAnnotation(Command.class).name().equals(args.getFirst())).toList();
        return first.isEmpty() ? VERBS : first;
    }

    @Override
    public void run() {
        throw new ParameterException(new CommandLine(spec), "name a verb: "
                + String.join(", ", spec.subcommands().keySet()));
    }
}
