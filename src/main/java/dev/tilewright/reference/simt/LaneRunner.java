package dev.tilewright.reference.simt;

import dev.tilewright.reference.fault.ReferenceException;
import dev.tilewright.reference.schedule.ClusterRunner;
import dev.tilewright.reference.schedule.Rounds;
import dev.tilewright.reference.schedule.RunBudget;
import dev.tilewright.reference.state.BlockState;
import dev.tilewright.reference.state.ClusterState;
import dev.tilewright.reference.state.ThreadState.Status;
import dev.tilewright.reference.state.ThreadState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Runs blocks as {@link ClusterRunner} does, with threads that are at the same place going together. A block's threads
 * are a list of {@link Part}s, which take turns in the order of their numbers, as their threads would one by one.
 * Where there is more to say than that all is well, threads go one by one, and it is said there.
 *
 * <p>What threads leave is what they leave one by one, in kernels with races, too, because the schedule is the same:
 * <ul>
 * <li>in each round every thread that can go on has one turn, in the order of numbers, which ends where it ends one by
 *     one: at a wait that does not pass, a block-wide barrier, a loop's end that lets others go on, or the thread's
 *     end. Where threads start a turn together and end it alone, it is still one turn ({@link Part#moved});</li>
 * <li>turns are joined only between neighbours whose order cannot be seen: {@link Turn} says which;</li>
 * <li>whether a round has moved anything, and which loops were repeated in it, is counted in {@link Rounds}, as one by
 *     one: so what is in flight lands after the same round.</li>
 * </ul>
 */
public final class LaneRunner {
    /** Failed turns, in addition to one for each block, after which threads go one by one. */
    private static final int MOST_FAILED = 16;

    private final LaneProgram program;
    private final ClusterRunner plain;
    private final ClusterRunner alone;
    private final TurnMemory memory = new TurnMemory();
    private final Lanes lanes;
    private final Turn turn;
    private final int threads;
    /**
     * The block's live threads, each in one part, in their order. A thread that has ended is in none, so that two parts
     * may be neighbours here with lanes between them that nothing may touch again: see {@link Part#continuesIn}. The
     * slots of those in a part that is {@link Part.State#ALONE} are in their own state, all others in {@link #lanes}.
     */
    private final List<Part> parts = new ArrayList<>();
    /** Where threads came together and then the first went alone before anything was done together. */
    private final boolean[] notWorthJoining;
    /** Threads that have gone alone in this block: their own state is that of this block. */
    private final boolean[] hasBegun;
    private int begun;
    private int atSync;
    /** Of threads that are at different block-wide barriers, the one that came last; -1 for none. */
    private int misfit;
    private final Rounds rounds = new Rounds();
    /** The threads before this one have had their turns in this round, or rest. */
    private int nextTurn;
    private BlockState block;
    private long failedSpeculations;
    private long blocks;

    /** @param plain runs the same program thread by thread */
    public LaneRunner(LaneProgram program, ClusterRunner plain, RunBudget budget) {
        this.program = program;
        this.plain = plain;
        this.alone = new ClusterRunner(program.program(), budget, this::shown);
        this.threads = program.program().threads();
        this.lanes = new Lanes(threads, program.program().slots(), memory);
        this.turn = new Turn(program.ops(), lanes, memory);
        this.notWorthJoining = new boolean[program.ops().length];
        this.hasBegun = new boolean[threads];
    }

    /** Operations performed together and alone, but not those of {@code plain}. */
    public long threadSteps() {
        return alone.threadSteps();
    }

    /**
     * Runs a cluster of one block, the given one, to its end.
     *
     * @throws ReferenceException if the program makes a mistake
     */
    public void run(ClusterState cluster, int number) {
        blocks++;
        if (failedSpeculations > MOST_FAILED + blocks) {
            cluster.restart(number);
            plain.run(cluster);
            return;
        }
        begin(cluster, number);
        while (cluster.live() > 0) {
            alone.took(0);
            cluster.nextPass();
            pass(cluster);
            if (misfit < 0 && rounds.areEnough()) {
                alone.landForRepeaters(cluster);
            } else if (misfit >= 0 || !rounds.moved() && !alone.landForWaiters(cluster)) {
                goOneByOne();
                plain.goOn(cluster, rounds);
                return;
            }
        }
        alone.requireNothingInFlight(cluster);
    }

    private void begin(ClusterState cluster, int number) {
        cluster.restartWithoutThreads(number);
        block = cluster.block(0);
        lanes.restart(block);
        if (begun > 0) {
            Arrays.fill(hasBegun, false);
            begun = 0;
        }
        atSync = 0;
        misfit = -1;
        rounds.restart();
        parts.clear();
        parts.add(new Part(0, threads, 0, Part.State.TOGETHER, false));
    }

    /** Every thread that can go on has a turn. */
    private void pass(ClusterState cluster) {
        assert partsAreLiveThreads(cluster);
        meet();
        assert partsAreLiveThreads(cluster);
        rounds.begin();
        nextTurn = 0;
        int i = 0;
        while (i < parts.size() && misfit < 0) {
            Part p = parts.get(i);
            switch (p.state) {
                case TOGETHER, WAITING, LATER -> {
                    List<Part> after = turn.take(p, block.shared());
                    if (after.isEmpty()) {
                        failedSpeculations++;
                        after = List.of(new Part(p.from, p.until, p.pc, Part.State.PARTS, p.moved));
                    } else {
                        alone.performed(turn.steps());
                        notWorthJoining[p.pc] |= p.pc > 0 && !turn.paid() && after.getFirst().state == Part.State.PARTS;
                    }
                    parts.remove(i);
                    parts.addAll(i, after);
                }
                case WAITS -> {
                    p.state = Part.State.WAITING;
                    p.waitsFor.blockedIn(cluster.pass());
                    turnEnds(p, false);
                    i++;
                }
                case ARRIVES -> {
                    p.state = Part.State.AT_SYNC;
                    turnEnds(p, false);
                    arrive(p);
                    i++;
                }
                case ENDS -> {
                    turnEnds(p, false);
                    end(p);
                    parts.remove(i);
                }
                case PARTS -> {
                    parts.remove(i);
                    for (int lane = p.from; lane < p.until; lane++) {
                        parts.add(i + lane - p.from, new Part(lane, lane + 1, p.pc, Part.State.ALONE, p.moved));
                        goAlone(lane, p.pc);
                    }
                }
                case ALONE -> {
                    ThreadState t = block.threads()[p.from];
                    if (!t.status.tries) {
                        i++;
                        break;
                    }
                    long again = t.again;
                    p.moved |= alone.takeTurn(t);
                    turnEnds(p, t.again > again);
                    p.pc = t.pc;
                    if (t.status == Status.EXITED) {
                        parts.remove(i);
                        break;
                    }
                    if (t.status == Status.AT_SYNC_THREADS) {
                        arrive(p);
                    }
                    i++;
                }
                case AT_SYNC -> i++;
            }
        }
    }

    private void turnEnds(Part p, boolean repeats) {
        assert p.from >= nextTurn : "a thread has a second turn, or comes after one with a higher number";
        nextTurn = p.until;
        rounds.turnEnds(p.moved, repeats);
        p.moved = false;
    }

    // ---- together and alone

    /** Neighbours that are at the same place go together from now on. */
    private void meet() {
        for (int i = parts.size() - 1; i > 0; i--) {
            Part a = parts.get(i - 1);
            Part b = parts.get(i);
            if (a.continuesIn(b) && program.ops()[a.pc] != null && !notWorthJoining[a.pc] && goesOn(a) && goesOn(b)) {
                join(a);
                join(b);
                a.until = b.until;
                parts.remove(i);
            }
        }
    }

    /** What is said of {@link #parts}, as far as numbers show it, and that no turn is half over. */
    private boolean partsAreLiveThreads(ClusterState cluster) {
        int next = 0;
        int live = 0;
        int together = 0;
        for (Part p : parts) {
            boolean isBetweenTurns = !p.moved && switch (p.state) {
                case TOGETHER, WAITING, ALONE, AT_SYNC -> true;
                case PARTS, LATER, ARRIVES, WAITS, ENDS -> false;
            };
            if (!isBetweenTurns || p.from < next || p.until <= p.from
                    || p.state == Part.State.ALONE && p.size() > 1) {
                return false;
            }
            next = p.until;
            live += p.size();
            together += p.state == Part.State.ALONE ? 0 : p.size();
        }
        return next <= threads && live == cluster.live() && together == lanes.together;
    }

    private boolean goesOn(Part p) {
        return switch (p.state) {
            case TOGETHER, WAITING -> true;
            case ALONE -> {
                Status status = block.threads()[p.from].status;
                yield status == Status.RUNNABLE || status == Status.AT_BARRIER;
            }
            case AT_SYNC, PARTS, LATER, ARRIVES, WAITS, ENDS -> false;
        };
    }

    private void join(Part p) {
        if (p.state == Part.State.ALONE) {
            lanes.give(p.from, block.threads()[p.from].slots);
        }
        p.state = Part.State.TOGETHER;
    }

    private ThreadState own(int lane) {
        ThreadState t = block.threads()[lane];
        if (!hasBegun[lane]) {
            hasBegun[lane] = true;
            begun++;
            t.restart();
        }
        return t;
    }

    private void goAlone(int lane, int pc) {
        ThreadState t = own(lane);
        lanes.take(lane, t.slots);
        t.pc = pc;
        t.status = Status.RUNNABLE;
    }

    private void end(Part p) {
        int others = p.size();
        lanes.together -= others;
        for (int lane = p.from; begun > 0 && lane < p.until; lane++) {
            if (hasBegun[lane]) {
                block.exit(block.threads()[lane]);
                others--;
            }
        }
        block.exitTogether(others);
    }

    // ---- the block-wide barrier

    /** The last to arrive lets all go on. */
    private void arrive(Part p) {
        if (atSync + p.size() < threads) {
            atSync += p.size();
            return;
        }
        for (Part other : parts) {
            if (other.pc != p.pc) {
                misfit = p.until - 1;
                return;
            }
        }
        atSync = 0;
        for (Part other : parts) {
            other.pc++;
            if (other.state == Part.State.ALONE) {
                ThreadState t = block.threads()[other.from];
                t.pc = other.pc;
                t.status = Status.RUNNABLE;
            } else {
                other.state = Part.State.TOGETHER;
            }
        }
    }

    // ---- one by one

    /** The block with what its threads are together in their own states: for words about it, at the end of a run. */
    private List<ClusterState> shown() {
        for (ThreadState t : block.threads()) {
            Part of = parts.stream().filter(p -> p.from <= t.index && t.index < p.until).findFirst().orElse(null);
            if (of == null) {
                own(t.index).status = Status.EXITED;
            } else if (of.state != Part.State.ALONE) {
                own(t.index).pc = of.pc;
                t.waitsFor = of.waitsFor;
                t.status = switch (of.state) {
                    case AT_SYNC -> Status.AT_SYNC_THREADS;
                    case WAITING -> Status.AT_BARRIER;
                    default -> Status.RUNNABLE;
                };
            }
        }
        return List.of(block.cluster());
    }

    /** Everything that threads are together, each is for itself. */
    private void goOneByOne() {
        boolean[] lives = new boolean[threads];
        int arrived = 0;
        for (Part p : parts) {
            for (int lane = p.from; lane < p.until; lane++) {
                lives[lane] = true;
                ThreadState t = block.threads()[lane];
                if (p.state != Part.State.ALONE) {
                    goAlone(lane, p.pc);
                    t.status = p.state == Part.State.AT_SYNC ? Status.AT_SYNC_THREADS : Status.RUNNABLE;
                }
                if (lane == misfit) {
                    t.status = Status.RUNNABLE;
                }
                arrived += t.status == Status.AT_SYNC_THREADS ? 1 : 0;
            }
        }
        for (int lane = 0; lane < threads; lane++) {
            if (!lives[lane]) {
                own(lane).status = Status.EXITED;
            }
        }
        block.arrivedAtSyncThreads(arrived);
        if (misfit >= 0) {
            plain.takeTurn(block.threads()[misfit]);
        }
    }
}
