package dev.tilewright.hazard.explore;

import dev.tilewright.hazard.explore.ThreadState.Cluster;
import dev.tilewright.program.Operation;
import dev.tilewright.ptx.cluster.BarrierClusterArrive;
import dev.tilewright.ptx.cluster.BarrierClusterWait;
import dev.tilewright.ptx.cluster.ClusterInstruction;
import dev.tilewright.ptx.cluster.Griddepcontrol;
import dev.tilewright.ptx.cluster.Mapa;

/** The barrier of a cluster, which threads that have ended are no part of, and addresses in other blocks. */
record Clusters(World w) {
    void perform(ThreadState t, Operation.Issue issue, ClusterInstruction instruction) {
        switch (instruction) {
            case BarrierClusterArrive a -> arrive(t, a);
            case BarrierClusterWait _ -> {
                if (t.cluster != Cluster.PASSED) {
                    throw new Ending("barrier.cluster.wait without an arrival");
                }
                t.cluster = Cluster.AWAY;
                t.view.join(w.met[w.cluster(t.number)]);
            }
            case Mapa(boolean shared, boolean wide) when shared && !wide -> {
                Places places = new Places(w, t);
                Eval eval = new Eval(w, t);
                int rank = (int) eval.of(issue, "cta");
                new Machine(w, null, null).set(t, issue.results().getFirst(),
                        places.mapped(places.of(issue, "address"), rank));
            }
            // No other grid is run before this one, or after it.
            case Griddepcontrol _ -> { }
            default -> throw new Unsupported(instruction.opcode());
        }
    }

    private void arrive(ThreadState t, BarrierClusterArrive arrive) {
        if (t.cluster != Cluster.AWAY) {
            throw new Ending("two arrivals at the cluster's barrier without a wait");
        }
        t.cluster = Cluster.ARRIVED;
        View hands = arrive.order() != BarrierClusterArrive.Order.RELAXED ? t.view : t.initialised;
        if (hands != null) {
            w.arriving[w.cluster(t.number)].join(hands);
        }
        if (arrive.order() == BarrierClusterArrive.Order.RELAXED && t.released[1] != null) {
            w.arriving[w.cluster(t.number)].join(t.released[1]);
        }
        complete(w.cluster(t.number));
    }

    void left(ThreadState t) {
        complete(w.cluster(t.number));
    }

    private void complete(int cluster) {
        boolean any = false;
        for (ThreadState t : w.threads) {
            if (w.cluster(t.number) == cluster && !t.finished) {
                if (t.cluster != Cluster.ARRIVED) {
                    return;
                }
                any = true;
            }
        }
        if (any) {
            w.met[cluster].join(w.arriving[cluster]);
            w.arriving[cluster] = w.launched.view();
            for (ThreadState t : w.threads) {
                if (w.cluster(t.number) == cluster && !t.finished) {
                    t.cluster = Cluster.PASSED;
                }
            }
        }
    }
}
