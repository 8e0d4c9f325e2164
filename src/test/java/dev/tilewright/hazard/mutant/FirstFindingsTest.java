package dev.tilewright.hazard.mutant;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.Thorough;
import dev.tilewright.builder.Preset;
import dev.tilewright.builder.Presets;
import dev.tilewright.builder.Schedule;
import dev.tilewright.builder.pipeline.PipelineCases;
import dev.tilewright.builder.pipeline.PipelineMutantsTest;
import dev.tilewright.hazard.Access;
import dev.tilewright.hazard.Finding;
import dev.tilewright.hazard.HazardCode;
import dev.tilewright.hazard.HazardReport;
import dev.tilewright.hazard.check.HazardCheck;
import dev.tilewright.hazard.mutant.StepTree.Node;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Operation;
import dev.tilewright.program.TileProgram;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.verify.CopyCase;
import dev.tilewright.verify.SmallCase;
import dev.tilewright.verify.draw.PipelineCase;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The first finding of a pipeline or a preset with one edit names the edited step, or its counterpart:
 * <ul>
 * <li>of a meeting or a fence, two steps between which it is, or that share its loop, or one alone that needs it
 * before; of a meeting that only some threads come to, one at which the others wait;</li>
 * <li>of a wait, a step with its barrier or groups, or one after it, or in its loop, that touches what it waits
 * for, or an arrival in another block that no thread there waits for;</li>
 * <li>of an initialisation, an arrival, an announcement, a copy that is counted, or a commit, a step with the same
 * barriers or groups, and of an arrival another one;</li>
 * <li>of a guard, a step within it; of a stage, a step of its loop. The steps of a procedure are wherever it is
 * called.</li>
 * </ul>
 * Of pipelines every other mutant is judged, in a thorough run each one; of presets as many as {@code
 * -Dtilewright.mutants} says, evenly over all of them: {@code -Dtilewright.mutants=100000} for each one.
 */
class FirstFindingsTest {
    private static final Pattern STEP = Pattern.compile("\\bstep (\\d+)");

    /** What the first finding names. */
    private enum Names {
        THE_EDIT, ITS_COUNTERPART, ANOTHER_STEP
    }

    private static final int ORDINARY = Thorough.of(16, 100);

    private final Map<Names, Integer> counts = new EnumMap<>(Names.class);
    private final List<String> elsewhere = new ArrayList<>();

    @Test
    void ofPipelinesNameTheEditOrItsCounterpart() {
        MemorySegment data = PipelineCases.source();
        try (Arena arena = Arena.ofShared()) {
            MemorySegment source = arena.allocate(data.byteSize(), 256).copyFrom(data);
            Predicate<Object> share = Thorough.share(12);
            for (PipelineCase c : PipelineMutantsTest.cases().toList()) {
                Judge judge = new Judge(c.program(),
                        List.of(MutationTarget.moving(c.launch(), List.of(source), c.words() * 4L, 0)));
                PipelineMutantsTest.mutants(c).stream().filter(share).forEach(m -> judge.judge(c.toString(), m));
            }
        }
        assertNamed();
    }

    @Test
    void ofPresetsNameTheEditOrItsCounterpart() {
        Map<Preset, List<Mutant>> all = new LinkedHashMap<>();
        Presets.ALL.forEach(p -> all.put(p, Mutants.of(p.build(ElementType.F32).program())));
        int count = all.values().stream().mapToInt(List::size).sum();
        int wanted = Math.min(count, Integer.getInteger("tilewright.mutants", ORDINARY));
        int number = 0;
        for (Map.Entry<Preset, List<Mutant>> each : all.entrySet()) {
            List<CopyCase> cases = SmallCase.all(each.getKey(), Schedule.DEFAULT, ElementType.F32);
            try (Arena arena = Arena.ofShared()) {
                Judge judge = new Judge(cases.getFirst().kernel().program(), cases.stream().map(c -> MutationTarget
                        .moving(c.launch(), List.of(c.data(arena)), c.bytes(), c.kernel().workspaceBytes(c.launch())))
                        .toList());
                for (Mutant mutant : each.getValue()) {
                    if ((long) number * wanted / count != (long) ++number * wanted / count) {
                        judge.judge(each.getKey().name(), mutant);
                    }
                }
            }
        }
        assertNamed();
    }

    private void assertNamed() {
        int all = counts.values().stream().mapToInt(Integer::intValue).sum();
        counts.forEach((names, n) -> System.err.printf("first findings that name %s: %d of %d%n", names, n, all));
        assertTrue(elsewhere.isEmpty(), () -> elsewhere.size() + ":\n" + String.join("\n", elsewhere));
        // Few are judged in an ordinary run.
        assertTrue(Thorough.of(10, 2) * counts.getOrDefault(Names.THE_EDIT, 0)
                > counts.getOrDefault(Names.ITS_COUNTERPART, 0), counts::toString);
    }

    /** Judges what is said of the mutants of one program, in the first of its launches that shows a mistake. */
    private final class Judge {
        private final StepTree tree;
        private final BlameOracle oracle;
        private final List<MutationTarget> targets;

        Judge(TileProgram program, List<MutationTarget> targets) {
            this.tree = new StepTree(program);
            this.oracle = new BlameOracle(program);
            this.targets = targets;
        }

        void judge(String of, Mutant mutant) {
            for (MutationTarget target : targets) {
                HazardReport report;
                try (Arena arena = Arena.ofShared()) {
                    report = HazardCheck.check(target.of(mutant.program()), target.memory(arena));
                }
                if (!report.isClean()) {
                    Finding first = report.findings().getFirst();
                    Names names = names(tree, oracle, mutant, first);
                    counts.merge(names, 1, Integer::sum);
                    if (names == Names.ANOTHER_STEP) {
                        elsewhere.add(of + ", " + mutant + "\n    " + first);
                    }
                    return;
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
        StepRole role = tree.node(mutant.step()).operation.role();
        boolean isKnown = role == StepRole.WAIT && first.code() == HazardCode.REMOTE_AFTER_EXIT
                || mutant.kind() == MutantKind.MOVED_INTO_GUARD
                && named.stream().anyMatch(n -> n.operation.role() == role);
        return isKnown || new Counterpart(tree, tree.node(mutant.step()), named,
                n -> oracle.isRight(mutant, n.number)).isNamed() ? Names.ITS_COUNTERPART : Names.ANOTHER_STEP;
    }

    /** Whether what is named belongs to an edited step. A procedure's steps are wherever it is called. */
    private record Counterpart(StepTree tree, Node edited, List<Node> named, Predicate<Node> concerned) {

        boolean isNamed() {
            StepRole role = edited.operation.role();
            boolean sameThings = named.stream().anyMatch(n -> !Collections.disjoint(StepFootprint.of(n.operation),
                    StepFootprint.of(edited.operation)));
            return switch (role) {
                case SYNC, FENCE -> named.stream().anyMatch(this::isLater)
                        && (named.stream().anyMatch(n -> places(n).anyMatch(p -> p.number < edited.number))
                                || named.stream().distinct().count() == 1)
                        || named.stream().allMatch(this::sharesLoop);
                case WAIT -> sameThings
                        || named.stream().anyMatch(n -> (isLater(n) || sharesLoop(n)) && concerned.test(n));
                // The address of an arrival in another block names no barrier.
                case ARRIVAL -> sameThings || named.stream().anyMatch(n -> n.operation.role() == role);
                case OTHER -> named.stream().anyMatch(n -> isWithin(n, edited) || sharesLoop(n));
                default -> sameThings;
            };
        }

        private boolean isLater(Node n) {
            return places(n).anyMatch(p -> p.number > edited.number);
        }

        private boolean sharesLoop(Node n) {
            return edited.loop() != null && isWithin(n, edited.loop());
        }

        private boolean isWithin(Node n, Node outer) {
            return places(n).anyMatch(p -> Stream.iterate(p, at -> at != null, at -> at.parent)
                    .anyMatch(at -> at == outer));
        }

        /** The step, and the calls of the procedure that it is in. */
        private Stream<Node> places(Node n) {
            return Stream.concat(Stream.of(n), Stream.iterate(n.parent, at -> at != null, at -> at.parent)
                    .filter(at -> at.operation instanceof Operation.Call)
                    .flatMap(at -> tree.nodes().stream().filter(other -> other.operation instanceof Operation.Call call
                            && call.procedure().equals(((Operation.Call) at.operation).procedure()))));
        }
    }
}
