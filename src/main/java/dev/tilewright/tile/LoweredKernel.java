package dev.tilewright.tile;

import dev.tilewright.NotNull;
import dev.tilewright.builder.Schedule;
import dev.tilewright.program.TileProgram;
import dev.tilewright.ptx.Target;
import dev.tilewright.tuning.TunedTiles;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * A kernel's program for a target: the level below tiles, with what each pass chose on the way.
 *
 * @param program which thread does what, when
 * @param target what it may use
 * @param schedule what was said of how it is made
 * @param extents that it is made for, by dimension; all others are the launch's
 * @param decisions of the passes, in their order
 * @param measured schedules that were found fastest on GPUs of this target, each with the launch it was found for:
 *     where no schedule is said, launches on such a GPU go by them
 * @param signature what decides its bits
 */
public record LoweredKernel(TileProgram program, Target target, Schedule schedule, Map<String, Long> extents,
        List<Decision> decisions, List<TunedTiles> measured, Signature signature) {
    public LoweredKernel {
        NotNull.all("program, target, schedule, extents, decisions, measured, signature", program, target, schedule,
                extents, decisions, measured, signature);
        extents = Collections.unmodifiableMap(new TreeMap<>(NotNull.entries("extents", extents)));
        decisions = List.copyOf(decisions);
        measured = List.copyOf(measured);
    }

    /** For people: what each pass chose and why, and the signature. */
    public List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add("tile kernel " + program.name() + " for " + target + ", schedule " + schedule
                + (extents.isEmpty() ? "" : ", for " + extents.toString().replaceAll("[{}]", "")));
        for (Decision.Pass pass : Decision.Pass.values()) {
            String name = String.format("%-10s", pass.name().toLowerCase(Locale.ROOT));
            for (Decision decision : decisions) {
                if (decision.pass() == pass) {
                    lines.add(name + decision);
                    name = " ".repeat(name.length());
                }
            }
        }
        String name = "measured  ";
        for (String line : measurements()) {
            lines.add(name + line);
            name = " ".repeat(name.length());
        }
        lines.add("signature " + signature.hash());
        signature.text().lines().forEach(line -> lines.add("          " + line));
        return lines;
    }

    /** For each GPU a line of launches whose fastest schedule is the lowering's choice, and one of the others. */
    private List<String> measurements() {
        Map<String, List<String>> lines = new LinkedHashMap<>();
        for (TunedTiles one : measured) {
            String where = "on " + one.gpu() + ", " + one.date() + ": ";
            if (one.schedule().equals(Schedule.DEFAULT)) {
                lines.computeIfAbsent(where + "no schedule beats the lowering's choice for ", _ -> new ArrayList<>())
                        .add(one.extentsText());
            } else {
                lines.computeIfAbsent(where + "faster than the lowering's choice: ", _ -> new ArrayList<>())
                        .add(String.format(Locale.ROOT, "%s with %s, %.3f times", one.extentsText(), one.schedule(),
                                one.ratioToDefault()));
            }
        }
        return lines.entrySet().stream().map(line -> line.getKey() + String.join("; ", line.getValue())).toList();
    }

    /** The {@link #lines}. */
    @Override
    public String toString() {
        return String.join("\n", lines());
    }
}
