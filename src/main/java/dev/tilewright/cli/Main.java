package dev.tilewright.cli;

import dev.tilewright.BadRequestException;
import dev.tilewright.MissingRequirementException;
import dev.tilewright.builder.PresetCatalog;
import dev.tilewright.builder.Presets;
import dev.tilewright.cli.kernel.UserCodeException;
import dev.tilewright.cli.option.Arguments;
import dev.tilewright.cli.option.NamedFiles;
import dev.tilewright.cli.terminal.ExitCode;
import dev.tilewright.cli.terminal.ResultStream;
import dev.tilewright.cli.terminal.Terminal;
import dev.tilewright.cli.terminal.Visible;
import dev.tilewright.tensormap.TensorMapException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import picocli.CommandLine.ExecutionException;
import picocli.CommandLine.IFactory;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.RunLast;
import picocli.CommandLine;

/** The {@code tilewright} command: sets up the verbs, and turns every failure into one message and an exit code. */
public final class Main {
    private Main() { }

    public static void main(String[] args) {
        boolean interactive = System.console() != null && System.console().isTerminal();
        System.exit(run(args, ResultStream.standard(), System.err, interactive));
    }

    /** Runs one command line. @return the exit code */
    static int run(String[] args, PrintStream out, PrintStream err, boolean interactive) {
        return run(args, System.in, out, err, interactive);
    }

    /** Runs one command line with something else piped in. @return the exit code */
    static int run(String[] args, InputStream in, PrintStream out, PrintStream err, boolean interactive) {
        return run(args, in, out, err, interactive, () -> Presets.CATALOG);
    }

    /** Runs one command line. @param presets what it may name, made for a verb that takes them @return the exit code */
    static int run(String[] args, InputStream in, PrintStream out, PrintStream err, boolean interactive,
            Supplier<PresetCatalog> presets) {
        Terminal terminal = new Terminal(in, out, err, interactive);
        CommandLine line = commandLine(terminal, presets, List.of(args));
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(err, true));
        boolean debug = Arrays.asList(args).contains("--debug");
        line.setParameterExceptionHandler((e, _) -> {
            if (debug) {
                e.printStackTrace(terminal.err());
            }
            terminal.note(BadLine.sentence(e, List.of(args)));
            return ExitCode.BAD_REQUEST;
        });
        line.setExecutionStrategy(Main::helpOrRun);
        line.setExecutionExceptionHandler((e, _, _) -> failed(e, debug, terminal));
        int code = execute(line, args, debug, terminal);
        if (terminal.isReaderGone()) {
            return code == ExitCode.OK ? ExitCode.READER_GONE : code;
        }
        Optional<String> lost = terminal.lostOutput();
        lost.ifPresent(why -> terminal.note("standard output could not be written: " + why));
        return code == ExitCode.OK && (lost.isPresent() || terminal.lostFile()) ? ExitCode.MISSING : code;
    }

    /** The verbs that a line can come to, their options, and how their values are read. */
    static CommandLine commandLine(Terminal terminal, Supplier<PresetCatalog> presets, List<String> args) {
        CommandLine line = new CommandLine(new TilewrightCommand(), factory(terminal, presets));
        TilewrightCommand.verbs(args).forEach(line::addSubcommand);
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.registerConverter(Path.class, Arguments::path);
        line.setExpandAtFiles(false);
        return line;
    }

    private static int execute(CommandLine line, String[] args, boolean debug, Terminal terminal) {
        try {
            return line.execute(args);
        } catch (StackOverflowError e) {
            return failed(new BadRequestException("what was given is nested too deeply", e), debug, terminal);
        } catch (OutOfMemoryError e) {
            // An array that is larger than the machine's memory gets this far: mapping its file costs none.
            return failed(new MissingRequirementException("not enough memory: " + e.getMessage(), e), debug, terminal);
        }
    }

    /** Verbs get the terminal through their constructor, and the presets where they take those. */
    private static IFactory factory(Terminal terminal, Supplier<PresetCatalog> presets) {
        IFactory standard = CommandLine.defaultFactory();
        return new IFactory() {
            @Override
            public <K> K create(Class<K> type) throws Exception {
                for (var constructor : type.getDeclaredConstructors()) {
                    List<Class<?>> parameters = List.of(constructor.getParameterTypes());
                    constructor.setAccessible(true);
                    if (parameters.equals(List.of(Terminal.class))) {
                        return type.cast(constructor.newInstance(terminal));
                    }
                    if (parameters.equals(List.of(Terminal.class, PresetCatalog.class))) {
                        return type.cast(constructor.newInstance(terminal, presets.get()));
                    }
                }
                return standard.create(type);
            }
        };
    }

    /**
     * Prints the help that was asked for, or else runs the innermost verb, unless it would write over a file that it
     * reads. No handler of picocli's own is the strategy: when System.out is another than when the handler was made, it
     * takes the older one for a wish, and help goes there.
     */
    private static int helpOrRun(ParseResult line) {
        Integer helped = CommandLine.executeHelpRequest(line);
        if (helped != null) {
            return helped;
        }
        try {
            NamedFiles.of(line).requireApart();
        } catch (BadRequestException e) {
            throw new ExecutionException(line.commandSpec().commandLine(), e.getMessage(), e);
        }
        return new RunLast().execute(line);
    }

    /** Says what went wrong. @return the exit code */
    static int failed(Exception e, boolean debug, Terminal terminal) {
        if (debug) {
            e.printStackTrace(terminal.err());
        }
        String message = e.getMessage() == null
                ? "a mistake in tilewright itself: --debug shows where" : e.getMessage();
        terminal.note(e instanceof BadRequestException ? Visible.line(message) : message);
        return switch (e) {
            case BadRequestException _, TensorMapException _, UserCodeException _ -> ExitCode.BAD_REQUEST;
            case MissingRequirementException _ -> ExitCode.MISSING;
            default -> ExitCode.FOUND;
        };
    }
}
