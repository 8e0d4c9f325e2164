package dev.tilewright.cli;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import dev.tilewright.BadRequestException;
import dev.tilewright.builder.Preset;
import dev.tilewright.builder.PresetCatalog;
import dev.tilewright.emit.EmitOptions;
import dev.tilewright.gpu.Backend;
import dev.tilewright.gpu.Devices;
import dev.tilewright.gpu.Driver;
import dev.tilewright.gpu.Drivers;
import dev.tilewright.gpu.KernelCompiler;
import dev.tilewright.gpu.Nvrtc;
import dev.tilewright.gpu.ReferenceDriver;
import dev.tilewright.ptx.Target;
import dev.tilewright.reference.ReferenceOptions;
import dev.tilewright.verify.CaseTimes;
import dev.tilewright.verify.CheckSummary;
import dev.tilewright.verify.CopyCase;
import dev.tilewright.verify.CopyCases;
import dev.tilewright.verify.JUnitXml;
import dev.tilewright.verify.Verification;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.apache.commons.lang3.StringUtils;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code verify}: the GPU against the reference on random cases, or all that can be checked without one. */
@Command(name = "verify", description = "GPU against reference on random cases; without a GPU, everything else.")
final class VerifyCommand implements Callable<Integer> {
    /** Compiling a kernel costs more than all else that is done for a case. */
    private static final int CASES_OF_A_KERNEL = 4;

    private final Terminal terminal;
    private final PresetCatalog catalog;

    @Mixin
    CommonOptions common;

    @Option(names = "--presets", paramLabel = "GLOB", defaultValue = "*", description = "which presets, default all")
    String presets;

    @Option(names = "--cases", paramLabel = "N", defaultValue = "200",
            description = "random cases, default ${DEFAULT-VALUE}")
    int cases;

    @Option(names = "--seed", paramLabel = "S", defaultValue = "1",
            description = "what they are drawn from, default ${DEFAULT-VALUE}")
    long seed;

    @Option(names = "--junit-xml", paramLabel = "FILE", description = "also write a JUnit report")
    Path junitXml;

    @Option(names = "--json", description = "print one JSON document")
    boolean json;

    /** The document. @param groups each a field of its own. @param cases how many in all */
    @JsonPropertyOrder({"seed", "groups", "cases", "failures"})
    private record Report(long seed, @JsonAnyGetter Map<String, Group> groups, int cases,
            List<CheckSummary.Entry> failures) {

        /** How many ended so. */
        record Group(long passed, long failed, long skipped) {
        }

        static Report of(long seed, CheckSummary summary, Set<String> names) {
            Map<String, Group> groups = new LinkedHashMap<>();
            names.forEach(name -> groups.put(name, new Group(summary.count(name, CheckSummary.Outcome.PASSED),
                    summary.count(name, CheckSummary.Outcome.FAILED),
                    summary.count(name, CheckSummary.Outcome.SKIPPED))));
            return new Report(seed, groups, summary.entries().size(),
                    summary.entries().stream().filter(e -> e.outcome() == CheckSummary.Outcome.FAILED).toList());
        }
    }

    VerifyCommand(Terminal terminal, PresetCatalog catalog) {
        this.terminal = terminal;
        this.catalog = catalog;
    }

    @Override
    public Integer call() {
        if (cases < 0) {
            throw new BadRequestException("--cases must be at least 0, got " + cases);
        }
        if (junitXml != null) {
            TextFile.requirePlace(junitXml);
        }
        List<Preset> chosen = matching(presets);
        List<CopyCase> list = new CopyCases(chosen, seed, CASES_OF_A_KERNEL).next(cases);
        Verification verification = new Verification(this::show);
        Devices devices = Devices.probe();
        if (devices.list().isEmpty()) {
            withoutGpu(verification, chosen, list, devices.why());
        } else {
            try (Driver driver = Drivers.gpu(devices, EmitOptions.BOUNDED, terminal.progress(), terminal::note)) {
                verification.cases(driver.backend().toString(), driver, list);
            }
        }
        verification.recordings(Path.of(System.getProperty("tilewright.root", ".")).resolve("native-tests/recordings"));
        report(verification.summary(), verification.times());
        return verification.summary().count(CheckSummary.Outcome.FAILED) == 0 ? ExitCode.OK : ExitCode.FOUND;
    }

    private void withoutGpu(Verification verification, List<Preset> chosen, List<CopyCase> list, String why) {
        Nvrtc nvrtc = Nvrtc.find(terminal.progress());
        List<Target> known = nvrtc.supportedTargets();
        verification.compile(KernelCompiler.cachingForUser(nvrtc, terminal::note), chosen,
                Target.KNOWN.stream().filter(known::contains).toList());
        List<Driver> references = new ArrayList<>();
        try {
            for (int i = 0; i < Runtime.getRuntime().availableProcessors(); i++) {
                references.add(new ReferenceDriver(ReferenceOptions.DEFAULT.sequential()));
            }
            verification.cases(Backend.REFERENCE.toString(), references, list);
        } finally {
            references.forEach(Driver::close);
        }
        verification.skip("gpu", list, "no GPU: " + why);
    }

    private List<Preset> matching(String glob) {
        if (StringUtils.containsAny(glob, '[', ']', '\\')) {
            throw new BadRequestException("--presets takes a pattern such as 'tensor-*', got '" + glob + "'");
        }
        Wildcard wanted = Wildcard.of(glob);
        List<Preset> chosen = catalog.presets().stream().filter(p -> wanted.matches(p.name())).toList();
        if (chosen.isEmpty()) {
            throw new BadRequestException("no preset matches '" + glob + "': see 'tilewright list'");
        }
        return chosen;
    }

    private void show(CheckSummary.Entry entry) {
        if (entry.outcome() == CheckSummary.Outcome.FAILED) {
            terminal.note("FAILED " + entry.group() + ": " + entry.name() + ": " + entry.detail());
        }
    }

    private void report(CheckSummary summary, CaseTimes times) {
        if (junitXml != null) {
            TextFile.write(junitXml, JUnitXml.of("tilewright.verify", summary));
        }
        Set<String> groups = new LinkedHashSet<>(summary.entries().stream().map(CheckSummary.Entry::group).toList());
        if (json) {
            terminal.json(Report.of(seed, summary, groups));
            return;
        }
        for (String group : groups) {
            String why = summary.entries().stream()
                    .filter(e -> e.group().equals(group) && e.outcome() == CheckSummary.Outcome.SKIPPED)
                    .map(e -> ": " + e.detail()).findFirst().orElse("");
            terminal.result(String.format("%-10s passed %d failed %d skipped %d%s", group,
                    summary.count(group, CheckSummary.Outcome.PASSED),
                    summary.count(group, CheckSummary.Outcome.FAILED),
                    summary.count(group, CheckSummary.Outcome.SKIPPED), why));
        }
        if (times.cases() > 0) {
            terminal.result("time       " + times);
        }
        terminal.result(summary.lastLine());
    }
}
