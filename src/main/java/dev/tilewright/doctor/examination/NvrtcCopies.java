package dev.tilewright.doctor.examination;

import dev.tilewright.doctor.machine.Machine;
import dev.tilewright.doctor.machine.NvrtcFacts.Copy;
import dev.tilewright.doctor.machine.NvrtcFacts;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** NVRTC that is there more than once, in different versions, and NVRTC that was passed over for a fault. */
final class NvrtcCopies implements Examination {
    private static final String SUBJECT = "nvrtcs";

    @Override
    public List<Finding> of(Machine machine) {
        NvrtcFacts nvrtc = machine.nvrtc();
        List<Finding> findings = new ArrayList<>();
        if (nvrtc.copies().stream().map(Copy::version).distinct().count() > 1) {
            String all = nvrtc.copies().stream().map(c -> (c.version().isEmpty() ? "unknown" : c.version()) + " "
                    + c.file() + " (" + c.rule() + ")").collect(Collectors.joining(", "));
            findings.add(Finding.note(SUBJECT, "several versions are here: " + all + (nvrtc.file().isEmpty() ? ""
                    : "; " + nvrtc.version() + " is taken, the first in this order that can be used"),
                    "TILEWRIGHT_NVRTC chooses another"));
        }
        for (String fault : nvrtc.unusable()) {
            findings.add(Finding.note(SUBJECT, "passed over: " + fault, remedy(fault)));
        }
        return findings;
    }

    private static String remedy(String fault) {
        return fault.contains("libnvrtc-builtins") ? "reinstall it: the two files belong together"
                : fault.contains("driver") ? "update the driver to use it" : "mend or remove it";
    }
}
