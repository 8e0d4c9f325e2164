package dev.tilewright.hazard.blame;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.Thorough;
import dev.tilewright.builder.pipeline.PipelineCases;
import dev.tilewright.builder.pipeline.PipelineMutantsTest;
import dev.tilewright.hazard.Access;
import dev.tilewright.hazard.Finding;
import dev.tilewright.hazard.HazardReport;
import dev.tilewright.hazard.check.HazardCheck;
import dev.tilewright.hazard.mutant.Mutant;
import dev.tilewright.hazard.mutant.MutantKind;
import dev.tilewright.hazard.mutant.MutationTarget;
import dev.tilewright.program.TileProgram;
import dev.tilewright.verify.draw.PipelineCase;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * What the first finding advises is done, word by word, where it is one step that is put somewhere, moved or changed:
 * the kernel is clean then. All other advice is listed, with why it is more than that.
 */
class AdviceTest {
    /** Advice that is more than a step, or leaves more to choose than a few values: what, and why. */
    private static final Map<Pattern, String> MORE_THAN_A_STEP = Map.ofEntries(
            more("wait for that phase first, or for something that comes after it, or arrive once",
                    "only who knows the kernel knows what comes after the phase"),
            more("announce the bytes of the copies that complete on it, and start all of them.*",
                    "the announcement is wrong or a copy lacks"),
            more("initialise all of the array", "the loop that initialises goes on, and all that depends on its end"),
            more("wait for that phase before the last thread ends", "any of the threads may, by its own turns"),
            more("let the arrivals be as many as the phases that are waited for, or leave out the wait",
                    "two loops have to be made equal, and either may be wrong"),
            more("let one of them do what the other waits for before it waits", "two steps, of either thread"),
            more("copy to other bytes, or wait first for its group, and until its bytes have been read",
                    "a choice, and the second is two steps"),
            more("let the copying thread wait, and put __syncthreads\\(\\) after that", "two steps"),
            more("let one thread perform step \\d+, or each for bytes of its own(?:; where their turns differ, .*)?",
                    "who, or which bytes, is to be chosen"),
            more("let (?:it|them) arrive there before the wait, by another step, or wait for a phase that already has "
                    + "the arrival", "the step that is there needs what comes after the wait; what is to be done, only "
                    + "who knows the kernel knows"),
            more("copy to another stage, or put the copy after the reads, with __syncthreads\\(\\) between the two",
                    "a choice, and the second is two steps"),
            more("arrive once, or wait for the phase in between", "what tells of its end is to be chosen"),
            more("let the threads whose work they wait for arrive there",
                    "the program does not say which threads, nor at which block's barrier"),
            more("let the threads that should perform it: step \\d+ .* decides on it",
                    "the condition is wrong, and only who knows the kernel knows the right one"),
            more("give each block bytes of its own, or let one block wait for a value that the other releases.*",
                    "a choice, and the second is two steps"),
            more("store the value that is waited for, or wait for the one that is stored", "a choice of values"),
            more("change them by one atomic instruction, red or atom, instead of steps \\d+ and \\d+",
                    "two steps become one, of another type"),
            more("(?:wait for the copy's group, and )?put an mbarrier, at which the one arrives and for which the other"
                    + " waits, between the two", "an initialisation, an arrival and a wait"),
            more("let no phase complete before all threads have passed their wait for the one before, or wait for the "
                    + "other parity", "only who knows the kernel knows which of the two"),
            more("let those who come first wait for parity [01] first, .*", "who comes first is to be chosen"),
            more("read where the bytes were put, such as the stage that was waited for, or write them first, or do not"
                    + " let the value matter", "a choice of three"),
            more("let one thread announce the bytes and start their copies; or, where each thread brings its own, .*",
                    "which thread, and whether each brings its own, only who knows the kernel knows"),
            more("let (?:it|them) arrive there once a phase, by that step or another",
                    "where in the loop, or for which of several blocks"),
            more("initialise it earlier, and synchronise the threads in between",
                    "two steps, and the number of arrivals is to be chosen"),
            more("let the blocks of the cluster meet at its barrier in between", "the two are in different branches"),
            more("let a thread of that block wait for the phase, or all blocks of the cluster meet at its barrier at "
                    + "the end", "which thread is to be chosen"),
            more("let the thread arrive afterwards, or count the arrival at the initialisation and use .noinc",
                    "a choice, and the second is two steps"),
            more("wait for the copy's group, and put __sync(?:warp|threads)\\(\\) between the two", "two steps"),
            more("put cp.async.bulk.wait_group.read 0 after step \\d+, which closes its group, and let the two threads "
                    + "meet after that", "two steps"),
            more(".*: put barrier.cluster.arrive before barrier.cluster.wait(?:; .*)?",
                    "the arrival may be there, in another place"));

    /** Kernels where advice of a form is not one step, and why. */
    private static final Map<String, String> OTHERWISE = Map.of("turns, turn kept",
            "the wait has the right parity, so that the second half of the advice holds: wait for a thread that has",
            "multicast, counted on other",
            "the barrier is another block's: the step that makes its address is the one to change");

    private static final Set<MutantKind> MOVING = EnumSet.of(MutantKind.MOVED_INTO_GUARD, MutantKind.MOVED_EARLIER,
            MutantKind.WITHOUT_ARRIVAL, MutantKind.WITHOUT_GUARD);

    private static Map.Entry<Pattern, String> more(String advice, String why) {
        return Map.entry(Pattern.compile(advice), why);
    }

    /** Whether the advice of a finding is known to be more than a step. */
    static boolean isListed(Finding finding) {
        return MORE_THAN_A_STEP.keySet().stream().anyMatch(p -> p.matcher(Advice.text(finding)).matches());
    }

    private static TileProgram program(Blame blame) {
        AtomicReference<TileProgram> program = new AtomicReference<>();
        Blame.edited(p -> {
            program.set(p);
            return p;
        }, blame::check);
        return program.get();
    }

    /** What the check says when an edit is made. */
    private static String after(TileProgram program, Advice.Edit edit, Blame blame) {
        try {
            HazardReport then = Blame.edited(_ -> {
                StepEdit steps = new StepEdit(program);
                edit.accept(steps);
                return steps.made();
            }, blame::check);
            return then.isClean() ? "" : then.findings().getFirst().toString();
        } catch (IllegalArgumentException e) {
            return e.getMessage();
        }
    }

    /** What is wrong with the advice of a kernel's first finding; empty for nothing. */
    private static String wrong(Blame blame, Finding first, AtomicInteger followed) {
        TileProgram program = program(blame);
        Optional<List<List<Advice.Edit>>> ways = Advice.of(program, first);
        if (ways.isEmpty()) {
            return "";
        }
        followed.incrementAndGet();
        StringBuilder wrong = new StringBuilder();
        for (List<Advice.Edit> way : ways.get()) {
            Set<String> then = new LinkedHashSet<>();
            for (int i = 0; i < way.size() && !then.contains(""); i++) {
                then.add(after(program, way.get(i), blame));
            }
            if (!then.contains("")) {
                wrong.append("then: ").append(String.join("\n    or: ", then));
            }
        }
        return wrong.toString();
    }

    @Test
    void leavesACleanKernel() {
        List<String> wrong = new ArrayList<>();
        AtomicInteger followed = new AtomicInteger();
        for (Blame blame : Stream.concat(BlameTest.all().stream(), DrawnRingsTest.all()).filter(Thorough.share(5))
                .toList()) {
            HazardReport report = blame.check();
            report.findings().stream().filter(f -> Advice.isOfAForm(f) == isListed(f))
                    .forEach(f -> wrong.add(f + "\n    is neither a form nor listed, or both"));
            if (!report.isClean()) {
                Finding first = report.findings().getFirst();
                String what = wrong(blame, first, followed);
                if (what.isEmpty() == OTHERWISE.containsKey(blame.toString())) {
                    wrong.add(blame + "\n    " + first + "\n    " + what);
                }
            }
        }
        assertEquals(List.of(), wrong, () -> wrong.size() + " of " + followed + ":\n" + String.join("\n", wrong));
        assertTrue(followed.get() > Thorough.of(20, 200), () -> "advice was followed in " + followed + " kernels");
    }

    /**
     * Pipelines with a step that is moved or left out: what is to be moved stands right then, no step meets itself, and
     * most arrivals that lack are right where they are to be.
     */
    @Test
    void thatMovesAStepLeavesACleanPipeline() {
        Pattern moves = Pattern.compile(
                "put step \\d+ (?:after|before) step \\d+|arrive after (?:the read, )?step \\d+");
        List<String> wrong = new ArrayList<>();
        AtomicInteger moved = new AtomicInteger();
        AtomicInteger arrivals = new AtomicInteger();
        AtomicInteger rightArrivals = new AtomicInteger();
        Predicate<Object> share = Thorough.share(4);
        MemorySegment data = PipelineCases.source();
        try (Arena arena = Arena.ofShared()) {
            MemorySegment source = arena.allocate(data.byteSize(), 256).copyFrom(data);
            for (PipelineCase c : PipelineMutantsTest.cases().toList()) {
                MutationTarget target = MutationTarget.moving(c.launch(), List.of(source), c.words() * 4L, 0);
                for (Mutant mutant : PipelineMutantsTest.mutants(c)) {
                    Finding first = MOVING.contains(mutant.kind()) && share.test(mutant)
                            ? first(target, mutant.program()) : null;
                    String advice = first == null ? "" : Advice.text(first);
                    if (moves.matcher(advice).matches()) {
                        moved.incrementAndGet();
                        if (!isClean(target, mutant.program(), first)) {
                            wrong.add(c + ", " + mutant + "\n    " + first);
                        }
                    } else if (advice.matches("let .*, which waits? in .* arrive after step \\d+")) {
                        arrivals.incrementAndGet();
                        rightArrivals.addAndGet(isClean(target, mutant.program(), first) ? 1 : 0);
                    } else if (advice.endsWith(" between the two") && first.access().map(Access::step).orElse(0)
                            == first.otherStep()) {
                        wrong.add(c + ", " + mutant + "\n    " + first);
                    }
                }
            }
        }
        assertEquals(List.of(), wrong, () -> wrong.size() + ":\n" + String.join("\n", wrong));
        assertTrue(moved.get() > Thorough.of(4, 20), () -> "steps were moved in " + moved + " pipelines");
        assertTrue(2 * rightArrivals.get() > arrivals.get(), () -> rightArrivals + " of " + arrivals);
    }

    private static boolean isClean(MutationTarget target, TileProgram program, Finding first) {
        return Advice.of(program, first).orElseThrow().getFirst().stream().anyMatch(edit -> {
            StepEdit steps = new StepEdit(program);
            edit.accept(steps);
            return first(target, steps.made()) == null;
        });
    }

    /** The first finding; null for none. */
    private static Finding first(MutationTarget target, TileProgram program) {
        try (Arena arena = Arena.ofShared()) {
            HazardReport report = HazardCheck.check(target.of(program), target.memory(arena));
            return report.isClean() ? null : report.findings().getFirst();
        }
    }
}
