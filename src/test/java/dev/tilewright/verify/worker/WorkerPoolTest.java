package dev.tilewright.verify.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tilewright.MissingRequirementException;
import dev.tilewright.Thorough;
import dev.tilewright.builder.Presets;
import dev.tilewright.gpu.host.OtherJava;
import dev.tilewright.verify.CaseKinds;
import dev.tilewright.verify.CaseSet;
import dev.tilewright.verify.CaseSetTest;
import dev.tilewright.verify.CaseTimes;
import dev.tilewright.verify.CheckSummary.Entry;
import dev.tilewright.verify.CheckSummary.Outcome;
import dev.tilewright.verify.CopyKind;
import dev.tilewright.verify.PlantedCase;
import dev.tilewright.verify.Shard;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Worker processes that work, hang, die, lie and never start: each case ends once, and so does the run. */
@Timeout(600)
@Order(13)
class WorkerPoolTest {
    private static final WorkerLimits LIMITS = new WorkerLimits(Duration.ofSeconds(2), Duration.ofSeconds(40),
            Duration.ofMinutes(3), 0);
    /** Says a message with the number of a case. */
    private static final String SAY = "say() { printf '\\002%s\\t%s' \"$1\" \"$n\"; shift; "
            + "for field; do printf '\\t%s' \"$field\"; done; echo; }; passed() { say ended PASSED '' 0.5 false; }; "
            + "mark=$(printf '\\002'); tab=$(printf '\\t'); printf '\\002ready\\ta script\\n'; "
            + "while IFS=\"$tab\" read -r word n line; do [ \"$word\" = \"${mark}case\" ] || continue; ";

    private final List<Entry> heard = new CopyOnWriteArrayList<>();
    private final CaseTimes times = new CaseTimes();
    private final AtomicBoolean interrupted = new AtomicBoolean();

    /** A worker that does this with each case, whose number is {@code $n}. */
    private static ProcessBuilder script(String each) {
        return new ProcessBuilder("sh", "-c", SAY + each + "; done");
    }

    private static CaseSet numbers(long cases) {
        return new CaseSet(new CaseKinds(List.of(new CaseSetTest.NumberKind())), 1, Shard.ALL, cases, Map.of());
    }

    private static CaseSet copies(long cases, Map<Long, PlantedCase.What> plants) {
        return new CaseSet(new CaseKinds(List.of(new CopyKind(Presets.CATALOG, List.of(Presets.named("vector-copy"))))),
                3, Shard.ALL, cases, plants);
    }

    private WorkerPool pool(CaseSet set) {
        return new WorkerPool("test", set, heard::add, times, interrupted::get);
    }

    private void run(CaseSet set, ProcessBuilder worker, int workers) {
        pool(set).run(Collections.nCopies(workers, worker), 3, LIMITS);
    }

    private List<String> failures() {
        return heard.stream().filter(e -> e.outcome() == Outcome.FAILED).map(Entry::detail).toList();
    }

    private void eachEndedOnce(int cases) {
        assertEquals(cases, heard.size());
        assertEquals(cases, heard.stream().map(Entry::name).distinct().count());
    }

    @Test
    void casesGoToAllWorkersAndEndOnce() {
        run(numbers(1000), script("passed"), 3);
        eachEndedOnce(1000);
        assertEquals(List.of(), failures());
        assertEquals(1000, times.cases());
        assertTrue(heard.stream().allMatch(e -> e.group().equals("test") && e.family().equals("number")
                && e.seconds() == 0.5
                && e.reproduction().equals("tilewright verify --case '" + e.name() + "'")));
    }

    @Test
    void aCaseThatDoesNotEndFailsAndTheOthersAreRunAgain() {
        run(numbers(30), script("say begun; say device; [ $n = 13 ] && sleep 100; passed"), 1);
        eachEndedOnce(30);
        assertEquals(1, failures().size());
        assertTrue(failures().getFirst()
                .matches("hang: it had not ended after [2-9]\\d*\\.\\d s, and its worker was ended"),
                failures()::toString);
    }

    /** As if the machine were busy with other things: what has not computed has not taken its time. */
    @Test
    void onTheReferenceTimeIsWhatAWorkerComputes() {
        WorkerLimits limits = new WorkerLimits(Duration.ofSeconds(1), Duration.ofSeconds(12), Duration.ofMinutes(3), 2);
        pool(numbers(5)).run(List.of(script("say begun; say device; [ $n = 2 ] && sleep 4; "
                + "[ $n = 4 ] && while :; do :; done; passed")), 3, limits);
        eachEndedOnce(5);
        assertEquals(1, failures().size(), failures()::toString);
        assertTrue(failures().getFirst().matches("time limit: it had not ended after \\d+\\.\\d s, in which its worker "
                + "computed for [2-9]\\.\\d s, and its worker was ended"), failures()::toString);
    }

    /** One that sleeps never computes as much. */
    @Test
    void aWorkerThatSleepsIsEnded() {
        WorkerLimits limits = new WorkerLimits(Duration.ofSeconds(1), Duration.ofSeconds(2), Duration.ofMinutes(3), 2);
        pool(numbers(5)).run(List.of(script("say begun; say device; [ $n = 2 ] && sleep 400; passed")), 3, limits);
        eachEndedOnce(5);
        assertEquals(1, failures().size(), failures()::toString);
        assertTrue(failures().getFirst().matches("its worker said nothing for \\d+ s and was ended"),
                failures()::toString);
    }

    @Test
    void aCaseThatEndsItsWorkerFails() {
        run(numbers(30),
                script("say begun; say device; if [ $n = 13 ]; then echo the last word >&2; exit 7; fi; passed"), 2);
        eachEndedOnce(30);
        assertEquals(List.of("its worker ended with exit code 7: the last word"), failures());
    }

    /** Nobody says which case it was, so each that may have been it is run by itself. */
    @Test
    void whoseFaultItWasIsFoundOut() {
        run(numbers(30), script("if [ $n = 13 ]; then exit 7; fi; sleep 0.05; passed"), 1);
        eachEndedOnce(30);
        assertEquals(List.of("its worker ended with exit code 7"), failures());
    }

    @Test
    void aCaseThatLosesTheDeviceSaysWhy() {
        run(numbers(30),
                script("if [ $n = 13 ]; then say ended FAILED 'the context is lost' 0 true; "
                + "exit 5; fi; passed"), 1);
        eachEndedOnce(30);
        assertEquals(List.of("the context is lost"), failures());
    }

    @Test
    void garbageIsNoResult() {
        run(numbers(9), script("if [ $n = 5 ]; then echo 'no } JSON'; fi; passed"), 1);
        eachEndedOnce(9);
        assertEquals(List.of("its worker was ended: it said a line that is no result: no } JSON"), failures());
        heard.clear();
        run(numbers(5), script("if [ $n = 5 ]; then say ended PASSED '' soon false; fi; passed"), 1);
        eachEndedOnce(5);
        assertTrue(failures().getFirst().startsWith("its worker was ended: it said a line that is no result: "),
                failures()::toString);
        heard.clear();
        run(numbers(2), script("if [ $n = 2 ]; then n=77; fi; passed"), 1);
        eachEndedOnce(2);
        assertEquals(List.of("its worker was ended: it spoke of case 77, which it does not have"), failures());
    }

    @Test
    void aWorkerThatNeverStartsEndsTheRun() {
        assertEquals("no worker process starts, the last one of 3 did not take a case: its worker ended with exit code "
                + "9: no such thing", assertThrows(MissingRequirementException.class,
                        () -> run(numbers(9), new ProcessBuilder("sh", "-c", "echo no such thing >&2; exit 9"), 2))
                        .getMessage());
        assertTrue(assertThrows(MissingRequirementException.class,
                () -> run(numbers(9), new ProcessBuilder("/no/such/program"), 1)).getMessage()
                .startsWith("no worker process can be started: "));
        assertEquals("there is no GPU", assertThrows(MissingRequirementException.class, () -> run(numbers(9),
                new ProcessBuilder("sh", "-c", "printf '\\002missing\\tthere is no GPU\\n'"), 2))
                .getMessage());
        assertEquals(List.of(), heard);
    }

    @Test
    void aRunEndsWhenItsTimeIsUp() {
        long begin = System.nanoTime();
        WorkerPool pool = pool(numbers(Long.MAX_VALUE)).until(begin + Duration.ofSeconds(4).toNanos());
        pool.run(List.of(script("if [ $n = 40 ]; then say begun; sleep 100; fi; passed")), 3, LIMITS);
        assertTrue(pool.ended() >= 20, () -> pool.ended() + " cases");
        assertTrue(System.nanoTime() - begin > Duration.ofSeconds(1).toNanos());
        assertEquals(List.of(), failures());
    }

    @Test
    void anInterruptedRunKeepsWhatItHas() throws Exception {
        Thread interrupts = Thread.ofPlatform().start(() -> {
            while (heard.size() < 50) {
                LockSupport.parkNanos(1_000_000);
            }
            interrupted.set(true);
        });
        run(numbers(Long.MAX_VALUE), script("passed"), 2);
        interrupts.join();
        assertTrue(heard.size() >= 50);
    }

    /** A signal for all of a terminal's processes: this one, which is busy, learns of it last. */
    @Test
    void aWorkerThatWhatInterruptsTheRunEndsIsNoFailure() throws Exception {
        Thread interrupts = Thread.ofPlatform().start(() -> {
            while (heard.size() < 4) {
                LockSupport.parkNanos(1_000_000);
            }
            LockSupport.parkNanos(500_000_000);
            interrupted.set(true);
        });
        run(numbers(9), script("if [ $n = 5 ]; then kill -TERM $$; fi; passed"), 1);
        interrupts.join();
        assertTrue(interrupted.get());
        assertEquals(List.of(), failures());
        assertEquals(4, heard.size());
    }

    /**
     * Real workers, the reference in a GPU's place; only in a thorough run, as {@code VerifyCommandTest} plants both
     * among cases of the command.
     */
    @Test
    void aHangAndAFaultAmongRealCases() {
        assumeTrue(Thorough.of(0, 1) == 1, "only in a thorough run");
        CaseSet set = copies(40, Map.of(7L, PlantedCase.What.HANG, 22L, PlantedCase.What.FAULT));
        pool(set).run(List.of(real(1), real(1)), 3, WorkerLimits.ofTheReference(Duration.ofSeconds(1), 2));
        eachOfRealCasesEnded();
        assertEquals(Map.of("planted what=hang", "time", "planted what=fault", "its"), heard.stream()
                .filter(e -> e.outcome() == Outcome.FAILED)
                .collect(Collectors.toMap(Entry::name, e -> e.detail().split("[: ]")[0])));
    }

    /** It takes at most the case with it that had the device. */
    @Test
    void aWorkerThatIsKilled() {
        AtomicLong killed = new AtomicLong();
        // Tests of other classes have workers of their own.
        String mark = "-Dworker=" + UUID.randomUUID();
        ProcessBuilder worker = real(1);
        worker.command().add(1, mark);
        new WorkerPool("test", copies(40, Map.of()), entry -> {
            heard.add(entry);
            if (heard.size() == 5 && killed.get() == 0) {
                killed.set(ProcessHandle.current().children().filter(process -> isNamed(process, mark))
                        .filter(ProcessHandle::destroyForcibly).count());
            }
        }, times, () -> false).run(List.of(worker), 3, WorkerLimits.ofTheReference(Duration.ofMinutes(1), 2));
        eachOfRealCasesEnded();
        assertTrue(killed.get() > 0);
        assertTrue(failures().size() <= 1 && failures().stream()
                .allMatch("its worker ended with exit code 137"::equals), failures()::toString);
    }

    private static boolean isNamed(ProcessHandle process, String argument) {
        try {
            return Files.readString(Path.of("/proc/" + process.pid() + "/cmdline")).contains(argument);
        } catch (IOException e) {
            return false;
        }
    }

    /** {@link ProcessHandle} knows no arguments of a command line of more than 4,096 bytes. */
    @Test
    void workersShareHowThisProcessIsCompiled() throws IOException {
        List<String> shared = List.of("-XX:TieredStopAtLevel=1", "-XX:+UseTransparentHugePages");
        Process other = OtherJava.start(List.of("-Dlong=" + "x".repeat(1 << 13), shared.getLast()),
                CommandOfWorkers.class);
        List<String> said = other.inputReader().readAllLines();
        assertTrue(said.containsAll(shared) && !said.contains("-XX:+UseSerialGC"), said::toString);
    }

    /** Says how its workers would be started, a word a line. */
    static final class CommandOfWorkers {
        public static void main(String[] args) {
            WorkerCommand.of(new WorkerOptions(OptionalInt.empty(), 1, 2), 2).command().forEach(System.out::println);
        }
    }

    private static ProcessBuilder real(int devices) {
        ProcessBuilder worker = WorkerCommand.of(new WorkerOptions(OptionalInt.empty(), devices, 2), 2);
        worker.command().add(1, OtherJava.BRIEF.getFirst());
        return worker;
    }

    private void eachOfRealCasesEnded() {
        assertEquals(40, heard.size());
        assertTrue(times.kernels() > 0);
    }
}
