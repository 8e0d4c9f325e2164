package dev.tilewright.reference.state;

import dev.tilewright.reference.fault.Fault;
import dev.tilewright.reference.fault.ReferenceException.Kind;
import dev.tilewright.reference.state.ThreadState.Status;

/**
 * The barrier of a cluster: it opens when every thread of the cluster that has not exited has arrived. A thread
 * arrives, may do other things, and waits before it arrives again. Source: PTX ISA, "barrier.cluster".
 */
public final class ClusterBarrier {
    private final ClusterState cluster;
    /** Arrivals since it last opened, of threads that have not exited. */
    private int arrived;
    private long opened;

    public ClusterBarrier(ClusterState cluster) {
        this.cluster = cluster;
    }

    public void restart() {
        arrived = 0;
        opened = 0;
    }

    public void arrive(ThreadState t) {
        if (t.clusterArrival != ThreadState.NONE) {
            throw new Fault(Kind.BARRIER_MISUSE, "thread " + t.index + " arrives at the cluster's barrier a second "
                    + "time without having waited for it: each barrier.cluster.arrive needs its barrier.cluster.wait");
        }
        t.clusterArrival = opened;
        arrived++;
        openIfAllAreHere();
    }

    /** @return whether the thread goes on; otherwise it waits here */
    public boolean pass(ThreadState t) {
        if (t.clusterArrival == ThreadState.NONE) {
            throw new Fault(Kind.BARRIER_MISUSE, "thread " + t.index + " waits for the cluster's barrier without "
                    + "having arrived at it: put barrier.cluster.arrive before barrier.cluster.wait");
        }
        if (t.clusterArrival == opened) {
            t.status = Status.AT_CLUSTER;
            return false;
        }
        t.clusterArrival = ThreadState.NONE;
        return true;
    }

    /** A thread ends: no thread waits for it any more. */
    public void exit(ThreadState t) {
        if (t.clusterArrival == opened) {
            arrived--;
        }
        if (arrived > 0) {
            openIfAllAreHere();
        }
    }

    private void openIfAllAreHere() {
        if (arrived < cluster.live()) {
            return;
        }
        arrived = 0;
        opened++;
        for (BlockState block : cluster.blocks()) {
            for (ThreadState t : block.threads()) {
                if (t.status == Status.AT_CLUSTER) {
                    t.status = Status.RUNNABLE;
                }
            }
        }
    }

    /** Whether all threads have met at it, so that every block is known to have started. */
    public boolean hasOpened() {
        return opened > 0;
    }

    /** How often it has opened. */
    public long opened() {
        return opened;
    }

    /** How many threads of the cluster it still waits for. */
    public int missing() {
        return cluster.live() - arrived;
    }
}
