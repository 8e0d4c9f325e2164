package dev.tilewright.verify.worker;

import dev.tilewright.MissingRequirementException;
import dev.tilewright.process.Interrupts;
import dev.tilewright.process.LineProcess;
import dev.tilewright.verify.CaseKinds;
import dev.tilewright.verify.CaseSet;
import dev.tilewright.verify.CaseTimes;
import dev.tilewright.verify.CheckSummary.Outcome;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One worker process after another: keeps it busy, receives its results, and outlives it. A case that does not end in
 * time fails, and so does one that takes the process with it; the others that the process had are begun again in the
 * next. Where it is not clear whose fault it was, each that may have been it is run by itself. Used by one thread.
 */
final class Worker {
    /** Processes that may end, one after the other, before they have taken a case. */
    private static final int MOST_STARTS = 3;
    /** Groups that are drawn at once, by as many CPU threads. */
    private static final int AT_ONCE = 4;
    private static final Duration PATIENCE = Duration.ofMillis(100);
    private static final Duration FAREWELL = Duration.ofSeconds(10);
    /** A process that says nothing and computes less than this part of the time sleeps. */
    private static final int ASLEEP = 100;

    private final ProcessBuilder command;
    private final int most;
    private final WorkerLimits limits;
    private final Work work;
    private final Deque<List<CaseSet.Numbered>> again = new ArrayDeque<>();
    private final Deque<CaseSet.Numbered> suspects = new ArrayDeque<>();
    private final Map<Long, Task> tasks = new LinkedHashMap<>();
    private LineProcess process;
    /** What the process said last of this. */
    private WorkerMessage.Times times;
    private boolean ready;
    private Task.Moment heard;
    private long checked;
    private int failedStarts;

    /** What a worker works on, with others. Safe for use by several threads. */
    interface Work {
        /** More cases, none if there are none yet, after waiting a little. @param groups how many groups, at most */
        List<List<CaseSet.Numbered>> next(int groups);

        /** Whether all tasks have been given out. */
        boolean isOver();

        /** What became of a case. */
        void ended(CaseSet.Numbered numbered, Outcome outcome, String detail, double seconds);

        /** Whether to drop everything. */
        boolean isStopped();

        CaseTimes times();
    }

    /** @param most how many groups of cases the process has at once */
    Worker(ProcessBuilder command, int most, WorkerLimits limits, Work work) {
        this.command = command;
        this.most = most;
        this.limits = limits;
        this.work = work;
    }

    /**
     * Works until there is nothing more, or it is stopped.
     *
     * @throws MissingRequirementException if no process can be started
     */
    void run() throws InterruptedException {
        try {
            while (!work.isStopped()) {
                boolean more = supply();
                if (tasks.isEmpty() && work.isOver()) {
                    finish();
                    return;
                }
                if (tasks.isEmpty()) {
                    continue;
                }
                hear(more ? Duration.ZERO : PATIENCE);
            }
        } finally {
            drop();
        }
    }

    /** Tells it some more cases. @return whether there is room for others still */
    private boolean supply() {
        if (!suspects.isEmpty()) {
            if (tasks.isEmpty()) {
                tell(List.of(suspects.remove()));
            }
            return false;
        }
        // Groups of one case count as whole ones: what matters is that no thread of the process has to wait.
        int room = most - Math.ceilDiv(tasks.size(), CaseKinds.GROUP);
        if (room <= 0) {
            return false;
        }
        // Drawing takes time, in which nothing is heard.
        List<List<CaseSet.Numbered>> next = again.isEmpty() ? work.next(Math.min(room, AT_ONCE))
                : List.of(again.remove());
        next.forEach(this::tell);
        return !next.isEmpty();
    }

    private void tell(List<CaseSet.Numbered> group) {
        start();
        StringBuilder lines = new StringBuilder();
        for (CaseSet.Numbered numbered : group) {
            tasks.put(numbered.number(), new Task(numbered));
            lines.append(new WorkerMessage.Case(numbered.number(), numbered.one().line().toString()).text())
                    .append('\n');
        }
        process.write(lines.append(new WorkerMessage.Run().text()).append('\n').toString());
        heard = now();
    }

    private void start() {
        if (process == null) {
            try {
                process = new LineProcess(command);
            } catch (IOException e) {
                throw new MissingRequirementException("no worker process can be started: " + e.getMessage(), e);
            }
            ready = false;
        }
    }

    private void hear(Duration patience) throws InterruptedException {
        LineProcess.Line next = process.readLine(patience);
        if (next.ended()) {
            // What interrupts the run may have ended the process first.
            Interrupts.await(process.isInterrupted(), work::isStopped);
            lost("its worker ended " + process.farewell());
        } else if (next.text().isPresent()) {
            heard = now();
            try {
                take(WorkerMessage.parse(next.text().get()));
            } catch (IllegalArgumentException e) {
                lost("its worker was ended: " + e.getMessage());
            }
        }
        if (process != null && System.nanoTime() - checked > PATIENCE.toNanos()) {
            checked = System.nanoTime();
            checkTime();
        }
    }

    private void take(WorkerMessage message) {
        switch (message) {
            case WorkerMessage.Ready _ -> ready = true;
            case WorkerMessage.Missing(String reason) -> throw new MissingRequirementException(reason);
            case WorkerMessage.Begun(long number) -> task(number).begin(heard);
            case WorkerMessage.OnDevice(long number) -> task(number).takeDevice(heard);
            case WorkerMessage.Ended ended -> {
                Task task = task(ended.number());
                tasks.remove(ended.number());
                failedStarts = 0;
                work.ended(task.numbered(), ended.outcome(), ended.detail(), ended.seconds());
                if (ended.lost()) {
                    restart(List.of());
                }
            }
            case WorkerMessage.Times said -> times = said;
            case WorkerMessage.Case _, WorkerMessage.Run _ ->
                    throw new IllegalArgumentException("it said what only a worker is told");
        }
    }

    private Task task(long number) {
        Task task = tasks.get(number);
        if (task == null) {
            throw new IllegalArgumentException("it spoke of case " + number + ", which it does not have");
        }
        return task;
    }

    private Task.Moment now() {
        return Task.Moment.now(limits.threads() == 0 ? Duration.ZERO : process.computed());
    }

    private void checkTime() {
        Task.Moment now = now();
        for (Task task : tasks.values()) {
            Optional<String> why = task.overdue(now, limits);
            if (why.isPresent()) {
                fail(task, why.get() + ", and its worker was ended");
                restart(List.of());
                return;
            }
        }
        Duration silent = now.since(heard);
        Duration most = ready ? limits.whole() : limits.start();
        boolean asleep = now.computedSince(heard).multipliedBy(ASLEEP).compareTo(silent) < 0;
        if (now.taken(heard, limits).compareTo(most) > 0 || silent.compareTo(most) > 0 && asleep) {
            lost("its worker said nothing for " + silent.toSeconds() + " s and was ended");
        }
    }

    /** The process is of no more use, and one of its cases may be why. */
    private void lost(String why) {
        if (work.isStopped()) {
            return;
        }
        if (!ready && ++failedStarts == MOST_STARTS) {
            throw new MissingRequirementException("no worker process starts, the last one of " + MOST_STARTS
                    + " did not take a case: " + why);
        }
        if (!ready) {
            restart(List.of());
            return;
        }
        List<Task> suspected = suspected();
        if (suspected.size() == 1) {
            fail(suspected.getFirst(), why);
            suspected = List.of();
        }
        restart(suspected);
    }

    /** The tasks that may have done it: the ones on the device, else the ones that have begun, else all. */
    private List<Task> suspected() {
        List<Task> onDevice = tasks.values().stream().filter(Task::hasDevice).toList();
        List<Task> begun = tasks.values().stream().filter(Task::hasBegun).toList();
        return !onDevice.isEmpty() ? onDevice : !begun.isEmpty() ? begun : List.copyOf(tasks.values());
    }

    private void fail(Task task, String why) {
        tasks.remove(task.numbered().number());
        work.ended(task.numbered(), Outcome.FAILED, why, task.seconds());
    }

    /** Ends the process; the next one begins what it had again. @param alone what is run by itself */
    private void restart(List<Task> alone) {
        drop();
        alone.forEach(task -> {
            tasks.remove(task.numbered().number());
            suspects.add(task.numbered());
        });
        List<CaseSet.Numbered> rest = new ArrayList<>();
        for (Task task : tasks.values()) {
            if (!rest.isEmpty() && !rest.getLast().one().sharesKernelWith(task.numbered().one())) {
                again.add(rest);
                rest = new ArrayList<>();
            }
            rest.add(task.numbered());
        }
        if (!rest.isEmpty()) {
            again.add(rest);
        }
        tasks.clear();
    }

    /** Nothing is left to do: it says its last words, and ends. */
    private void finish() throws InterruptedException {
        if (process == null) {
            return;
        }
        process.end();
        long until = System.nanoTime() + FAREWELL.toNanos();
        while (System.nanoTime() < until) {
            LineProcess.Line next = process.readLine(PATIENCE);
            if (next.ended()) {
                return;
            }
            if (next.text().isPresent()) {
                try {
                    take(WorkerMessage.parse(next.text().get()));
                } catch (IllegalArgumentException e) {
                    return;
                }
            }
        }
    }

    private void drop() {
        if (times != null) {
            work.times().add(times.nanoseconds(), times.kernels());
            times = null;
        }
        if (process != null) {
            process.close();
            process = null;
        }
    }
}
