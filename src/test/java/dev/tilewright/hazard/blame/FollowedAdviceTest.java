package dev.tilewright.hazard.blame;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.OrdinaryShare;
import dev.tilewright.Thorough;
import dev.tilewright.builder.pipeline.PipelineCases;
import dev.tilewright.builder.pipeline.PipelineMutantsTest;
import dev.tilewright.hazard.Finding;
import dev.tilewright.hazard.HazardCode;
import dev.tilewright.hazard.HazardReport;
import dev.tilewright.hazard.check.HazardCheck;
import dev.tilewright.hazard.mutant.Mutant;
import dev.tilewright.hazard.mutant.MutationTarget;
import dev.tilewright.program.StepNumbers;
import dev.tilewright.program.TileProgram;
import dev.tilewright.verify.draw.PipelineCase;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Pipelines with one edit, whose first finding's advice is done where it is one step. After it the pipeline is clean;
 * or the finding is gone, and the one that is first now is of what the edit broke besides: a guard that is left out is
 * a mistake of each step that was in it, and a step that was moved lacks in one place and is too much in the other.
 * Such a finding names a step that was in the guard, or the one that was moved. Advice that is more than a step is
 * listed in {@link AdviceTest}, with why. An ordinary run tries one mutant in twelve.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FollowedAdviceTest {
    private static final Pattern STEP = Pattern.compile("\\bstep (\\d+)");

    private enum Outcome { CLEAN, ANOTHER_MISTAKE_OF_THE_EDIT, UNHELPFUL, MORE_THAN_A_STEP, NO_ADVICE }

    private final Arena arena = Arena.ofShared();
    private final List<PipelineCase> cases = PipelineMutantsTest.cases().toList();
    private MemorySegment source;

    @BeforeAll
    void allocate() {
        MemorySegment data = PipelineCases.source();
        source = arena.allocate(data.byteSize(), 256).copyFrom(data);
    }

    @AfterAll
    void free() {
        arena.close();
    }

    @Test
    void leavesNothingButWhatTheEditBrokeBesides() {
        Map<Outcome, Integer> outcomes = new TreeMap<>();
        List<String> wrong = new ArrayList<>();
        Predicate<Object> share = Thorough.share(12);
        for (PipelineCase c : cases) {
            Follower follower = new Follower(c);
            for (Mutant mutant : PipelineMutantsTest.mutants(c)) {
                Finding first = share.test(mutant) ? follower.first(mutant.program()) : null;
                if (first == null) {
                    continue;
                }
                StringBuilder then = new StringBuilder();
                Outcome outcome = follower.follow(mutant, first, then);
                outcomes.merge(outcome, 1, Integer::sum);
                if (outcome == Outcome.UNHELPFUL || outcome == Outcome.NO_ADVICE && first.code() != HazardCode.FAULT) {
                    wrong.add(c + ", " + mutant + "\n    " + first + then);
                }
            }
        }
        System.err.println("after the first finding's advice: " + outcomes);
        assertEquals(List.of(), wrong, () -> wrong.size() + " of " + outcomes + ":\n" + String.join("\n", wrong));
        assertTrue(outcomes.get(Outcome.CLEAN) >= Thorough.of(8, 200), outcomes::toString);
    }

    /** Advice that was wrong once, in a few words of what it is now. */
    @ParameterizedTest
    @OrdinaryShare(3)
    @CsvSource(delimiter = '|', textBlock = """
            0 | without-guard@7   | let one thread announce the bytes
            2 | moved-earlier@6   | put step 1 after step 2
            2 | moved-later@7     | put barrier.cluster.wait before the first use of another block's shared memory
            2 | without-sync@7    | put barrier.cluster.wait after step 6
            2 | without-arrival@25| arrive there once a phase, by that step or another
            3 | moved-earlier@12  | put it after the copy, step 11
            4 | without-wait@9    | wait for 'empty' before step 9
            4 | without-arrival@15| put cp.async.mbarrier.arrive before step 15, at the same barrier
            4 | without-arrival@16| let the threads arrive as well, after step 15
            4 | without-guard@6   | let one thread perform step 13, or each for bytes of its own
            5 | without-arrival@14| arrive after step 13
            5 | without-wait@18   | wait for 'full' before step 18
            5 | without-guard@19  | or each for bytes of its own
            5 | moved-earlier@21  | put step 20 after step
            5 | moved-later@21    | put step 22 before step 21
            5 | shallower-wait@22 | let that wait leave fewer groups pending
            6 | without-arrival@8 | let it arrive there before the wait, by another step
            7 | without-arrival@18| let those who perform step 14 arrive after it
            7 | flipped-parity@22 | wait for the parity of the phase that the readers arrive in
            7 | without-expect@23 | announce them with the arrival: mbarrier.arrive.expect_tx
            7 | next-stage@24     | copy to the stage whose barrier counts the copy
            8 | moved-earlier@7   | put step 6 before step 8
            8 | moved-into-guard@8| put step 10 after step 7
            8 | next-stage@12     | copy to another stage, or put the copy after the reads
            8 | without-wait@7    | wait for the group before step 7
            9 | load-less@13      | announce the bytes of the copies that complete on it, and start all of them
            9 | constant-parity@20| wait for the parity of the phase that the copy counts in
            10| without-wait@15   | wait for 'order' before step 16
            """)
    void isWhatHelps(int number, String name, String advice) {
        PipelineCase c = cases.get(number);
        Mutant mutant = PipelineMutantsTest.mutants(c).stream().filter(m -> m.name().equals(name)).findFirst()
                .orElseThrow();
        Finding first = new Follower(c).first(mutant.program());
        assertTrue(Advice.text(first).contains(advice), first::toString);
    }

    /** Does what the first findings of a pipeline's mutants advise. */
    private final class Follower {
        private final MutationTarget target;
        private final StepNumbers numbers;

        Follower(PipelineCase c) {
            target = MutationTarget.moving(c.launch(), List.of(source), c.words() * 4L, 0);
            numbers = new StepNumbers(c.program());
        }

        /** The first finding; null for none. */
        Finding first(TileProgram program) {
            try (Arena memory = Arena.ofShared()) {
                HazardReport report = HazardCheck.check(target.of(program), target.memory(memory));
                return report.isClean() ? null : report.findings().getFirst();
            }
        }

        /** @param then what is first afterwards */
        Outcome follow(Mutant mutant, Finding first, StringBuilder then) {
            Optional<List<List<Advice.Edit>>> ways = Advice.of(mutant.program(), first);
            if (ways.isEmpty()) {
                return AdviceTest.isListed(first) ? Outcome.MORE_THAN_A_STEP : Outcome.NO_ADVICE;
            }
            boolean another = false;
            for (Advice.Edit edit : ways.get().getFirst()) {
                StepEdit steps = new StepEdit(mutant.program());
                try {
                    edit.accept(steps);
                    Finding next = first(steps.made());
                    if (next == null) {
                        return Outcome.CLEAN;
                    }
                    another |= isGone(first, next, steps) && isOfTheEdit(mutant, next, steps);
                    then.append("\n    then: ").append(next);
                } catch (IllegalArgumentException e) {
                    then.append("\n    then: ").append(e.getMessage());
                }
            }
            return another ? Outcome.ANOTHER_MISTAKE_OF_THE_EDIT : Outcome.UNHELPFUL;
        }

        private boolean isGone(Finding first, Finding next, StepEdit steps) {
            return next.code() != first.code() || steps.origin(next.step()) != first.step();
        }

        /** Whether a finding names what a mutant's edit broke besides. */
        private boolean isOfTheEdit(Mutant mutant, Finding next, StepEdit steps) {
            int edited = mutant.step();
            Set<Integer> named = Stream.concat(Stream.of(next.step()), STEP.matcher(next.message()).results()
                    .map(m -> Integer.parseInt(m.group(1)))).map(s -> mutant.origin(steps.origin(s)))
                    .collect(Collectors.toSet());
            return switch (mutant.kind()) {
                case MOVED_EARLIER, MOVED_LATER, MOVED_INTO_GUARD -> named.contains(edited);
                case WITHOUT_GUARD -> named.stream().anyMatch(s -> s > edited
                        && s < edited + StepEdit.size(numbers.step(edited).operation()));
                default -> false;
            };
        }
    }
}
