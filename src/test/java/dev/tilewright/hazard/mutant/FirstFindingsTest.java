package dev.tilewright.hazard.mutant;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.builder.pipeline.PipelineMutantsTest;
import dev.tilewright.hazard.Access;
import dev.tilewright.hazard.Finding;
import dev.tilewright.hazard.HazardCheck;
import dev.tilewright.hazard.HazardReport;
import dev.tilewright.hazard.mutant.StepTree.Node;
import dev.tilewright.verify.draw.PipelineCase;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * The first finding of a pipeline with one edit names the edited step, or its counterpart:
 * <ul>
 * <li>of a meeting or a fence, two steps between which it is, or that share its loop, or one alone that needs it
 * before;</li>
 * <li>of a wait, a step with its barrier or groups, or one after it, or in its loop, that touches what it waits
 * for;</li>
 * <li>of an initialisation, an arrival, an announcement, a copy that is counted, or a commit, a step with the same
 * barriers or groups, and of an arrival another one;</li>
 * <li>of a guard, a step within it; of a stage, a step of its loop.</li>
 * </ul>
 */
class FirstFindingsTest {
    private static final Pattern STEP = Pattern.compile("\\bstep (\\d+)");

    /** What the first finding names. */
    private enum Names {
        THE_EDIT, ITS_COUNTERPART, ANOTHER_STEP
    }

    private final Map<Names, Integer> counts = new EnumMap<>(Names.class);
    private final List<String> elsewhere = new ArrayList<>();

    @Test
    void nameTheEditOrItsCounterpart() {
        PipelineMutantsTest.cases().forEach(this::judge);
        int all = counts.values().stream().mapToInt(Integer::intValue).sum();
        counts.forEach((names, n) -> System.out.printf("first findings that name %s: %d of %d%n", names, n, all));
        assertTrue(100 * elsewhere.size() <= all, () -> elsewhere.size() + ":\n" + String.join("\n", elsewhere));
        assertTrue(2 * counts.get(Names.THE_EDIT) > counts.get(Names.ITS_COUNTERPART), counts::toString);
    }

    private void judge(PipelineCase c) {
        MemorySegment data = PipelineCase.source();
        StepTree tree = new StepTree(c.program());
        BlameOracle oracle = new BlameOracle(c.program());
        for (Mutant mutant : Mutants.of(c.program())) {
            try (Arena arena = Arena.ofShared()) {
                MemorySegment source = arena.allocate(data.byteSize(), 256).copyFrom(data);
                MutationTarget target = MutationTarget.moving(c.launch(), List.of(source), c.words() * 4L, 0);
                HazardReport report = HazardCheck.check(target.of(mutant.program()), target.memory(arena));
                if (!report.isClean()) {
                    Finding first = report.findings().getFirst();
                    Names names = names(tree, oracle, mutant, first);
                    counts.merge(names, 1, Integer::sum);
                    if (names == Names.ANOTHER_STEP) {
                        elsewhere.add(c + ", " + mutant + "\n    " + first);
                    }
                }
            }
        }
    }

    private static Names names(StepTree tree, BlameOracle oracle, Mutant mutant, Finding first) {
        IntStream said = STEP.matcher(first.message()).results().map(MatchResult::group)
                .mapToInt(s -> Integer.parseInt(s.substring("step ".length())));
        if (said.anyMatch(step -> mutant.origin(step) == mutant.step())) {
            return Names.THE_EDIT;
        }
        List<Node> named = IntStream.of(first.step(), first.access().map(Access::step).orElse(0), first.otherStep())
                .map(mutant::origin).filter(step -> step > 0).mapToObj(tree::node).toList();
        return isCounterpart(tree.node(mutant.step()), named, n -> oracle.isRight(mutant, n.number))
                ? Names.ITS_COUNTERPART : Names.ANOTHER_STEP;
    }

    private static boolean isCounterpart(Node edited, List<Node> named, Predicate<Node> concerned) {
        StepRole role = StepRole.of(edited.operation);
        boolean sameThings = named.stream().anyMatch(n -> !Collections.disjoint(StepFootprint.of(n.operation),
                StepFootprint.of(edited.operation)));
        return switch (role) {
            case SYNC, FENCE -> named.stream().anyMatch(n -> n.number > edited.number)
                    && (named.stream().anyMatch(n -> n.number < edited.number)
                            || named.stream().distinct().count() == 1)
                    || named.stream().allMatch(n -> sharesLoop(n, edited));
            case WAIT -> sameThings || named.stream()
                    .anyMatch(n -> (n.number > edited.number || sharesLoop(n, edited)) && concerned.test(n));
            // The address of an arrival in another block names no barrier.
            case ARRIVAL -> sameThings || named.stream().anyMatch(n -> StepRole.of(n.operation) == role);
            case OTHER -> named.stream().anyMatch(n -> isWithin(n, edited) || sharesLoop(n, edited));
            default -> sameThings;
        };
    }

    private static boolean sharesLoop(Node n, Node edited) {
        return edited.loop() != null && isWithin(n, edited.loop());
    }

    private static boolean isWithin(Node n, Node outer) {
        return n != null && (n == outer || isWithin(n.parent, outer));
    }
}
