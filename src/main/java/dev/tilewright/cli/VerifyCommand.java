package dev.tilewright.cli;

import dev.tilewright.BadRequestException;
import dev.tilewright.MissingRequirementException;
import dev.tilewright.builder.Preset;
import dev.tilewright.builder.PresetCatalog;
import dev.tilewright.gpu.Backend;
import dev.tilewright.gpu.Devices;
import dev.tilewright.gpu.KernelCompiler;
import dev.tilewright.gpu.Nvrtc;
import dev.tilewright.ptx.Target;
import dev.tilewright.verify.CaseFile;
import dev.tilewright.verify.CaseKind;
import dev.tilewright.verify.CaseKinds;
import dev.tilewright.verify.CaseSet;
import dev.tilewright.verify.CheckSummary;
import dev.tilewright.verify.OneCase;
import dev.tilewright.verify.Shard;
import dev.tilewright.verify.Verification;
import dev.tilewright.verify.draw.Kinds;
import dev.tilewright.verify.worker.CaseAsker;
import dev.tilewright.verify.worker.Limits;
import dev.tilewright.verify.worker.WorkerPool;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.apache.commons.lang3.StringUtils;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code verify}: the GPU against the reference on random cases, or all that can be checked without one. */
@Command(name = "verify", description = "GPU against reference on random cases; without a GPU, everything else.")
final class VerifyCommand implements Callable<Integer> {
    private static final long CASES = 200;

    private final Terminal terminal;
    private final PresetCatalog catalog;

    @Mixin
    CommonOptions common;

    @Option(names = "--presets", paramLabel = "GLOB", defaultValue = "*",
            description = "which presets' copies; where this is not given, other kinds of cases are drawn too, and recordings"
                    + " replayed")
    String presets;

    @Option(names = "--kinds", paramLabel = "GLOB", defaultValue = "*",
            description = "which kinds of cases, such as copy; default all")
    String drawn;

    @Option(names = "--cases", paramLabel = "N",
            description = "random cases, default " + CASES + ", or as many as --time allows")
    Long cases;

    @Option(names = "--seed", paramLabel = "S", defaultValue = "1",
            description = "what they are drawn from, default ${DEFAULT-VALUE}")
    long seed;

    @Option(names = "--shard", paramLabel = "N/M", defaultValue = "1/1",
            description = "only the Nth of M parts of them, such as 2/8: each part for another machine")
    String shard;

    @Option(names = "--time", paramLabel = "TIME",
            description = "run new random cases until this time is up, such as 5m, and nothing else")
    String time;

    @Option(names = "--case", paramLabel = "LINE",
            description = "run the one case of this line, as a failure names it, or of the line in a file: @FILE")
    String one;

    @Option(names = "--gpus", paramLabel = "GPUS", defaultValue = "0",
            description = "all, or numbers such as 0,1; default ${DEFAULT-VALUE}")
    String gpus;

    @Option(names = "--executor", paramLabel = "WHERE", defaultValue = "auto",
            description = "auto (the GPU when there is one), gpu or reference; default ${DEFAULT-VALUE}")
    Executor executor;

    @Option(names = "--workers", paramLabel = "N", description = "worker processes on each GPU; default one for four processors, 4 at most")
    Integer workers;

    @Option(names = "--case-limit", paramLabel = "TIME", defaultValue = "10s",
            description = "what takes longer on the device hangs, and fails; default ${DEFAULT-VALUE}")
    String caseLimit;

    @Option(names = "--plant", paramLabel = "WHAT@N",
            description = "let case N go wrong, to prove that a run outlives it: hang@137, fault@612")
    List<String> plants = List.of();

    @Written
    @Option(names = "--junit-xml", paramLabel = "FILE", description = "also write a JUnit report")
    Path junitXml;

    @Written
    @Option(names = "--failures", paramLabel = "FOLDER",
            description = "make failed cases as small as they go, and write each as a JUnit test into this folder: five at"
                    + " most, half a minute each, beyond --time; lines of more than " + CaseFile.LONG
                    + " characters become files there, too")
    Path failures;

    @Option(names = "--json", description = "print one JSON document")
    boolean json;

    VerifyCommand(Terminal terminal, PresetCatalog catalog) {
        this.terminal = terminal;
        this.catalog = catalog;
    }

    @Override
    public Integer call() {
        long begin = System.nanoTime();
        Duration most = time == null ? null : TimeSpan.parse("--time", time);
        Limits limits = Limits.of(TimeSpan.parse("--case-limit", caseLimit));
        if (workers != null) {
            VerifyWorkers.requireCount(workers);
        }
        if (junitXml != null) {
            if (one != null && CaseFile.isFile(one)) {
                new NamedFiles().reading("--case", CaseFile.file(one)).writing("--junit-xml", junitXml).requireApart();
            }
            TextFile.requirePlace(junitXml);
        }
        List<Preset> chosen = matching(presets);
        CaseSet set = set(chosen);
        if (set.size() == 0 && !Long.valueOf(0).equals(cases)) {
            terminal.note("shard " + shard + " has no cases: they are drawn " + CaseKinds.GROUP + " together, and there are too few");
        }
        VerifyFailures tests = failures == null ? null
                : new VerifyFailures(failures, Kinds.of(catalog, catalog.presets()), terminal);
        VerifyWorkers.requireGpus(gpus);
        Devices devices = Devices.probe();
        Backend backend = backend(devices);
        VerifyWorkers processes = processes(backend, devices);
        boolean casesAlone = one != null || most != null;
        CheckSummary summary;
        try (Interruption interruption = new Interruption()) {
            Verification verification = new Verification(this::show, interruption::isRequested);
            summary = verification.summary();
            if (backend == Backend.REFERENCE && !casesAlone) {
                compile(verification, chosen);
            }
            VerifyProgress progress = new VerifyProgress(terminal.progress(), set.size(), begin, most);
            WorkerPool pool = new WorkerPool(backend.toString(), set, entry -> {
                verification.add(entry);
                progress.ended();
            }, verification.times(), interruption::isRequested);
            if (most != null) {
                pool.until(begin + most.toNanos());
            }
            Optional<MissingRequirementException> broken = run(pool, processes, limits);
            boolean complete = !interruption.isRequested() && broken.isEmpty();
            if (most != null && pool.ended() == 0 && complete) {
                throw new BadRequestException("--time " + time + " was over before the first case had ended: give more");
            }
            if (!casesAlone && complete) {
                checkTheRest(verification, backend, devices, set.size());
                complete = !interruption.isRequested();
            }
            if (tests != null) {
                tests.keepLongLines(summary);
            }
            VerifyReport report = new VerifyReport(summary, verification.times(), seed,
                    facts(backend, devices), complete);
            // First of all: making failed cases small takes a while, and may be interrupted.
            report.print(terminal, json);
            if (junitXml != null) {
                report.write(terminal, junitXml);
            }
            if (interruption.isRequested()) {
                terminal.note("interrupted: " + pool.ended() + " cases had ended"
                        + (junitXml == null ? "" : "; what they came to is in " + junitXml));
            }
            if (tests != null && complete) {
                tests.write(summary, () -> new CaseAsker(processes.commands().getFirst(), limits,
                        interruption::isRequested));
            }
            if (broken.isPresent()) {
                throw broken.get();
            }
        }
        return summary.count(CheckSummary.Outcome.FAILED) == 0 ? ExitCode.OK : ExitCode.FOUND;
    }

    /** What is missing from now on, such as a GPU that is gone: what was done before that is reported. */
    private static Optional<MissingRequirementException> run(WorkerPool pool, VerifyWorkers processes, Limits limits) {
        try {
            pool.run(processes.commands(), processes.groupsAtOnce(), limits);
            return Optional.empty();
        } catch (MissingRequirementException e) {
            if (pool.ended() == 0) {
                throw e;
            }
            return Optional.of(e);
        }
    }

    private CaseSet set(List<Preset> chosen) {
        CaseKinds kinds = Kinds.of(catalog, chosen);
        Shard part = Shard.parse(shard);
        if (one != null) {
            if (cases != null || time != null || !plants.isEmpty() || part.count() > 1) {
                throw new BadRequestException("--case runs one case, and takes none of --cases, --time, --shard and --plant");
            }
            return new CaseSet(new CaseKinds(List.of(new OneCase(kinds.parse(CaseFile.isFile(one) ? CaseFile.read(one) : one)))), seed, Shard.ALL, 1, Map.of());
        }
        if (cases != null && cases < 0) {
            throw new BadRequestException("--cases must be at least 0, got " + cases);
        }
        return new CaseSet(wanted(kinds), seed, part, cases != null ? cases : time != null ? Long.MAX_VALUE : CASES, VerifyPlants.parse(plants));
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

    private Backend backend(Devices devices) {
        if (executor == Executor.GPU && devices.list().isEmpty()) {
            throw new MissingRequirementException("--executor gpu needs a GPU, and there is none: " + devices.why()
                    + "; --executor reference runs on the CPU");
        }
        return executor == Executor.REFERENCE || devices.list().isEmpty() ? Backend.REFERENCE : Backend.GPU;
    }

    private VerifyWorkers processes(Backend backend, Devices devices) {
        int processors = Runtime.getRuntime().availableProcessors();
        int wanted = workers == null ? 0 : workers;
        if (backend == Backend.REFERENCE) {
            return VerifyWorkers.ofTheReference(wanted, processors);
        }
        // What is missing is fetched once, and by the process that can show how far that is.
        KernelCompiler.cachingForUser(terminal.progress(), terminal::note).nvrtc();
        return VerifyWorkers.onGpus(VerifyWorkers.gpus(gpus, devices), wanted, processors);
    }

    /** Every preset for every target, where no GPU would take its kernels. */
    private void compile(Verification verification, List<Preset> chosen) {
        if (Shard.parse(shard).number() == 1) {
            Nvrtc nvrtc = Nvrtc.find(terminal.progress());
            List<Target> known = nvrtc.supportedTargets();
            verification.compile(KernelCompiler.cachingForUser(nvrtc, terminal::note), chosen,
                    Target.KNOWN.stream().filter(known::contains).toList());
        }
    }

    /** What has nothing to do with random cases, in the first shard, and what was left out. */
    private void checkTheRest(Verification verification, Backend backend, Devices devices, long skipped) {
        if (backend == Backend.REFERENCE && skipped > 0) {
            verification.skip(Backend.GPU.toString(), "cases", skipped, executor == Executor.REFERENCE
                    ? "--executor reference" : "no GPU: " + devices.why());
        }
        if (Shard.parse(shard).number() == 1 && presets.equals("*")) {
            verification.recordings(
                    Path.of(System.getProperty("tilewright.root", ".")).resolve("native-tests/recordings"));
        }
    }

    private Map<String, String> facts(Backend backend, Devices devices) {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("seed", Long.toString(seed));
        facts.put("shard", shard);
        facts.put("executor", backend.toString());
        if (backend == Backend.GPU) {
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

    private List<Preset> matching(String glob) {
        Wildcard wanted = glob("--presets", "tensor-*", glob);
        List<Preset> chosen = catalog.presets().stream().filter(p -> wanted.matches(p.name())).toList();
        if (chosen.isEmpty()) {
            throw new BadRequestException("no preset matches '" + glob + "': see 'tilewright list'");
        }
        return chosen;
    }

    private void show(CheckSummary.Entry entry) {
        if (entry.outcome() == CheckSummary.Outcome.FAILED) {
            terminal.note("FAILED " + entry.group() + ": " + entry.name() + ": " + entry.detail());
            terminal.annotate(Failure.of("verify, " + entry.group(), entry.name() + "\n" + entry.detail()));
        }
    }
}
