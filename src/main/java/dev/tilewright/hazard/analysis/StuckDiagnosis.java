package dev.tilewright.hazard.analysis;

import dev.tilewright.hazard.analysis.WaitGraph.Awaited;
import dev.tilewright.hazard.analysis.WaitGraph.Node;
import dev.tilewright.hazard.async.Barrier;
import dev.tilewright.hazard.order.ThreadClock;
import dev.tilewright.hazard.report.BarrierFindings;
import dev.tilewright.hazard.report.Draft;
import dev.tilewright.hazard.report.FindingSet;
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
    private final FindingSet findings;
    private final StuckFindings words;
    private final WaitGraph graph;
    private final MissingArrivals arrivals;
    private final MissingBytes bytes;
    private final WaitRings rings;

    StuckDiagnosis(TileProgram program, RunState run, PhaseBytesCheck phaseBytes, FindingSet findings,
            BarrierFindings ofBarriers) {
        this.findings = findings;
        this.words = new StuckFindings(findings.names());
        this.graph = new WaitGraph(program, run);
        this.arrivals = new MissingArrivals(graph, words, ofBarriers);
        this.bytes = new MissingBytes(run, graph.steps, phaseBytes, ofBarriers);
        this.rings = new WaitRings(graph, arrivals, words);
    }

    /** Says what is wrong. @return whether anything was found */
    boolean explain() {
        boolean explained = false;
        for (Node root : graph.roots()) {
            explained |= findings.add(root(root));
        }
        for (List<Node> ring : graph.rings()) {
            explained |= findings.add(ring(ring));
        }
        return explained;
    }

    /** What is wrong where threads wait for something that no thread brings about; null for nothing. */
    private Draft root(Node node) {
        Waiting waiting = node.waiting();
        int guard = graph.flow.guardAround(waiting.step());
        return switch (node.awaited) {
            case Awaited.Phase(Barrier b) -> b.pendingArrivals() > 0 ? arrivals.missing(node, b)
                    : b.pendingArrivals() == 0 ? bytes.of(node.first().cluster, b) : null;
            case Awaited.Sync _ -> words.blockNeverMeets(waiting, ended(node), guard);
            case Awaited.Warp _ -> words.warpNeverMeets(waiting, guard);
            case Awaited.Named(int block, int barrier, int step) -> {
                OptionalLong threads = graph.threadsAt(step, node.first());
                yield words.tooFewCome(waiting, barrier, threads,
                        node.first().cluster.block(block).named(barrier).came(), graph.forOthers(barrier, threads),
                        guard);
            }
            case Awaited.ClusterBarrier _ -> words.clusterNeverMeets(waiting, guard);
            case Awaited.Value(int step) -> rings.valueNeverComes(node, step);
        };
    }

    /** Threads that have ended, of the block of those who wait. */
    private static List<ThreadClock> ended(Node node) {
        CheckedThread first = node.first();
        return WaitGraph.clocks(first.cluster.threads().stream()
                .filter(t -> t.exited && t.block() == first.block()).toList());
    }

    private Draft ring(List<Node> ring) {
        Node first = ring.getFirst();
        Draft wrong = rings.ring(ring);
        return wrong == null && ring.size() == 1 && first.awaited instanceof Awaited.Phase(Barrier b)
                ? bytes.of(first.first().cluster, b) : wrong;
    }
}
