package dev.tilewright.cli.verify;

import dev.tilewright.BadRequestException;
import dev.tilewright.Counted;
import dev.tilewright.MissingRequirementException;
import dev.tilewright.builder.Preset;
import dev.tilewright.builder.PresetCatalog;
import dev.tilewright.cli.option.ExecutorChoice;
import dev.tilewright.cli.option.JsonVerb;
import dev.tilewright.cli.option.NamedFiles;
import dev.tilewright.cli.option.TimeSpan;
import dev.tilewright.cli.option.Wildcard;
import dev.tilewright.cli.option.Written;
import dev.tilewright.cli.terminal.ExitCode;
import dev.tilewright.cli.terminal.Failure;
import dev.tilewright.cli.terminal.Interruption;
import dev.tilewright.cli.terminal.Terminal;
import dev.tilewright.cli.terminal.TextFile;
import dev.tilewright.gpu.compile.KernelCompiler;
import dev.tilewright.gpu.device.Devices;
import dev.tilewright.tile.kernel.TilePreset;
import dev.tilewright.tile.kernel.TilePresets;
import dev.tilewright.verify.CaseFile;
import dev.tilewright.verify.CaseKind;
import dev.tilewright.verify.CaseKinds;
import dev.tilewright.verify.CaseSet;
import dev.tilewright.verify.CheckSummary;
import dev.tilewright.verify.OneCase;
import dev.tilewright.verify.Shard;
import dev.tilewright.verify.draw.Kinds;
import dev.tilewright.verify.worker.CaseAsker;
import dev.tilewright.verify.worker.WorkerLimits;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.commons.lang3.StringUtils;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code verify}: the GPU against the reference on random cases, or all that can be checked without one. */
@Command(name = "verify", description = "Compare GPU and reference on random cases; without a GPU, run all checks that "
        + "need none.")
public final class VerifyCommand extends JsonVerb {
    private static final long CASES = 200;

    private final PresetCatalog catalog;

    @Option(names = "--presets", paramLabel = "GLOB", defaultValue = "*",
            description = "which presets; without this option, other kinds of cases are drawn too, and recordings "
                    + "replayed")
    String presets;

    @Option(names = "--kinds", paramLabel = "GLOB", defaultValue = "*",
            description = "which kinds of cases, such as copy; default all")
    String drawn;

    @Option(names = "--cases", paramLabel = "N",
            description = "random cases, default " + CASES + ", or as many as --time allows")
    Long cases;

    @Option(names = "--seed", paramLabel = "S", defaultValue = "1",
            description = "seed of the random cases, default ${DEFAULT-VALUE}")
    long seed;

    @Option(names = "--shard", paramLabel = "N/M", defaultValue = "1/1",
            description = "run only the Nth of M parts of the cases, such as 2/8, to share them among machines")
    String shard;

    @Option(names = "--time", paramLabel = "TIME",
            description = "only run new random cases, until this time is up, such as 5m")
    String time;

    @Option(names = "--case", paramLabel = "LINE",
            description = "run only the case of this line, as a failure prints it, or of the line in a file: @FILE")
    String one;

    @Option(names = "--gpus", paramLabel = "GPUS", defaultValue = "0",
            description = "all, or numbers such as 0,1; default ${DEFAULT-VALUE}")
    String gpus;

    @Option(names = "--executor", paramLabel = "WHERE", defaultValue = "auto",
            description = "auto (the GPU when there is one), gpu or reference; default ${DEFAULT-VALUE}")
    ExecutorChoice executor;

    @Option(names = "--workers", paramLabel = "N", description =
            "worker processes on each GPU; default one for four processors, 4 at most")
    Integer workers;

    @Option(names = "--case-limit", paramLabel = "TIME", defaultValue = "10s", description =
            "a case that takes longer on the device counts as a hang, and fails; default ${DEFAULT-VALUE}. Without a "
                    + "GPU, the limit is CPU time of each worker thread")
    String caseLimit;

    @Option(names = "--plant", paramLabel = "WHAT@N",
            description = "make case N fail, to prove that a run survives it: hang@137, fault@612")
    List<String> plants = List.of();

    @Written
    @Option(names = "--junit-xml", paramLabel = "FILE", description = "also write a JUnit report")
    Path junitXml;

    @Written
    @Option(names = "--failures", paramLabel = "FOLDER",
            description = "shrink failed cases, and write each as a JUnit test into this folder: at most five, half a "
                    + "minute each, on top of --time; lines of more than " + CaseFile.LONG
                    + " characters become files there, too")
    Path failures;

    VerifyCommand(Terminal terminal, PresetCatalog catalog) {
        super(terminal);
        this.catalog = catalog;
    }

    @Override
    public Integer call() {
        long begin = System.nanoTime();
        requireReport();
        VerifyFailures tests = failures == null ? null
                : new VerifyFailures(failures, Kinds.of(catalog, catalog.presets()), terminal);
        VerifyPlan plan = plan();
        try (Interruption interruption = new Interruption()) {
            VerifyRun.Outcome outcome = new VerifyRun(plan, terminal, interruption, this::show).run(begin);
            if (plan.most().isPresent() && outcome.cases() == 0 && outcome.complete()) {
                throw new BadRequestException("--time " + time + " was over before the first case had ended: give "
                        + "more");
            }
            CheckSummary summary = outcome.verification().summary();
            if (tests != null) {
                tests.keepLongLines(summary);
            }
            // First of all: making failed cases small takes a while, and may be interrupted.
            report(plan, outcome);
            if (interruption.isRequested()) {
                terminal.note("interrupted: " + Counted.of(outcome.cases(), "case") + " had ended"
                        + (junitXml == null ? "" : "; the results are in " + junitXml));
            }
            if (tests != null && outcome.complete()) {
                tests.write(summary, () -> new CaseAsker(plan.processes().commands().getFirst(), plan.limits(),
                        interruption::isRequested));
            }
            if (outcome.broken().isPresent()) {
                throw outcome.broken().get();
            }
            return summary.count(CheckSummary.Outcome.FAILED) == 0 ? ExitCode.OK : ExitCode.FOUND;
        }
    }

    private void requireReport() {
        if (junitXml != null) {
            if (one != null && CaseFile.isFile(one)) {
                new NamedFiles().reading("--case", CaseFile.file(one)).writing("--junit-xml", junitXml).requireApart();
            }
            TextFile.requirePlace(junitXml);
        }
    }

    /** The plan that follows from the options and this machine's GPUs. */
    private VerifyPlan plan() {
        Optional<Duration> most = Optional.ofNullable(time).map(text -> TimeSpan.parse("--time", text));
        Duration limit = TimeSpan.parse("--case-limit", caseLimit);
        if (workers != null) {
            VerifyWorkers.requireCount(workers);
        }
        VerifyWorkers.requireGpus(gpus);
        Wildcard wanted = glob("--presets", "tensor-*", presets);
        List<Preset> chosen = catalog.presets().stream().filter(p -> wanted.matches(p.name())).toList();
        List<TilePreset> tiles = TilePresets.ALL.stream().filter(p -> wanted.matches(p.name())).toList();
        if (chosen.isEmpty() && tiles.isEmpty()) {
            throw new BadRequestException("no preset matches '" + presets + "': see 'tilewright list'");
        }
        CaseSet set = set(Kinds.of(catalog, chosen, tiles));
        if (set.size() == 0 && !Long.valueOf(0).equals(cases)) {
            terminal.note("shard " + shard + " has no cases: they are drawn " + CaseKinds.GROUP
                    + " together, and there are too few");
        }
        Devices devices = Devices.probe();
        ExecutorChoice runsOn = runsOn(devices);
        boolean first = Shard.parse(shard).number() == 1;
        VerifyWorkers processes = processes(runsOn, devices);
        return new VerifyPlan(chosen, tiles, set, most, one != null || most.isPresent(), first,
                first && presets.equals("*"), runsOn == ExecutorChoice.GPU ? WorkerLimits.onGpu(limit)
                : WorkerLimits.ofTheReference(limit, processes.all().getFirst().threads()), devices, runsOn,
                executor == ExecutorChoice.REFERENCE ? "--executor reference" : "no GPU: " + devices.why(), processes);
    }

    private void report(VerifyPlan plan, VerifyRun.Outcome outcome) {
        VerifyReport report = new VerifyReport(outcome.verification().summary(), outcome.verification().times(), seed,
                facts(plan.runsOn(), plan.devices()), outcome.complete());
        report.print(terminal, json);
        if (junitXml != null) {
            report.write(terminal, junitXml);
        }
    }

    private CaseSet set(CaseKinds kinds) {
        Shard part = Shard.parse(shard);
        if (one != null) {
            if (cases != null || time != null || !plants.isEmpty() || part.count() > 1) {
                throw new BadRequestException("--case runs one case, and takes none of --cases, --time, --shard and "
                        + "--plant");
            }
            return new CaseSet(
                    new CaseKinds(List.of(new OneCase(kinds.parse(CaseFile.isFile(one) ? CaseFile.read(one) : one)))),
                    seed, Shard.ALL, 1, Map.of());
        }
        if (cases != null && cases < 0) {
            throw new BadRequestException("--cases must be at least 0, got " + cases);
        }
        return new CaseSet(wanted(kinds), seed, part, cases != null ? cases : time != null ? Long.MAX_VALUE : CASES,
                VerifyPlants.parse(plants));
    }

    private CaseKinds wanted(CaseKinds all) {
        Wildcard wanted = glob("--kinds", "copy*", drawn);
        List<CaseKind> kinds = all.kinds().stream().filter(kind -> kind.weight() > 0)
                .filter(kind -> presets.equals("*") || kind.isOfPresets()).toList();
        List<CaseKind> chosen = kinds.stream().filter(kind -> wanted.matches(kind.name())).toList();
        if (chosen.isEmpty()) {
            throw new BadRequestException("no kind of cases matches '" + drawn + "': there are "
                    + kinds.stream().map(CaseKind::name).collect(Collectors.joining(", ")));
        }
        return new CaseKinds(chosen);
    }

    private ExecutorChoice runsOn(Devices devices) {
        if (executor == ExecutorChoice.GPU && devices.list().isEmpty()) {
            throw new MissingRequirementException("--executor gpu needs a GPU, and there is none: " + devices.why()
                    + "; --executor reference runs on the CPU");
        }
        return executor == ExecutorChoice.REFERENCE || devices.list().isEmpty() ? ExecutorChoice.REFERENCE
                : ExecutorChoice.GPU;
    }

    private VerifyWorkers processes(ExecutorChoice runsOn, Devices devices) {
        int processors = Runtime.getRuntime().availableProcessors();
        int wanted = workers == null ? 0 : workers;
        if (runsOn == ExecutorChoice.REFERENCE) {
            return VerifyWorkers.ofTheReference(wanted, processors);
        }
        // What is missing is fetched once, and by the process that can show how far that is.
        KernelCompiler.cachingForUser(terminal.progress(), terminal::note).nvrtc();
        return VerifyWorkers.onGpus(VerifyWorkers.gpus(gpus, devices), wanted, processors);
    }

    private Map<String, String> facts(ExecutorChoice runsOn, Devices devices) {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("seed", Long.toString(seed));
        facts.put("shard", shard);
        facts.put("executor", runsOn.toString());
        if (runsOn == ExecutorChoice.GPU) {
            VerifyWorkers.gpus(gpus, devices).forEach(gpu -> facts.put("gpu " + gpu, devices.require(gpu).name()));
            facts.put("driver", devices.driverVersion());
        }
        return facts;
    }

    private static Wildcard glob(String option, String example, String text) {
        if (StringUtils.containsAny(text, '[', ']', '\\')) {
            throw new BadRequestException(option + " takes a pattern such as '" + example + "', got '" + text + "'");
        }
        return Wildcard.of(text);
    }

    private void show(CheckSummary.Entry entry) {
        if (entry.outcome() == CheckSummary.Outcome.FAILED) {
            terminal.note("FAILED " + entry.group() + ": " + entry.name() + ": " + entry.detail());
            terminal.annotate(Failure.of("verify, " + entry.group(), entry.name() + "\n" + entry.detail()));
        }
    }
}
