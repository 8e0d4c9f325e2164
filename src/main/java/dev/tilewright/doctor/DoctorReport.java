package dev.tilewright.doctor;

import dev.tilewright.doctor.examination.Examinations;
import dev.tilewright.doctor.examination.Grade;
import dev.tilewright.doctor.examination.Notice;
import dev.tilewright.doctor.machine.ComputeMode;
import dev.tilewright.doctor.machine.CudaDevice;
import dev.tilewright.doctor.machine.HostFacts;
import dev.tilewright.doctor.need.Answer;
import dev.tilewright.doctor.need.Needs;
import dev.tilewright.ptx.Target;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What can be said of a machine: the document that {@code doctor --json} prints.
 *
 * @param format what kind of document this is, with the number of its version: fields are added to it, and none changes
 *     or goes, while the number stays
 * @param verdict the worst of the findings'
 * @param findings what there is to say, in the order of the report
 * @param needs what was needed, and whether it is there
 * @param machine the facts
 * @param summary what the machine can do and what it cannot, and why: the closing line of the report
 */
public record DoctorReport(String format, Grade verdict, List<Notice> findings, List<Answer> needs, HostFacts machine,
        String summary) {

    private static final String FORMAT = "tilewright doctor 1";
    /** Lines that say why no kernel runs on a GPU: their subjects, without the number of a device. */
    private static final Set<String> LAUNCHING = Set.of("driver", "cuInit", "gpu", "mode");
    private static final Set<String> COMPILING = Set.of("nvrtc");

    public DoctorReport {
        findings = List.copyOf(findings);
        needs = List.copyOf(needs);
    }

    /** Examines a machine. */
    public static DoctorReport of(HostFacts machine, Needs needs) {
        List<Notice> findings = Examinations.of(machine);
        Grade worst = findings.stream().map(Notice::verdict).max(Comparator.naturalOrder()).orElse(Grade.OK);
        return new DoctorReport(FORMAT, worst, findings, needs.of(machine), machine, summary(machine, findings));
    }

    /** The needs that are not met, in one sentence, those for one reason together; empty if all are. */
    public String unmet() {
        Map<String, List<String>> byReason = needs.stream().filter(a -> !a.met())
                .collect(Collectors.groupingBy(Answer::why, LinkedHashMap::new,
                Collectors.mapping(Answer::need, Collectors.toList())));
        return byReason.entrySet().stream().map(e -> String.join(" and ", e.getValue())
                + (e.getValue().size() == 1 ? " is" : " are") + " needed, and " + e.getKey())
                .collect(Collectors.joining("; "));
    }

    /** What it can do and what it cannot, and why. @param findings from what everything needs to what only some do */
    private static String summary(HostFacts machine, List<Notice> findings) {
        List<String> gpus = machine.gpus().stream().filter(DoctorReport::takesLaunches).map(d -> "gpu " + d.ordinal())
                .toList();
        boolean compiles = machine.nvrtc().isReady();
        String launches = gpus.isEmpty() ? "launches none on a GPU: " + reason(LAUNCHING, findings)
                : "launches them on " + String.join(", ", gpus) + (compiles ? "" : " once NVRTC is there");
        return (compiles ? "compiles for " + machine.nvrtc().targets().size() + " targets and runs kernels on the CPU"
                : "runs kernels on the CPU; compiles none yet: " + reason(COMPILING, findings)) + "; " + launches;
    }

    private static boolean takesLaunches(CudaDevice device) {
        return Target.of(device.major(), device.minor()).supports(Target.SM_80)
                && device.computeMode() != ComputeMode.PROHIBITED;
    }

    /** The first lack, or what is broken, with its line's subject; the driver's facts name it themselves. */
    private static String reason(Set<String> subjects, List<Notice> findings) {
        Notice first = findings.stream().filter(f -> f.verdict().compareTo(Grade.LACK) >= 0
                && subjects.contains(f.subject().split(" ")[0])).findFirst().orElseThrow();
        return (first.subject().equals("driver") ? "" : first.subject() + ": ") + first.fact();
    }
}
