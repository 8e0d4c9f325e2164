package dev.tilewright.cli;

import dev.tilewright.BadRequestException;
import dev.tilewright.MissingRequirementException;
import dev.tilewright.Progress;
import dev.tilewright.gpu.DeviceInfo;
import dev.tilewright.gpu.Devices;
import dev.tilewright.gpu.EncoderChoice;
import dev.tilewright.gpu.Nvrtc;
import dev.tilewright.gpu.cache.KernelCache;
import dev.tilewright.gpu.host.HostEnvironment;
import dev.tilewright.gpu.host.TrustedFolder;
import dev.tilewright.gpu.nvrtc.locate.NvrtcLocator;
import dev.tilewright.gpu.nvrtc.locate.NvrtcRule;
import dev.tilewright.gpu.nvrtc.locate.NvrtcSearch;
import dev.tilewright.ptx.Target;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code doctor}: what this machine can do, and what is missing. */
@Command(name = "doctor", description = "What this machine can do and why not, one line each.")
final class DoctorCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    CommonOptions common;

    @Option(names = "--json", description = "print one JSON document")
    boolean json;

    /** One thing that was looked at; a row of the document. @param remedy what to do about a lack, or empty */
    private record Finding(String subject, boolean there, String what, String remedy) {
    }

    DoctorCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        List<Finding> findings = new ArrayList<>();
        findings.add(new Finding("jdk", true, System.getProperty("java.version") + " ("
                + System.getProperty("java.vendor")
                + "), " + System.getProperty("java.home"), ""));
        devices(findings);
        HostEnvironment environment = HostEnvironment.current();
        nvrtc(findings, environment);
        cache(findings, environment);
        if (json) {
            terminal.json(findings);
        } else {
            for (Finding f : findings) {
                terminal.result(String.format("%-8s %-4s %s%s", f.subject(), f.there() ? "yes" : "no", f.what(),
                        f.remedy().isEmpty() ? "" : " -> " + f.remedy()));
            }
        }
        return ExitCode.OK;
    }

    private static void devices(List<Finding> findings) {
        Devices devices = Devices.probe();
        boolean driver = !devices.driverVersion().isEmpty();
        findings.add(
                new Finding("driver", driver, driver ? "libcuda.so.1, CUDA " + devices.driverVersion() : devices.why(),
                driver ? "" : "install the NVIDIA driver to run on a GPU; everything else works without"));
        if (devices.list().isEmpty() && driver) {
            findings.add(new Finding("gpu", false, devices.why(), "check nvidia-smi"));
        } else if (devices.list().isEmpty()) {
            findings.add(new Finding("gpu", false, "none without a driver",
                    "'run' uses the reference executor instead"));
        }
        for (DeviceInfo d : devices.list()) {
            boolean capable = d.target().supports(Target.SM_80);
            findings.add(new Finding("gpu " + d.ordinal(), capable, d.name() + ", compute capability " + d.major() + "."
                    + d.minor() + ", " + Units.bytes(d.totalMemory()) + ", " + d.multiprocessors()
                    + " multiprocessors, " + Units.bytes(d.sharedMemoryPerBlock()) + " of shared memory per block",
                    !capable ? "presets need compute capability 8.0 or later"
                            : d.target().supports(Target.SM_90)
                            ? "" : "presets on the tensor memory accelerator need 9.0"));
        }
        findings.add(encoder(devices.list()));
    }

    /** What encodes the tensor maps of launches: each GPU has its default, the property is for all. */
    private static Finding encoder(List<DeviceInfo> gpus) {
        String override = System.getProperty(EncoderChoice.PROPERTY);
        String why = override == null ? "the default" : "-D" + EncoderChoice.PROPERTY + "=" + override;
        try {
            String encoders = gpus.stream().filter(d -> d.target().supports(Target.SM_90))
                    .map(d -> EncoderChoice.configured(d.target()).title() + " for gpu " + d.ordinal())
                    .collect(Collectors.joining(", "));
            return new Finding("encoder", true, "tensor maps are encoded by " + (encoders.isEmpty()
                    ? EncoderChoice.configured(Target.SM_90).title() + " for sm_90" : encoders) + " (" + why + ")", "");
        } catch (BadRequestException e) {
            return new Finding("encoder", false, e.getMessage(), "correct it, or leave it out for the default");
        }
    }

    private void nvrtc(List<Finding> findings, HostEnvironment environment) {
        NvrtcSearch search = NvrtcLocator.of(environment).survey();
        if (search.found().isEmpty()) {
            findings.add(missingNvrtc(search));
            return;
        }
        Nvrtc nvrtc = Nvrtc.find(Progress.NONE);
        String what = nvrtc.version() + ", " + nvrtc.file() + " (" + search.found().get().rule() + ")";
        try {
            List<Target> targets = nvrtc.supportedTargets();
            findings.add(new Finding("nvrtc", true, what, ""));
            findings.add(new Finding("targets", true, targets.stream()
                    .filter(t -> t.supports(Target.SM_80))
                    .map(Target::toString).collect(Collectors.joining(" ")), ""));
        } catch (MissingRequirementException | BadRequestException e) {
            findings.add(new Finding("nvrtc", false, what + ": " + e.getMessage(), "set TILEWRIGHT_NVRTC to another"));
        }
    }

    /** A setting that does not work stops everything; otherwise a copy is fetched when it is needed. */
    private Finding missingNvrtc(NvrtcSearch search) {
        String all = search.rejected().stream().map(Object::toString).collect(Collectors.joining("; "));
        boolean set = !search.rejected().isEmpty() && search.rejected().getLast().rule() == NvrtcRule.EXPLICIT_SETTING;
        if (set) {
            return new Finding("nvrtc", false, search.rejected().getLast().reason(),
                    "correct TILEWRIGHT_NVRTC, or unset it to have one found or fetched");
        }
        return new Finding("nvrtc", false, common.debug ? all : "none in " + search.rejected().size()
                + " places that were looked at (--debug lists them)",
                "the first compilation fetches a copy from Maven Central (49 MiB, once per user);"
                        + " or set TILEWRIGHT_NVRTC to a libnvrtc.so");
    }

    private static void cache(List<Finding> findings, HostEnvironment environment) {
        KernelCache cache = KernelCache.ofUser(environment, _ -> { });
        Optional<String> objection = cache.objection();
        if (objection.isPresent()) {
            findings.add(new Finding("cache", false, objection.get() + ": every run compiles its kernel anew",
                    "set TILEWRIGHT_CACHE to a folder of yours"));
            return;
        }
        KernelCache.Stats stats = cache.stats();
        boolean usable = canBeWritten(stats.folder());
        findings.add(new Finding("cache", usable, stats.folder() + (usable ? ": " + stats.entries() + " kernels, "
                + Units.bytes(stats.bytes()) + " of at most " + Units.bytes(stats.limit()) : " cannot be written: "
                + "every run compiles its kernel anew"), usable ? "" : "set TILEWRIGHT_CACHE to a folder of yours"));
    }

    /** Tried, not asked: permissions alone do not tell. */
    private static boolean canBeWritten(Path folder) {
        try {
            TrustedFolder.create(folder);
            Files.delete(Files.createTempFile(folder, "doctor", ".tmp"));
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
