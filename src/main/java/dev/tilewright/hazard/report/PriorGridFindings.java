package dev.tilewright.hazard.report;

import dev.tilewright.hazard.Access;
import dev.tilewright.hazard.HazardCode;
import dev.tilewright.hazard.shadow.ByteRange;
import dev.tilewright.hazard.shadow.ShadowAccess;
import dev.tilewright.ptx.cluster.Griddepcontrol;

/**
 * What is said of a grid that touches what the one before it touches, and has not waited for that one.
 *
 * @param prior names of the grid before
 */
public record PriorGridFindings(ProgramNames names, ProgramNames prior) {
    private static final Griddepcontrol WAIT = new Griddepcontrol(Griddepcontrol.Action.WAIT);

    /** @param before what the grid before does to some of the same bytes */
    public Draft notAwaited(ShadowAccess now, ShadowAccess before, ByteRange bytes) {
        Access access = names.access(now);
        Access earlier = prior.access(before);
        int wait = names.firstIssue(WAIT);
        return new Draft(HazardCode.PRIOR_GRID_NOT_AWAITED, access)
                .on(names.place(bytes)).against(earlier)
                .says(access + " " + names.place(bytes) + ", and the kernel before it, '" + prior.kernel()
                        + "', may still be running: there " + earlier + " them")
                .wants(wait == 0 ? "nothing waits for that grid"
                        : "the thread does not come after " + names.location(wait)
                        + ", which waits for that grid")
                .fixedBy(wait == 0 ? "put griddepcontrol.wait before it: Body.waitForPriorGrid()"
                        : "put griddepcontrol.wait before it, in this thread or in one that it comes after");
    }
}
