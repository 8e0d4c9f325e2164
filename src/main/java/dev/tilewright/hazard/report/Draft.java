package dev.tilewright.hazard.report;

import dev.tilewright.hazard.Access;
import dev.tilewright.hazard.Finding;
import dev.tilewright.hazard.HazardCode;
import dev.tilewright.hazard.Place;
import dev.tilewright.hazard.StepLocation;
import dev.tilewright.hazard.async.CopyCompletion;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** A finding before the run is over: what was decided, and its words. */
public final class Draft {
    final HazardCode code;
    final StepLocation location;
    private final int block;
    private Place place;
    private Access access;
    private Access before;
    private String what;
    private String wanted = "";
    private Supplier<String> fix = () -> "";
    private CopyCompletion undecided;
    private Cause cause;
    private boolean ofPhases;

    Draft(HazardCode code, StepLocation location, int block) {
        this.code = code;
        this.location = location;
        this.block = block;
    }

    /** One at the step that came too early. */
    Draft(HazardCode code, Access tooEarly) {
        this(code, tooEarly.location(), tooEarly.block());
        access = tooEarly;
    }

    /** The bytes that it is about. */
    Draft on(Place bytes) {
        place = bytes;
        return this;
    }

    /** What came too early. */
    Draft by(Access tooEarly) {
        access = tooEarly;
        return this;
    }

    /** What that should have waited for. */
    Draft against(Access earlier) {
        before = earlier;
        return this;
    }

    /** What happened. */
    Draft says(String sentence) {
        what = sentence;
        return this;
    }

    /** What should hold, or would have ordered the two. */
    Draft wants(String sentence) {
        wanted = sentence;
        return this;
    }

    /** What to change. */
    Draft fixedBy(String sentence) {
        return fixedBy(() -> sentence);
    }

    /** What to change, as it is known when the run is over. */
    Draft fixedBy(Supplier<String> sentence) {
        fix = sentence;
        return this;
    }

    /** What other findings may come from as well. */
    Draft because(Cause common) {
        cause = common;
        return this;
    }

    /** What it says of phases that begin or end too soon is so as well where a thread does not wait for them. */
    Draft ofPhases() {
        ofPhases = true;
        return this;
    }

    boolean isOfPhases() {
        return ofPhases;
    }

    /** Null for one of its own. */
    Cause cause() {
        return cause;
    }

    /** Where it shows: at the access that came too early. */
    StepLocation shows() {
        return access == null ? location : access.location();
    }

    /** If no thread ever waits for a group with this copy, that is the mistake. */
    Draft unlessNeverWaitedFor(CopyCompletion copy) {
        undecided = copy;
        return this;
    }

    /** Whether it is about two accesses that nothing orders. */
    boolean isOfRaces() {
        return access != null && before != null && place != null;
    }

    /** Whether it is about a copy that is still under way at the end of its thread. */
    boolean isOfEnd() {
        return code == HazardCode.EXIT_IN_FLIGHT && undecided != null;
    }

    /** Whether one of its two accesses is in this step. */
    boolean isAbout(int step) {
        return access != null && access.step() == step || otherStep() == step;
    }

    int otherStep() {
        return before == null ? 0 : before.step();
    }

    /** @param others steps where the same shows */
    Finding finding(Set<Integer> waitedFor, List<StepLocation> others) {
        HazardCode decided = undecided != null && !waitedFor.contains(undecided.step()) ? HazardCode.GROUP_NEVER_WAITED
                : code;
        String change = fix.get();
        String message = decided + ": " + what + (wanted.isEmpty() ? "" : "; " + wanted)
                + (change.isEmpty() ? "" : "; " + change) + (others.isEmpty() ? "" : "; the same shows in "
                + (others.size() == 1 ? "step " : others.size() + " more steps: ")
                + others.stream().map(o -> Integer.toString(o.step())).collect(Collectors.joining(", ")));
        return new Finding(decided, location, block, Optional.ofNullable(place), Optional.ofNullable(access),
                Optional.ofNullable(before), wanted, change, message, others);
    }
}
