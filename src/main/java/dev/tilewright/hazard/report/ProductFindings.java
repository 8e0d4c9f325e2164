package dev.tilewright.hazard.report;

import dev.tilewright.Counted;
import dev.tilewright.hazard.Access;
import dev.tilewright.hazard.HazardCode;
import dev.tilewright.hazard.async.CopyCompletion.Kind;
import dev.tilewright.hazard.order.ThreadClock;
import dev.tilewright.hazard.shadow.ByteRange;
import dev.tilewright.hazard.shadow.ShadowAccess;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.program.expression.Register;

/** What is said of registers that products of a warpgroup take. */
public record ProductFindings(ProgramNames names) {
    private static final String OWN = "from its start until its group is waited for, a product's registers are its own";

    /** The first product of a kernel has no fence before it. */
    public Draft neverFenced(ThreadClock thread, int step) {
        Access starts = names.access(step, thread, "starts a product");
        return new Draft(HazardCode.WGMMA_NOT_FENCED, starts)
                .says(starts + ", the first of its warpgroup, and no wgmma.fence comes before it")
                .wants("a warpgroup's first product comes after a wgmma.fence")
                .fixedBy("put wgmma.fence before it");
    }

    /** @param use the last step that used registers since the last fence */
    public Draft notFenced(ThreadClock thread, int step, Register register, int use) {
        Access starts = names.access(step, thread, "starts a product");
        Access uses = names.access(use, thread, "uses");
        return new Draft(HazardCode.WGMMA_NOT_FENCED, starts).against(uses)
                .says(starts + " that takes '" + register.name() + "', which " + names.location(use)
                        + " has used since the last wgmma.fence")
                .wants("a wgmma.fence must lie between another use of a product's registers and the product")
                .fixedBy("put wgmma.fence before step " + step);
    }

    /** A wait in a loop lies between a fence and the product that it is for. */
    public Draft waitBehindFence(ThreadClock thread, int fence, int wait, int product) {
        Access starts = names.access(product, thread, "starts a product");
        Access waits = names.access(wait, thread, "waits");
        return new Draft(HazardCode.WGMMA_FENCE_TOO_EARLY, names.location(fence), thread.block()).by(starts)
                .against(waits)
                .says(names.at(fence, thread.block()) + "the fence comes before " + names.location(wait)
                        + ", which waits in a loop, and " + starts + " behind that")
                .wants("ptxas does not take a fence before a loop for one of the product, and puts another one in"
                        + " (its remark C7519)")
                .fixedBy("put wgmma.fence after the wait, right before the product");
    }

    /** @param commit the step that has closed the product's group; 0 for none */
    public Draft inFlight(ThreadClock thread, int step, Register register, boolean writes, int product, int commit) {
        Draft draft = draft(HazardCode.REGISTERS_IN_FLIGHT, step, thread, step, register, writes, product);
        return draft.wants(OWN + ", and nothing waits between the two")
                .fixedBy((commit == 0 ? "commit the product's group and wait for it"
                        : "wait for the product's group, which step " + commit + " closes")
                        + ", with wgmma.wait_group 0, before step " + step)
                .because(commit == 0 ? Cause.notCommitted(Kind.WGMMA_GROUP) : Cause.notWaitedFor(commit));
    }

    public Draft notCommitted(ThreadClock thread, int step, Register register, boolean writes, int product, int wait) {
        Draft draft = draft(HazardCode.GROUP_NOT_COMMITTED, product, thread, step, register, writes, product);
        return draft.wants("no commit has closed the product's group, so that step " + wait
                + " does not wait for it").fixedBy("put wgmma.commit_group after the product and before that wait")
                .because(Cause.notCommitted(Kind.WGMMA_GROUP));
    }

    public Draft waitTooShallow(ThreadClock thread, int step, Register register, boolean writes, int product, int wait,
            int pending) {
        Draft draft = draft(HazardCode.WAIT_TOO_SHALLOW, wait, thread, step, register, writes, product);
        return draft.wants("step " + wait + " leaves " + Counted.of(pending, "group")
                        + " in flight, the product's among them")
                .fixedBy("let that wait leave fewer groups pending, or wait once more")
                .because(Cause.tooShallow(wait));
    }

    /**
     * A product reads a matrix with another swizzle than that with which a tensor copy has brought it.
     *
     * @param as the descriptor's @param brought the map's
     */
    public Draft otherSwizzle(ThreadClock thread, int step, ByteRange bytes, Swizzle as, ShadowAccess copy,
            Swizzle brought) {
        Access reads = names.access(step, thread, "reads");
        Access brings = names.access(copy.step(), copy.thread(), "brought");
        return new Draft(HazardCode.SWIZZLE_MISMATCH, reads).on(names.place(bytes)).against(brings)
                .says(reads + " " + names.place(bytes) + " as part of a matrix " + with(as) + ", and " + brings
                        + " them " + with(brought))
                .wants("each element lies where the copy's tensor map says, and is looked for where the matrix "
                        + "descriptor says")
                .fixedBy("give the tensor map and the MatrixTile the same swizzle");
    }

    private static String with(Swizzle swizzle) {
        return swizzle == Swizzle.NONE ? "without a swizzle" : "with the swizzle of " + swizzle.span() + " bytes";
    }

    private Draft draft(HazardCode code, int at, ThreadClock thread, int step, Register register, boolean writes,
            int product) {
        Access uses = names.access(step, thread, writes ? "writes" : "reads");
        Access starts = names.access(product, thread, "starts a product");
        return new Draft(code, names.location(at), thread.block()).by(uses).against(starts)
                .says(uses + " '" + register.name() + "', which the product of " + names.location(product)
                        + " may still be " + (writes ? "using" : "writing"));
    }
}
