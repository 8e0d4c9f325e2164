package dev.tilewright.hazard.report;

import dev.tilewright.hazard.Access;
import dev.tilewright.hazard.Finding;
import dev.tilewright.hazard.HazardCode;
import dev.tilewright.hazard.Place;
import dev.tilewright.hazard.async.CopyCompletion;
import dev.tilewright.hazard.order.ThreadClock;
import dev.tilewright.hazard.shadow.ShadowAccess;
import dev.tilewright.program.SharedRegion;
import dev.tilewright.program.StepNumbers;
import dev.tilewright.program.TileProgram;
import dev.tilewright.reference.ExecutionObserver;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntUnaryOperator;

/** Collects findings, each pair of steps once, and knows the names of steps and bytes. */
public final class Findings {
    private record Key(HazardCode code, int step, int other) {
    }

    /** @param undecided the copy that it is about, if it is not known yet whether anybody waits for it at all; else null */
    private record Draft(HazardCode code, int step, int block, Place place, Access access, Access before, String what,
            String wanted,
            String fix, CopyCompletion undecided) {
    }

    private final TileProgram program;
    private final StepNumbers steps;
    private final IntUnaryOperator lineOf;
    private final int most;
    private final Map<Key, Draft> drafts = new LinkedHashMap<>();
    /** Steps whose copies somebody has waited for, in some group. */
    private final Set<Integer> waitedFor = new HashSet<>();

    public Findings(TileProgram program, IntUnaryOperator lineOf, int most) {
        this.program = program;
        this.steps = new StepNumbers(program);
        this.lineOf = lineOf;
        this.most = most;
    }

    public boolean has(HazardCode code, int step, int other) {
        return drafts.size() >= most || drafts.containsKey(new Key(code, step, other));
    }

    public boolean isEmpty() {
        return drafts.isEmpty();
    }

    public boolean hasCode(HazardCode code) {
        return drafts.keySet().stream().anyMatch(k -> k.code == code);
    }

    /** Whether a finding names this step already. */
    public boolean hasAbout(int step) {
        return drafts.size() >= most || drafts.keySet().stream().anyMatch(k -> k.step == step || k.other == step);
    }

    public void waitedFor(int step) {
        waitedFor.add(step);
    }

    /** @param before null for none @param undecided null unless the code depends on whether the copy is ever waited for */
    public void add(HazardCode code, int step, int block, Place place, Access access, Access before, String what, String wanted,
            String fix,
            CopyCompletion undecided) {
        Key key = new Key(code, step, before == null ? 0 : before.step());
        if (drafts.size() < most) {
            drafts.putIfAbsent(key, new Draft(code, step, block, place, access, before, what, wanted, fix, undecided));
        }
    }

    public List<Finding> all() {
        return drafts.values().stream().map(d -> finding(d, d.undecided != null && !waitedFor.contains(d.undecided.step)
                ? HazardCode.GROUP_NEVER_WAITED : d.code)).toList();
    }

    private Finding finding(Draft d, HazardCode code) {
        // What happened mostly says where; a step at fault that is neither side of it comes first.
        boolean said = d.access != null && d.access.step() == d.step;
        String where = said ? "" : d.step == 0 ? "block " + d.block + ": " : "step " + d.step + " ('" + purpose(d.step) + "'"
                + (line(d.step) > 0 ? ", line " + line(d.step) : "") + ") of block " + d.block + ": ";
        String message = code + ": " + where + d.what + (d.wanted.isEmpty() ? "" : "; " + d.wanted) + (d.fix.isEmpty() ? ""
                : "; " + d.fix);
        return new Finding(code, d.step, purpose(d.step), line(d.step), d.block, Optional.ofNullable(d.place),
                Optional.ofNullable(d.access), Optional.ofNullable(d.before), d.wanted, d.fix, message);
    }

    public Access access(ShadowAccess t) {
        return access(t.step, t.actor, t.verb());
    }

    public Access access(int step, ThreadClock actor, String kind) {
        return new Access(step, purpose(step), line(step), actor.block, actor.thread, kind);
    }

    public String purpose(int step) {
        return step == 0 ? "end of the kernel" : steps.step(step).purpose();
    }

    private int line(int step) {
        return step == 0 ? 0 : lineOf.applyAsInt(step);
    }

    /** Bytes of shared memory by the name of their region. */
    public Place shared(int owner, int address, long bytes) {
        Map<String, Integer> offsets = program.shared().offsets();
        for (SharedRegion region : program.shared().regions()) {
            int start = offsets.get(region.name());
            if (address >= start && address < start + region.bytes()) {
                return new Place(true, owner, region.name(), address - start, bytes);
            }
        }
        return new Place(true, owner, "shared memory", address, bytes);
    }

    public static Place global(ExecutionObserver.Allocation piece, long offset, long bytes) {
        return new Place(false, 0, piece.name(), offset, bytes);
    }
}
