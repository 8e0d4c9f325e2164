package dev.tilewright.hazard.mutant;

import dev.tilewright.hazard.mutant.StepTree.Node;
import dev.tilewright.program.Operation;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.ptx.Effects;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.fence.FenceMbarrierInit;
import dev.tilewright.ptx.fence.FenceProxyTensormapRelease;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Which steps a finding may name to have found a mutant, besides the edited step itself and the steps within it: steps
 * that touch what the edited step is meant to order.
 * <ul>
 * <li>A commit or a wait of groups: copies of that kind of group, its commits and waits, and the buffers that those
 * copies read or write in shared memory.</li>
 * <li>A fence, commit or wait of products of a warpgroup: products, the registers that they take, and the buffers that
 * matrix descriptors are made of.</li>
 * <li>What is done with an mbarrier, and copies that complete on one: that array of barriers, and the buffers that
 * copies complete into on it.</li>
 * <li>A proxy fence: the buffers that asynchronous copies touch. The fence after barriers are initialised:
 * barriers.</li>
 * <li>What publishes, releases or acquires a tensor map: the memory that holds maps, and the buffers that maps are
 * published from.</li>
 * <li>A __syncthreads or a cluster's barrier: what is touched on both sides of it; in a loop, where one turn's end
 * precedes the next one's begin, what is touched in the loop; where barriers are among it, the buffers that copies
 * complete into on them. Where it was moved into a guard, every other barrier of its kind, at which the rest of the
 * threads wait then.</li>
 * <li>A named barrier: the others, and what is touched on both sides of it. What lanes do together: all such steps.
 * <li>A guard: what the steps within it touch, and what each of them is there to order.</li>
 * <li>A stage: every region of shared memory.</li>
 * </ul>
 * What an edited step touches is its {@link StepFootprint}.
 */
final class BlameOracle {
    private final StepTree tree;

    /** @param program as it was before the edit */
    BlameOracle(TileProgram program) {
        tree = new StepTree(program);
    }

    /** @param step its number in the program as it was; 0 for a finding that is at no step */
    boolean isRight(Mutant mutant, int step) {
        if (step < 1) {
            return false;
        }
        Node edited = tree.node(mutant.step());
        boolean waitsElsewhere = mutant.kind() == MutantKind.MOVED_INTO_GUARD
                && tree.node(step).operation.role() == StepRole.SYNC;
        return waitsElsewhere || isWithin(tree.node(step), edited)
                || meet(concerns(mutant.kind(), edited), StepFootprint.of(tree.node(step).operation));
    }

    private static boolean isWithin(Node node, Node outer) {
        for (Node at = node; at != null; at = at.parent) {
            if (at == outer) {
                return true;
            }
        }
        return false;
    }

    private static boolean meet(Set<Object> concerns, Set<Object> things) {
        return !Collections.disjoint(concerns, things);
    }

    private Set<Object> concerns(MutantKind kind, Node edited) {
        if (kind == MutantKind.NEXT_STAGE) {
            return all(SharedRegion.class);
        }
        Set<Object> concerns = new HashSet<>(StepFootprint.of(edited.operation));
        switch (edited.operation.role()) {
            case SYNC -> concerns.addAll(bothSides(edited));
            case FENCE -> concerns.addAll(concerns.contains(StepFootprint.PRODUCTS) ? buffersOf(concerns)
                    : edited.operation instanceof Operation.Issue(FenceMbarrierInit _, var _, var _)
                    ? all(SharedRegion.Barriers.class) : asynchronous());
            // A release names no map: it is for any.
            case MAP -> concerns.addAll(
                    edited.operation instanceof Operation.Issue(FenceProxyTensormapRelease _, var _, var _)
                    ? all(Parameter.Pointer.class) : buffersOf(concerns));
            case OTHER -> {
                for (Node inner : edited.body) {
                    concerns.addAll(concerns(kind, inner));
                }
            }
            default -> {
                Set<Object> buffers = buffersOf(concerns);
                // Where nothing is copied, arrivals and waits order ordinary accesses.
                concerns.addAll(buffers.isEmpty() ? bothSides(edited) : buffers);
            }
        }
        return concerns;
    }

    /**
     * What steps share that touch any of these things: buffers that copies of a group or of a barrier touch, and so on.
     */
    private Set<Object> buffersOf(Set<Object> things) {
        Set<Object> buffers = new HashSet<>();
        for (Node node : tree.nodes()) {
            Set<Object> touched = StepFootprint.of(node.operation);
            if (meet(things, touched)) {
                touched.stream().filter(SharedRegion.Buffer.class::isInstance).forEach(buffers::add);
                if (things.contains(StepFootprint.PRODUCTS)) {
                    touched.stream().filter(Register.class::isInstance).forEach(buffers::add);
                }
            }
        }
        if (things.contains(StepFootprint.PRODUCTS)) {
            buffers.addAll(addressed());
        }
        return buffers;
    }

    /** Shared buffers that matrix descriptors may lead to. */
    private Set<Object> addressed() {
        Set<Object> buffers = new HashSet<>();
        tree.nodes().forEach(node -> buffers.addAll(StepFootprint.addressed(node.operation)));
        return buffers;
    }

    /** Shared buffers that asynchronous copies touch. */
    private Set<Object> asynchronous() {
        Set<Object> buffers = addressed();
        for (Node node : tree.nodes()) {
            boolean copies = node.operation.role() == StepRole.COUNTED_LOAD
                    || node.operation instanceof Operation.Instruction i && i.form().effects().accesses().stream()
                            .anyMatch(a -> a.proxy() == Effects.Proxy.ASYNC);
            if (copies) {
                StepFootprint.of(node.operation).stream().filter(SharedRegion.Buffer.class::isInstance)
                        .forEach(buffers::add);
            }
        }
        return buffers;
    }

    private Set<Object> bothSides(Node sync) {
        Node loop = sync.loop();
        Set<Object> before = new HashSet<>();
        Set<Object> after = new HashSet<>();
        for (Node node : tree.nodes()) {
            Set<Object> touched = StepFootprint.of(node.operation);
            if (loop != null && isWithin(node, loop)) {
                before.addAll(touched);
                after.addAll(touched);
            } else {
                (node.number < sync.number ? before : after).addAll(touched);
            }
        }
        before.retainAll(after);
        before.addAll(buffersOf(onlyBarriers(before)));
        return before;
    }

    private static Set<Object> onlyBarriers(Set<Object> things) {
        return new HashSet<>(things.stream().filter(SharedRegion.Barriers.class::isInstance).toList());
    }

    private Set<Object> all(Class<?> kind) {
        Set<Object> regions = new HashSet<>();
        List<Node> nodes = tree.nodes();
        nodes.forEach(node -> StepFootprint.of(node.operation).stream().filter(kind::isInstance).forEach(regions::add));
        return regions;
    }
}
