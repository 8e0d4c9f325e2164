package dev.tilewright.hazard.report;

import dev.tilewright.hazard.Access;
import dev.tilewright.hazard.HazardCode;
import dev.tilewright.hazard.order.ThreadClock;
import dev.tilewright.hazard.shadow.ByteRange;
import dev.tilewright.hazard.shadow.ShadowAccess;
import dev.tilewright.ptx.Scope;
import java.util.Locale;

/** What is said of tensor maps in global memory whose changes are not made known as they must be. */
public record MapFindings(ProgramNames names) {
    private static final String ACQUIRE =
            "let a thread of the block acquire the map (fence.proxy.tensormap, acquire) before the use";

    /** What a thread does with a map: uses, acquires or releases it. */
    public record MapStep(ThreadClock thread, int step) { }

    /** A block uses a map that came with the launch, and has not acquired it. */
    public Draft neverAcquired(MapStep use, ByteRange map) {
        Access uses = uses(use);
        return new Draft(HazardCode.MAP_CHANGE_NOT_FENCED, uses)
                .on(names.place(map))
                .says(uses + " the tensor map in " + names.place(map)
                        + ", and no thread of the block has acquired it before")
                .wants("a map in global memory may have been another one when the multiprocessor saw it last")
                .fixedBy(ACQUIRE);
    }

    public Draft notReleased(MapStep use, ShadowAccess change, ByteRange map) {
        return of(use, use, change, map, "no thread has released the change that would be ordered after it",
                "after the writes, release them (fence.proxy.tensormap, release), or publish the map with"
                        + " tensormap.cp_fenceproxy");
    }

    public Draft notAcquired(MapStep use, ShadowAccess change, MapStep release, ByteRange map) {
        return of(use, use, change, map, releases(release)
                + " it, and no thread of the block has acquired the map since", ACQUIRE);
    }

    public Draft acquireNotOrdered(MapStep use, ShadowAccess change, MapStep release, MapStep acquire, ByteRange map) {
        return of(use, acquire, change, map, names.access(acquire.step, acquire.thread, "acquires")
                + " the map, and nothing orders that after the release in " + releasedIn(release),
                "put __syncthreads(), an mbarrier, or a value that is stored with release and loaded with"
                        + " acquire between the two");
    }

    public Draft useNotOrdered(MapStep use, ShadowAccess change, MapStep acquire, ByteRange map) {
        return of(use, use, change, map, names.access(acquire.step, acquire.thread, "acquires")
                + " the map, and nothing orders the use after that",
                "acquire it in the thread that uses it, or let that thread wait for the other one");
    }

    public Draft scopeTooSmall(MapStep use, ShadowAccess change, MapStep at, Scope scope, boolean releases,
            ByteRange map) {
        return of(use, at, change, map, names.location(at.step) + (releases ? " releases" : " acquires")
                + " it for scope " + scope.name().toLowerCase(Locale.ROOT)
                + ", which does not include the other thread",
                "give that fence the scope gpu");
    }

    /** A map is changed while a copy may still read it. */
    public Draft changedInUse(Race race) {
        Access copy = names.access(race.before().step(), race.before().thread(), "started");
        Access changes = names.access(race.now());
        return new Draft(HazardCode.MAP_CHANGE_NOT_FENCED, changes)
                .on(names.place(race.bytes())).against(copy)
                .says(changes + " " + names.place(race.bytes())
                        + ", which are of the tensor map of a copy that " + copy)
                .wants("nothing waits until that copy is over")
                .fixedBy("wait for the copies through the map before it is changed");
    }

    private Access uses(MapStep use) {
        return names.access(use.step, use.thread, "uses");
    }

    private String releases(MapStep release) {
        return names.access(release.step, release.thread, "releases").toString();
    }

    private String releasedIn(MapStep release) {
        return names.location(release.step) + " of thread " + release.thread.thread() + " of block "
                + release.thread.block();
    }

    private Draft of(MapStep use, MapStep fault, ShadowAccess change, ByteRange map, String wanted, String fix) {
        Access uses = uses(use);
        Access before = names.access(change);
        return new Draft(HazardCode.MAP_CHANGE_NOT_FENCED, names.location(fault.step), fault.thread.block())
                .on(names.place(map)).by(uses).against(before)
                .says((fault.step == use.step ? "" : names.at(fault.step, fault.thread.block())) + uses
                        + " the tensor map in " + names.place(map) + ", and " + before + " it")
                .wants(wanted).fixedBy(fix);
    }
}
