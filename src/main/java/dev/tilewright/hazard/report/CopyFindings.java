package dev.tilewright.hazard.report;

import dev.tilewright.hazard.Access;
import dev.tilewright.hazard.HazardCode;
import dev.tilewright.hazard.Place;
import dev.tilewright.hazard.async.Barrier;
import dev.tilewright.hazard.async.BarrierUser;
import dev.tilewright.hazard.async.CopyCompletion;
import dev.tilewright.hazard.async.FollowingArrival;
import dev.tilewright.hazard.order.ThreadClock;
import dev.tilewright.hazard.shadow.ByteRange;
import dev.tilewright.hazard.shadow.ShadowAccess;
import dev.tilewright.reference.fault.ReferenceException;

/** What is said of copies by themselves, and of what is still under way when a block ends. */
public record CopyFindings(ProgramNames names) {
    /** @param period what the address should be a multiple of */
    public Draft misplacedBox(ThreadClock thread, int step, int owner, int address, int period) {
        Place place = names.place(new ByteRange(true, owner, address, period));
        Access copies = names.access(step, thread, "copies a swizzled box");
        String at = "shared address " + address + ", byte " + place.offset() + " of '" + place.name() + "'";
        return new Draft(HazardCode.SMEM_MISALIGNED_FOR_SWIZZLE, copies)
                .on(place)
                .says(copies + " that lies at " + at)
                .wants("its address must be a multiple of " + period + ", where the swizzle's pattern begins")
                .fixedBy("align the buffer to " + period + " bytes and put boxes at multiples of that");
    }

    /** A thread ends before a bulk store of its own has read shared memory. */
    public Draft endsBeforeStoreHasRead(CopyCompletion store) {
        Access stores = names.access(store, "starts a bulk store");
        return new Draft(HazardCode.EXIT_IN_FLIGHT, stores)
                .says(stores + ", and ends without having waited until its source has been read")
                .wants("the block's shared memory is gone when the block has ended")
                .fixedBy("wait with cp.async.bulk.wait_group.read 0 before the end");
    }

    /** A thread ends without having waited for a cp.async of its own. */
    public Draft endsBeforeCopy(CopyCompletion copy) {
        Access copies = names.access(copy, "starts a cp.async");
        return new Draft(HazardCode.EXIT_IN_FLIGHT, copies)
                .says(copies + ", and ends without having waited for it")
                .wants("no thread can use what it copies")
                .fixedBy("wait for its group before the end").unlessNeverWaitedFor(copy);
    }

    /** A warp ends without having waited for a product of its warpgroup. */
    public Draft endsBeforeProduct(CopyCompletion product) {
        Access starts = names.access(product, "starts a product");
        return new Draft(HazardCode.EXIT_IN_FLIGHT, starts)
                .says(starts + ", and ends without having waited until it has read shared memory")
                .wants("the block's shared memory is gone when the block has ended")
                .fixedBy("commit it and wait with wgmma.wait_group 0 before the end").unlessNeverWaitedFor(product);
    }

    /** A block ends, and none of its threads knows that a copy into its shared memory is over. */
    public Draft blockEndsBeforeCopy(int block, CopyCompletion copy) {
        Access copies = names.access(copy, "starts a copy");
        return new Draft(HazardCode.EXIT_IN_FLIGHT, copies.location(), block).by(copies)
                .says(copies + " into the shared memory of block " + block
                        + ", which ends without a thread that has waited for it")
                .wants("phase " + copy.phase() + " of barrier " + copy.barrier().name()
                        + " completes when it has landed")
                .fixedBy("wait for that phase before the last thread ends");
    }

    /** A block ends, and none of its threads knows that an arrival that follows copies has come. */
    public Draft blockEndsBeforeArrival(int block, Barrier barrier, FollowingArrival arrival) {
        Access asks = names.access(arrival.step(), arrival.thread(), "lets an arrival follow its copies");
        return new Draft(HazardCode.EXIT_IN_FLIGHT, asks).on(names.place(barrier))
                .says(asks + " at barrier " + barrier.name() + " of block " + block
                        + ", which ends without a thread that has waited for it")
                .wants("it comes some time after the copies, also where their ends are known by something else")
                .fixedBy("wait for phase " + arrival.phase() + " of barrier " + barrier.name()
                        + " before the last thread ends");
    }

    /** A block may end before an access of another one to its shared memory is over. */
    public Draft blockMayEndBefore(int block, ShadowAccess remote) {
        Access access = names.access(remote);
        return new Draft(HazardCode.REMOTE_AFTER_EXIT, access)
                .says(access + " shared memory of block " + block + " of its cluster, which may have ended by then")
                .wants("no thread of that block knows when this is done")
                .fixedBy("let all blocks of the cluster meet at its barrier at the end");
    }

    /** A block may end before another one is done with an mbarrier of it. */
    public Draft blockMayEndBefore(int block, Barrier barrier, BarrierUser remote) {
        Access access = names.access(remote.step(), remote.thread(), remote.what());
        return new Draft(HazardCode.REMOTE_AFTER_EXIT, access)
                .says(access + " at barrier " + barrier.name() + " of block " + block
                        + " of its cluster, which may have ended by then")
                .wants("no thread of that block knows when this is done")
                .fixedBy("let a thread of that block wait for the phase, or all blocks of the cluster meet at its "
                        + "barrier at the end");
    }

    /** The reference finds a copy under way when a block has ended, for which nothing else accounts. */
    public Draft leftInFlight(ReferenceException e) {
        return new Draft(HazardCode.EXIT_IN_FLIGHT, names.location(e.step()), e.block())
                .says(names.at(e.step(), e.block()) + e.sentence());
    }
}
