package dev.tilewright.hazard.analysis;

import dev.tilewright.hazard.analysis.CheckedThread.Stays;
import dev.tilewright.hazard.analysis.WaitGraph.Awaited;
import dev.tilewright.hazard.analysis.WaitGraph.Node;
import dev.tilewright.hazard.async.Barrier;
import dev.tilewright.hazard.flow.BarrierSteps;
import dev.tilewright.hazard.flow.ProgramFlow;
import dev.tilewright.hazard.report.Draft;
import dev.tilewright.hazard.report.StuckFindings.Link;
import dev.tilewright.hazard.report.StuckFindings.Waiting;
import dev.tilewright.hazard.report.StuckFindings;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BiFunction;

/** What is wrong where threads wait for each other in a ring, or for what they are to bring about themselves. */
final class WaitRings {
    private final StuckFindings findings;
    private final MissingArrivals arrivals;
    private final WaitGraph graph;
    private final ProgramFlow flow;
    private final BarrierSteps steps;

    WaitRings(WaitGraph graph, MissingArrivals arrivals, StuckFindings findings) {
        this.findings = findings;
        this.arrivals = arrivals;
        this.graph = graph;
        this.flow = graph.flow;
        this.steps = graph.steps;
    }

    /** What to say of a ring of waits; null where one waits for bytes of its own. */
    Draft ring(List<Node> ring) {
        Draft missing = ofAny(ring, (node, b) -> {
            Draft added = arrivals.onlyAddedArrivals(node, b);
            return added != null ? added : arrivals.lostArrivals(node, b);
        });
        Draft turns = missing != null ? missing : takesTurnsAtTheStart(ring);
        if (turns != null || ring.size() == 1) {
            return turns != null ? turns : waitsForItself(ring.getFirst());
        }
        Draft others = ofAny(ring, arrivals::onlyOthersAreMissing);
        Draft first = others != null ? others : waitsBeforeTheFirst(ring);
        Draft skipped = first != null ? first : ofAny(ring, (node, b) ->
                MissingArrivals.hasSkippedAPhase(node.first(), b) ? arrivals.parityNeverComes(node, b) : null);
        return skipped != null ? skipped : findings.ring(links(ring));
    }

    /** What is said first of a phase that one of them waits for; null for nothing. */
    private static Draft ofAny(List<Node> ring, BiFunction<Node, Barrier, Draft> said) {
        return ring.stream().map(n -> n.awaited instanceof Awaited.Phase(Barrier b) ? said.apply(n, b) : null)
                .filter(Objects::nonNull).findFirst().orElse(null);
    }

    /**
     * What to say if threads wait in one step for the first phases of several mbarriers of one array, at which each is
     * to arrive for another: none has the first turn.
     */
    private Draft takesTurnsAtTheStart(List<Node> ring) {
        Node first = ring.getFirst();
        if (!(first.awaited instanceof Awaited.Phase(Barrier b)) || !isUntouched(b)
                || first.first().blocked.parity() < 0 || steps.at(b.address()) == null) {
            return null;
        }
        int step = first.first().stuck.step();
        List<Node> others = first.reached().stream().filter(n -> n != first).toList();
        if (others.isEmpty() || !others.stream().allMatch(n -> n.awaited instanceof Awaited.Phase(Barrier other)
                && n.first().stuck.step() == step && isUntouched(other) && steps.at(other.address()) != null
                && steps.at(other.address()).region().equals(steps.at(b.address()).region()))) {
            return null;
        }
        List<CheckedThread> suppliers = first.suppliers.stream().filter(t -> !first.waiters.contains(t)).toList();
        int arrival = suppliers.isEmpty() ? 0 : supply(suppliers.getFirst(), b);
        if (arrival == 0) {
            return null;
        }
        return findings.noneHasTheFirstTurn(b, first.waiting(), first.first().blocked.parity(),
                WaitGraph.clocks(suppliers), arrival);
    }

    private static boolean isUntouched(Barrier b) {
        return b.phase() == 0 && b.pendingArrivals() == b.expectedArrivals();
    }

    /** Threads wait for what they are to bring about themselves; null where it lacks bytes. */
    private Draft waitsForItself(Node node) {
        if (node.awaited instanceof Awaited.Value(int step)) {
            return valueNeverComes(node, step);
        }
        if (!(node.awaited instanceof Awaited.Phase(Barrier b))) {
            return findings.ring(links(List.of(node)));
        }
        BarrierSteps.At at = steps.at(b.address());
        List<Integer> arriving = at == null || b.pendingArrivals() <= 0 ? List.of() : steps.arriving(at);
        int wait = node.first().stuck.step();
        for (CheckedThread thread : node.suppliers) {
            for (int step : arriving) {
                if (step > wait && flow.mayStillPerform(graph.values(thread), wait, step)) {
                    return findings.arrivesAfterItsWait(b, new Waiting(WaitGraph.clocks(node.suppliers), wait), step,
                            !flow.needsWhatIsDefinedSince(wait, step));
                }
            }
        }
        return arriving.isEmpty() ? null : arrivals.wentPast(node.waiting(), b, node.suppliers, arriving);
    }

    /** Names the step that stored the value last; if that is unknown, the steps that may store there. */
    Draft valueNeverComes(Node node, int step) {
        Stays stays = node.first().stays;
        if (stays == null || stays.stored() == null) {
            return findings.valueNeverComes(node.waiting(), graph.writers(step));
        }
        return findings.valueStays(node.waiting(), stays.value(), stays.stored().thread(), stays.stored().step());
    }

    /** Nothing has been filled, and those who fill wait until it is handed back. */
    private Draft waitsBeforeTheFirst(List<Node> ring) {
        Node filler = null;
        for (Node node : ring) {
            if (!(node.awaited instanceof Awaited.Phase(Barrier b)) || b.phase() > 0) {
                return null;
            }
            Node supplied = ring.get((ring.indexOf(node) + ring.size() - 1) % ring.size());
            if (node.first().blocked.parity() >= 0 && fills(node, supplied)) {
                if (filler != null) {
                    return null;
                }
                filler = node;
            }
        }
        if (filler == null) {
            return null;
        }
        Node back = ring.get((ring.indexOf(filler) + 1) % ring.size());
        Barrier b = ((Awaited.Phase) filler.awaited).barrier();
        return findings.waitsBeforeTheFirst(b, filler.waiting(), filler.first().blocked.parity(), link(filler, back),
                back.waiting());
    }

    /** Whether those who wait write shared memory, or start copies, before they arrive for others. */
    private boolean fills(Node node, Node supplied) {
        if (!(supplied.awaited instanceof Awaited.Phase(Barrier b)) || steps.at(b.address()) == null) {
            return false;
        }
        CheckedThread thread = node.first();
        int wait = thread.stuck.step();
        BarrierSteps.At at = steps.at(b.address());
        if (steps.bringing(at).stream().anyMatch(s -> flow.mayStillPerform(graph.values(thread), wait, s))) {
            return true;
        }
        int last = steps.arriving(at).stream().filter(s -> s > wait).mapToInt(s -> s).min().orElse(wait);
        return flow.steps(MissingArrivals::writesShared).stream()
                .anyMatch(s -> s > wait && s < last && flow.mayStillPerform(graph.values(thread), wait, s));
    }

    private List<Link> links(List<Node> ring) {
        List<Link> links = new ArrayList<>();
        for (int i = 0; i < ring.size(); i++) {
            links.add(link(ring.get(i), ring.get((i + 1) % ring.size())));
        }
        return links;
    }

    /** @param next what those wait for who could bring about the first */
    private Link link(Node node, Node next) {
        CheckedThread supplier = node.suppliers.stream().filter(next.waiters::contains).findFirst()
                .orElse(next.first());
        int supply = switch (node.awaited) {
            case Awaited.Phase(Barrier b) -> supply(supplier, b);
            case Awaited.Value(int step) -> graph.writers(step).stream()
                    .filter(s -> flow.mayStillPerform(graph.values(supplier), supplier.stuck.step(), s)).findFirst()
                    .orElse(0);
            case Awaited.Sync(int _, int step) -> step;
            case Awaited.Warp(int _, int _, int step) -> step;
            case Awaited.Named(int _, int _, int step) -> step;
            case Awaited.ClusterBarrier(int _, int step) -> step;
        };
        Barrier barrier = node.awaited instanceof Awaited.Phase(Barrier b) ? b : null;
        return new Link(node.waiting(), barrier, supplier.clock, supply);
    }

    private int supply(CheckedThread thread, Barrier b) {
        BarrierSteps.At at = steps.at(b.address());
        List<Integer> any = at == null ? List.of() : b.pendingArrivals() > 0 ? steps.arriving(at) : steps.bringing(at);
        return any.stream().filter(s -> flow.mayStillPerform(graph.values(thread), thread.stuck.step(), s)).findFirst()
                .orElse(0);
    }
}
