package dev.tilewright.hazard.analysis;

import dev.tilewright.hazard.HazardCode;
import dev.tilewright.hazard.analysis.WaitGraph.Awaited;
import dev.tilewright.hazard.analysis.WaitGraph.Node;
import dev.tilewright.hazard.async.Barrier;
import dev.tilewright.hazard.order.ThreadClock;
import dev.tilewright.hazard.report.BarrierFindings;
import dev.tilewright.hazard.report.StuckFindings.Waiting;
import dev.tilewright.hazard.report.StuckFindings;
import dev.tilewright.program.TileProgram;
import java.util.List;
import java.util.OptionalLong;

/**
 * Why no thread can go on: the {@link WaitGraph} says what is not brought about, and what threads have done before says
 * whose arrival or bytes are missing.
 */
final class StuckDiagnosis {
    private final StuckFindings findings;
    private final WaitGraph graph;
    private final MissingArrivals arrivals;
    private final MissingBytes bytes;
    private final WaitRings rings;

    StuckDiagnosis(TileProgram program, RunState run, PhaseBytesCheck phaseBytes, StuckFindings findings,
            BarrierFindings barrierFindings) {
        this.findings = findings;
        this.graph = new WaitGraph(program, run);
        this.arrivals = new MissingArrivals(graph, findings, barrierFindings);
        this.bytes = new MissingBytes(run, graph.steps, phaseBytes, findings, barrierFindings);
        this.rings = new WaitRings(graph, arrivals, findings);
    }

    /** Says what is wrong. @return whether anything was found */
    boolean explain() {
        boolean explained = false;
        for (Node root : graph.roots()) {
            explained |= root(root);
        }
        for (List<Node> ring : graph.rings()) {
            explained |= ring(ring);
        }
        return explained;
    }

    private boolean root(Node node) {
        Waiting waiting = node.waiting();
        int guard = graph.guard(waiting.step());
        return switch (node.awaited) {
            case Awaited.Phase(Barrier b) -> b.pendingArrivals() > 0 ? findings.say(arrivals.missing(node, b))
                    : b.pendingArrivals() == 0 && bytes.say(node.first().cluster, b);
            case Awaited.Sync _ -> findings.say(findings.neverMeet(HazardCode.DEADLOCK, waiting, "__syncthreads()",
                    ended(node), guard));
            case Awaited.Warp _ -> findings.say(findings.neverMeet(HazardCode.WARP_DIVERGED, waiting,
                    "a step that lanes of a warp perform together", List.of(), guard));
            case Awaited.Named(int block, int barrier, int step) -> {
                OptionalLong threads = graph.threadsAt(step, node.first());
                yield findings.say(findings.tooFewCome(waiting, barrier, threads,
                        node.first().cluster.block(block).named(barrier).came(), graph.forOthers(barrier, threads),
                        guard));
            }
            case Awaited.ClusterBarrier _ -> findings.say(findings.neverMeet(HazardCode.DEADLOCK, waiting,
                    "the cluster's barrier", List.of(), guard));
            case Awaited.Value(int step) -> findings.say(rings.valueNeverComes(node, step));
        };
    }

    /** Threads that have ended, of the block of those who wait. */
    private static List<ThreadClock> ended(Node node) {
        CheckedThread first = node.first();
        return WaitGraph.clocks(first.cluster.threads().stream()
                .filter(t -> t.exited && t.block() == first.block()).toList());
    }

    private boolean ring(List<Node> ring) {
        Node first = ring.getFirst();
        return findings.say(rings.ring(ring)) || ring.size() == 1 && first.awaited instanceof Awaited.Phase(Barrier b)
                && bytes.say(first.first().cluster, b);
    }
}
