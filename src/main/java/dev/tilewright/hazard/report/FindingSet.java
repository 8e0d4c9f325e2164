package dev.tilewright.hazard.report;

import dev.tilewright.hazard.Finding;
import dev.tilewright.hazard.HazardCode;
import dev.tilewright.hazard.NotAnalysed;
import dev.tilewright.hazard.StepLocation;
import dev.tilewright.program.TileProgram;
import dev.tilewright.reference.observe.ExecutionObserver;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Collects the findings of one check: each mistake between two steps once, up to a limit. */
public final class FindingSet {
    /** @param cause of which the steps may be wrong without it as well; null for none */
    private record Key(HazardCode code, int step, int otherStep, Cause cause) {
        static Key of(HazardCode code, int step, int otherStep, Cause cause) {
            return new Key(code, step, otherStep, cause != null && cause.isOfOrder() ? cause : null);
        }
    }

    private final ProgramNames names;
    private final int most;
    private final Map<Key, Draft> drafts = new LinkedHashMap<>();
    /** Steps whose copies some thread has waited for, in some group. */
    private final Set<Integer> waitedFor = new HashSet<>();
    /** By their steps. */
    private final Map<Integer, NotAnalysed> notAnalysed = new LinkedHashMap<>();

    /** @param most after this many findings no more are collected */
    public FindingSet(TileProgram program, int most) {
        this.names = new ProgramNames(program);
        this.most = most;
    }

    /** A run begins. @param pieces its pieces of global memory, by their numbers */
    public void runStarts(List<ExecutionObserver.Allocation> pieces) {
        names.namePieces(pieces);
    }

    /** What steps and bytes are known by. */
    public ProgramNames names() {
        return names;
    }

    /** Whether another finding about these steps would not be collected. @param otherStep 0 for none */
    public boolean has(HazardCode code, int step, int otherStep) {
        return has(code, step, otherStep, null);
    }

    /** Whether a finding of this verdict would not be collected. */
    public boolean has(RaceVerdict verdict) {
        return has(verdict.code(), verdict.step(), verdict.race().before().step(), verdict.cause());
    }

    private boolean has(HazardCode code, int step, int otherStep, Cause cause) {
        return drafts.size() >= most || drafts.containsKey(Key.of(code, step, otherStep, cause));
    }

    /** Makes it a finding, unless there is one of its sort at its step. */
    public void addFirst(Draft draft) {
        if (!hasAt(draft.code, draft.location.step())) {
            add(draft);
        }
    }

    /** Whether a finding of this sort has the step at fault, or no more are collected. */
    public boolean hasAt(HazardCode code, int step) {
        return drafts.size() >= most || drafts.keySet().stream().anyMatch(k -> k.code == code && k.step == step);
    }

    /** Makes it a finding, unless there is one of the same steps. @param draft null for none @return whether it is */
    public boolean add(Draft draft) {
        if (draft != null && drafts.size() < most) {
            drafts.putIfAbsent(Key.of(draft.code, draft.location.step(), draft.otherStep(), draft.cause()), draft);
        }
        return draft != null;
    }

    public boolean isEmpty() {
        return drafts.isEmpty();
    }

    /** Whether a finding names this step already, or no more are collected. */
    public boolean hasAbout(int step) {
        return drafts.size() >= most || drafts.keySet().stream().anyMatch(k -> k.step == step || k.otherStep == step);
    }

    /** A thread has waited for the group of a copy that this step starts. */
    public void groupIsWaitedFor(int step) {
        waitedFor.add(step);
    }

    /** A step was come to that the check cannot follow. @param why in a sentence */
    public void notAnalysed(int step, String why) {
        notAnalysed.computeIfAbsent(step, _ -> names.notAnalysed(step, why));
    }

    /** The steps that were not analysed, in the order in which they were come to. */
    public List<NotAnalysed> notAnalysed() {
        return List.copyOf(notAnalysed.values());
    }

    /** All findings, in the order in which they were made; of one cause the first, with the others' steps. */
    public List<Finding> all() {
        Map<Object, List<Draft>> byCause = drafts.values().stream().filter(d -> !isConsequence(d)).collect(
                Collectors.groupingBy(d -> d.cause() == null ? d : d.cause(), LinkedHashMap::new, Collectors.toList()));
        return byCause.values().stream().map(same -> same.getFirst().finding(waitedFor, others(same))).toList();
    }

    /** The steps where it shows as well. */
    private static List<StepLocation> others(List<Draft> same) {
        Draft first = same.getFirst();
        return same.stream().map(Draft::shows)
                .filter(s -> s.step() != first.shows().step() && s.step() != first.location.step())
                .collect(Collectors.toMap(StepLocation::step, s -> s, (a, _) -> a, TreeMap::new)).values().stream()
                .toList();
    }

    /**
     * A read of bytes that nothing has written is a mistake of its own where nothing writes them without order, and so
     * is a copy that is under way at the end where nothing reads what it writes and no arrival lacks after it; a phase
     * that begins or ends too soon is one where no thread is known that does not wait for phases.
     */
    private boolean isConsequence(Draft draft) {
        boolean ofWait = draft.isOfPhases()
                && drafts.values().stream().anyMatch(d -> d.cause() != null && d.cause().disturbsPhases());
        return ofWait || (draft.code == HazardCode.READ_UNWRITTEN || draft.isOfEnd()) && drafts.values().stream()
                .anyMatch(d -> d.code != draft.code && d.isOfRaces() && d.isAbout(draft.location.step()))
                || draft.isOfEnd() && hasAt(HazardCode.WRONG_ARRIVAL_COUNT, draft.location.step());
    }
}
