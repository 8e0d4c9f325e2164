package dev.tilewright.hazard.blame;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.Thorough;
import dev.tilewright.builder.pipeline.PipelineCases;
import dev.tilewright.builder.pipeline.PipelineMutantsTest;
import dev.tilewright.hazard.Finding;
import dev.tilewright.hazard.HazardCode;
import dev.tilewright.hazard.HazardReport;
import dev.tilewright.hazard.check.HazardCheck;
import dev.tilewright.hazard.mutant.Mutant;
import dev.tilewright.hazard.mutant.MutantKind;
import dev.tilewright.hazard.mutant.Mutants;
import dev.tilewright.hazard.mutant.MutationTarget;
import dev.tilewright.program.StepNumbers;
import dev.tilewright.program.TileProgram;
import dev.tilewright.verify.draw.PipelineCase;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
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
 * Such a finding names a step that was in the guard, or the one that was moved. All other advice that does not help is
 * listed, with why, and how often it comes. Every fourth pipeline is tried, or all by {@code
 * -Dtilewright.thorough=true}.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FollowedAdviceTest {
    /** One of so many is tried. */
    private static final int EACH = Thorough.of(4, 1);
    private static final Pattern STEP = Pattern.compile("\\bstep (\\d+)");

    /** Advice that does not help. @param count of the pipelines with an edit of a kind where it is first */
    private record Unhelpful(Pattern advice, MutantKind kind, int count, String why) {
        static Unhelpful of(String advice, MutantKind kind, int count, String why) {
            return new Unhelpful(Pattern.compile(advice), kind, count, why);
        }
    }

    private static final String PROLOGUE = "the arrivals of the first turns are to come before the loop, by steps of "
            + "their own: what the step in the loop needs is defined in the loop";
    private static final String BESIDE = "the meeting orders the two, and the pipeline orders them by mbarriers: what "
            + "is wrong there, and only shows later, is not mended by it";
    private static final String EVERY_STEP = "several steps copy there, and each of them has to come after the wait";
    private static final String HALVES = "half of the cluster's barrier is there already, in a place where it does not "
            + "help, and has to go";

    private static final List<Unhelpful> UNHELPFUL = List.of(
            Unhelpful.of("arrive before the wait", MutantKind.WITHOUT_ARRIVAL, 2, PROLOGUE),
            Unhelpful.of("arrive before the wait", MutantKind.NEXT_STAGE, 1, PROLOGUE),
            Unhelpful.of("put __syncwarp.* between the two, or an mbarrier .*", MutantKind.FLIPPED_PARITY, 1, BESIDE),
            Unhelpful.of("put __syncwarp.* between the two, or an mbarrier .*", MutantKind.CONSTANT_PARITY, 1, BESIDE),
            Unhelpful.of("put __syncwarp.* between the two, or an mbarrier .*", MutantKind.WITHOUT_EXPECT, 1, BESIDE),
            Unhelpful.of("put __syncthreads.* between the two", MutantKind.WITHOUT_WAIT, 1, BESIDE),
            Unhelpful.of("put __syncthreads.* after step \\d+, in each turn, .*", MutantKind.NEXT_STAGE, 1, BESIDE),
            Unhelpful.of("wait first for phase .*", MutantKind.WITHOUT_WAIT, 1, EVERY_STEP),
            Unhelpful.of("wait first for phase .*", MutantKind.CONSTANT_PARITY, 1, EVERY_STEP),
            Unhelpful.of("wait first for phase .*", MutantKind.NEXT_STAGE, 1, "the copy goes to a stage that nobody "
                    + "hands back to it: its address is wrong, and no wait for that stage is right"),
            Unhelpful.of("let the blocks of the cluster meet at its barrier after .*", MutantKind.MOVED_EARLIER, 2,
                    HALVES),
            Unhelpful.of(".*put a barrier of the cluster before the first use.*", MutantKind.MOVED_LATER, 2, HALVES),
            Unhelpful.of("let that wait leave fewer groups pending", MutantKind.MOVED_EARLIER, 1,
                    "the wait is to be in the loop, and not before it"),
            Unhelpful.of("let that wait leave fewer groups pending", MutantKind.MOVED_INTO_GUARD, 1,
                    "the last turns have no meeting, which shows only when the wait is deep enough"),
            Unhelpful.of("let threads .*, arrive after step \\d+", MutantKind.WITHOUT_ARRIVAL, 2,
                    "the step is in a loop of its own, or performed by all: the arrival comes too often there"),
            Unhelpful.of("commit the group after the copy", MutantKind.WITHOUT_ARRIVAL, 1,
                    "the copies are of no group: an arrival of their own is missing"),
            Unhelpful.of("copy to the stage whose barrier counts the copy", MutantKind.MOVED_EARLIER, 1,
                    "the arrival of the turn before has counted the copy, which comes after it"),
            Unhelpful.of("use .noinc there, or let the threads arrive as well", MutantKind.WITHOUT_ARRIVAL, 1,
                    "plain stores are to be told of as well, by the second half of the advice"),
            Unhelpful.of("wait for parity 1 first, .*", MutantKind.CONSTANT_PARITY, 1,
                    "the parity is that of a cursor, and no expression of the turn"));

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
        Map<Unhelpful, Integer> unhelpful = new HashMap<>();
        List<String> wrong = new ArrayList<>();
        int number = 0;
        for (PipelineCase c : cases) {
            Follower follower = new Follower(c);
            for (Mutant mutant : Mutants.of(c.program())) {
                Finding first = number++ % EACH == 0 ? follower.first(mutant.program()) : null;
                if (first == null) {
                    continue;
                }
                StringBuilder then = new StringBuilder();
                Outcome outcome = follower.follow(mutant, first, then);
                outcomes.merge(outcome, 1, Integer::sum);
                Optional<Unhelpful> known = outcome != Outcome.UNHELPFUL ? Optional.empty() : UNHELPFUL.stream()
                        .filter(u -> u.kind == mutant.kind() && u.advice.matcher(Advice.text(first)).matches())
                        .findFirst();
                known.ifPresent(u -> unhelpful.merge(u, 1, Integer::sum));
                boolean told = outcome != Outcome.UNHELPFUL || known.isPresent();
                if (!told || outcome == Outcome.NO_ADVICE && first.code() != HazardCode.FAULT) {
                    wrong.add(c + ", " + mutant + "\n    " + first + then);
                }
            }
        }
        System.out.println("after the first finding's advice: " + outcomes);
        assertEquals(List.of(), wrong, () -> wrong.size() + " of " + outcomes + ":\n" + String.join("\n", wrong));
        for (Unhelpful u : UNHELPFUL) {
            int count = unhelpful.getOrDefault(u, 0);
            assertTrue(EACH == 1 ? count == u.count : count <= u.count, () -> count + " times: " + u);
        }
        assertTrue(outcomes.get(Outcome.CLEAN) > 150 / EACH, outcomes::toString);
    }

    /** Advice that was wrong once, in a few words of what it is now. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            0 | without-guard@7   | let one thread announce the bytes
            2 | moved-earlier@6   | let the blocks of the cluster meet at its barrier after step
            2 | without-sync@7    | put barrier.cluster.wait after step 6
            2 | without-arrival@25| arrive there once a phase, by that step or another
            5 | without-wait@18   | wait for 'full' before step 18
            5 | without-guard@19  | or each for bytes of its own
            5 | moved-earlier@21  | put step 20 after step
            5 | moved-later@21    | put step 22 before step 21
            5 | shallower-wait@22 | let that wait leave fewer groups pending
            8 | without-wait@7    | wait for the group before step 7
            9 | load-less@13      | announce the bytes of the copies that complete on it, and start all of them
            """)
    void isWhatHelps(int number, String name, String advice) {
        PipelineCase c = cases.get(number);
        Mutant mutant = Mutants.of(c.program()).stream().filter(m -> m.name().equals(name)).findFirst().orElseThrow();
        Finding first = new Follower(c).first(mutant.program());
        assertTrue(first.fix().contains(advice), first::toString);
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
