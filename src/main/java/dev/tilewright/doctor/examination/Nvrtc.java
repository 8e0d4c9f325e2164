package dev.tilewright.doctor.examination;

import dev.tilewright.doctor.machine.Machine;
import dev.tilewright.doctor.machine.NvrtcFacts;
import java.util.List;

/** Which NVRTC is taken, and what it compiles for. */
final class Nvrtc implements Examination {
    private static final String SUBJECT = "nvrtc";

    @Override
    public List<Finding> of(Machine machine) {
        NvrtcFacts nvrtc = machine.nvrtc();
        if (nvrtc.file().isEmpty()) {
            return List.of(absent(machine));
        }
        String fact = nvrtc.version() + ", " + nvrtc.file() + " (" + nvrtc.rule() + ")";
        if (!nvrtc.isReady()) {
            return List.of(Finding.broken(SUBJECT, fact + ": " + nvrtc.problem(), machine.libraries().noexec()
                    && nvrtc.file().startsWith(machine.libraries().folder())
                    ? "its file system is mounted noexec: set XDG_CACHE_HOME to a folder on another"
                    : "set TILEWRIGHT_NVRTC to another, or to 'embedded' for the copy from Maven Central"));
        }
        return List.of(Finding.ok(SUBJECT, fact), Finding.ok("targets", String.join(" ", nvrtc.targets())));
    }

    private static Finding absent(Machine machine) {
        NvrtcFacts nvrtc = machine.nvrtc();
        if (!nvrtc.problem().isEmpty()) {
            return Finding.broken(SUBJECT, nvrtc.problem(),
                    "correct the setting, or unset it to have one found or fetched");
        }
        if (machine.libraries().noexec()) {
            return Finding.broken(SUBJECT, "none is installed, and the one that the first compilation would fetch "
                    + "could not be loaded from " + machine.libraries().folder() + ", which is mounted noexec",
                    "set XDG_CACHE_HOME to a folder on another file system, or TILEWRIGHT_NVRTC to a libnvrtc.so");
        }
        return Finding.lack(SUBJECT, "none in " + nvrtc.passedOver()
                .size() + " places that were looked at (--debug lists them)",
                "the first compilation fetches a copy from Maven Central (once per user); or set TILEWRIGHT_NVRTC to a"
                + " libnvrtc.so");
    }
}
