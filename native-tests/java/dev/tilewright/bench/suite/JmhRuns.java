package dev.tilewright.bench.suite;

import dev.tilewright.MissingRequirementException;
import dev.tilewright.bench.Bench;
import dev.tilewright.bench.Suite;
import dev.tilewright.bench.result.Row;
import dev.tilewright.bench.result.Spread;
import dev.tilewright.bench.result.Unit;
import dev.tilewright.bench.result.Verdict;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.BenchmarkList;
import org.openjdk.jmh.runner.BenchmarkListEntry;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.format.OutputFormatFactory;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Runs this library's JMH benchmarks as rows: each in processes of its own and with the options that it states, but for
 * the time that it takes, which is the bench's to choose.
 */
final class JmhRuns {
    private static final int WARM_UP = 3;
    private static final int MOST_ITERATIONS = 9;

    private JmhRuns() { }

    /**
     * Gives the bench a row of each benchmark and its parameters, as soon as it is known.
     *
     * @param which a regular expression that the benchmarks' names match
     * @param iteration how long one lasts
     */
    static void run(Suite suite, String which, Duration iteration, Bench bench) {
        List<String> names = BenchmarkList.defaultList()
                .find(OutputFormatFactory.createFormatInstance(System.err, VerboseMode.SILENT), List.of(which),
                List.of())
                .stream().map(BenchmarkListEntry::getUsername).distinct().sorted().toList();
        if (names.isEmpty()) {
            throw new MissingRequirementException("there are no JMH benchmarks '" + which + "' on the class path");
        }
        int done = 0;
        for (String name : names) {
            bench.progress().at("JMH " + subject(name), done++, names.size());
            bench.attempt(suite.name(), subject(name), Row.OURS, Unit.MICROSECONDS,
                    () -> run(name, iteration, bench.settings().turns()).forEach(
                    result -> bench.add(row(suite.name(), result))));
        }
        bench.progress().at("JMH", done, names.size());
    }

    private static Collection<RunResult> run(String name, Duration iteration, int turns) {
        TimeValue time = TimeValue.milliseconds(iteration.toMillis());
        Options options = new OptionsBuilder().include("^" + Pattern.quote(name) + "$")
                .warmupIterations(WARM_UP).warmupTime(time)
                .measurementIterations(Math.min(turns, MOST_ITERATIONS)).measurementTime(time)
                // What JMH does with sun.misc.Unsafe, later JDKs complain of in every process.
                .jvmArgsPrepend("--sun-misc-unsafe-memory-access=allow")
                .shouldFailOnError(true).verbosity(VerboseMode.SILENT).build();
        try {
            return new Runner(options).run();
        } catch (RunnerException e) {
            throw new MissingRequirementException("JMH: " + e.getMessage(), e);
        }
    }

    /** Class and method. */
    private static String subject(String name) {
        int method = name.lastIndexOf('.');
        return name.substring(name.lastIndexOf('.', method - 1) + 1);
    }

    /** A benchmark's iterations as a row: times in microseconds, rates in operations a second. */
    static Row row(String suite, RunResult result) {
        BenchmarkParams params = result.getParams();
        Mode mode = params.getMode();
        double[] scores = result.getBenchmarkResults().stream().flatMap(fork -> fork.getIterationResults().stream())
                .mapToDouble(iteration -> iteration.getPrimaryResult().getScore()).toArray();
        double nanos = params.getTimeUnit().toNanos(1);
        boolean isRate = mode == Mode.Throughput;
        Spread spread = Spread.of(scores).as(score -> isRate ? score * TimeUnit.SECONDS.toNanos(1) / nanos
                : score * nanos / TimeUnit.MICROSECONDS.toNanos(1));
        Row row = Row.of(suite, subject(params.getBenchmark()), Row.OURS, isRate ? Unit.PER_SECOND : Unit.MICROSECONDS,
                spread, Verdict.NO_OUTPUT);
        for (String key : new TreeSet<>(params.getParamsKeys())) {
            row = row.with(key, params.getParam(key));
        }
        return row;
    }
}
