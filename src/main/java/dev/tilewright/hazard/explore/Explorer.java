package dev.tilewright.hazard.explore;

import dev.tilewright.program.Launch;
import dev.tilewright.program.Operation;
import dev.tilewright.program.TileProgram;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.copy.LoadMode;
import dev.tilewright.ptx.copy.TensorLoad;
import dev.tilewright.ptx.fence.Fence;
import dev.tilewright.ptx.memory.ScopedAccess;
import dev.tilewright.ptx.mma.MmaInstruction;
import dev.tilewright.ptx.tensormap.TensormapInstruction;
import dev.tilewright.ptx.warp.Ldmatrix;
import dev.tilewright.ptx.warp.Stmatrix;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Runs a launch in every order: of its threads' steps, of the moments at which copies read, write and say that they are
 * done, and of the writes that a read may see.
 *
 * <p>Two things keep that feasible. States that were met before are not gone on from again. And a step that commutes
 * with all that others may do until something orders them is made at once: accesses of memory, as long as no run shows
 * two that nothing orders; from then on the accesses to those bytes are tried in every order, from the start.
 */
public final class Explorer {
    /** What an ending says that leaves undefined bytes. */
    public static final String UNDEFINED = "bytes that nothing wrote are stored";
    /** What the explorer does not know, for those who ask before they try. */
    public static final String NOT_KNOWN = "tensor cores (mma, wgmma), ldmatrix and stmatrix, tensor maps in memory, "
            + "of im2col, with interleave, element strides or NaN fill, loads of values in several widths by a scope, "
            + "named barrier 0 beside __syncthreads, and functions that hardware rounds as it likes";
    /** The most threads of a launch, all blocks together. */
    public static final int MOST_THREADS = 256;
    /** Of all states that are to be gone on from, about. */
    private static final long MOST_BYTES = 1L << 30;
    /** From this many on, copies move on before their threads do. */
    private static final int MANY_COPIES = 8;
    private static final long MOST_STEPS = 100_000_000;
    private static final String STUCK = "threads wait for ever";

    private final int mostStates;
    private final Launched launched;
    private Facts facts;
    private Set<Key.Print> met;
    private Map<String, Order> endings;
    private final Set<String> races = new LinkedHashSet<>();
    private boolean meetings;
    private boolean phases;
    private boolean bytesLeft;
    private Verdict.Limit limit;
    private int states;
    private long steps;

    private Explorer(Launch launch, List<byte[]> memory, int mostStates) {
        this.mostStates = mostStates;
        this.launched = new Launched(launch, memory);
    }

    /** Explores a launch with every order of steps at mbarriers tried out, too: for tests, and slow. */
    public static Verdict exploreAll(Launch launch, List<byte[]> memory, int mostStates) {
        Explorer explorer = new Explorer(launch, memory, mostStates);
        Arrays.fill(explorer.launched.isWatched, true);
        return explorer.run();
    }

    /**
     * Explores a launch.
     *
     * @param memory what its buffers hold at first
     * @param mostStates after this many states the rest is left, as where these would need too much memory
     * @throws Unsupported if the program has something that the explorer does not know, or too many threads
     */
    public static Verdict explore(Launch launch, List<byte[]> memory, int mostStates) {
        return new Explorer(launch, memory, mostStates).run();
    }

    /** A form of the program that the explorer does not know, as far as that shows before it runs; else empty. */
    public static Optional<String> unknown(TileProgram program) {
        return program.instructions().stream().filter(form -> form instanceof MmaInstruction
                || form instanceof Ldmatrix || form instanceof Stmatrix || form instanceof TensormapInstruction
                || form instanceof TensorLoad load && load.mode() != LoadMode.TILE).map(PtxInstruction::opcode)
                .findFirst();
    }

    private Verdict run() {
        while (true) {
            facts = new Facts();
            met = new HashSet<>();
            endings = new LinkedHashMap<>();
            limit = Verdict.Limit.NONE;
            try {
                search();
                learn();
            } catch (Cells.Restart restart) {
                learn();
                launched.cells.rebuild();
                continue;
            }
            if (!facts.unwatchedRace || endings.size() > 1 || endings.keySet().stream().anyMatch(Verdict::isBad)) {
                break;
            }
            launched.cells.rebuild();
        }
        return new Verdict(List.copyOf(endings.keySet()), List.copyOf(endings.values()), List.copyOf(races), meetings,
                phases, bytesLeft, limit, states);
    }

    private void learn() {
        races.addAll(facts.races);
        meetings |= facts.meetings;
        phases |= facts.phases;
        bytesLeft |= facts.bytesLeft;
    }

    private void search() {
        List<World> open = new ArrayList<>();
        World start = new World(launched);
        settle(start, open);
        while (!open.isEmpty() && endings.size() < 2 && !facts.unwatchedRace) {
            World w = open.removeLast();
            boolean moved = false;
            for (int cluster = 0; cluster < w.met.length; cluster++) {
                boolean apart = isApart(w, cluster);
                if (apart && moved) {
                    continue;
                }
                boolean here = start(w, cluster, open);
                for (int t = 0; t < w.threads.length; t++) {
                    here |= w.cluster(t) == cluster && branch(w, t, -1, open);
                }
                for (int c = 0; c < w.copies.size(); c++) {
                    here |= w.cluster(w.copies.get(c).issuer) == cluster && branch(w, -1, c, open);
                }
                moved |= here;
                if (apart && here) {
                    break;
                }
            }
            if (!moved) {
                ended(w);
            }
            if (endings.keySet().stream().anyMatch(Verdict::isBad)) {
                return;
            }
        }
    }

    /** Lets a block of a cluster begin. */
    private boolean start(World w, int cluster, List<World> open) {
        boolean any = false;
        for (int b = cluster * launched.clusterBlocks; b < (cluster + 1) * launched.clusterBlocks; b++) {
            if (!w.started[b]) {
                World after = w.copy();
                after.started[b] = true;
                settle(after, open);
                any = true;
            }
        }
        return any;
    }

    /**
     * Whether all that the cluster's threads and copies may do next concerns the cluster alone, so that what others do
     * before makes no difference.
     */
    private boolean isApart(World w, int cluster) {
        for (ThreadState t : w.threads) {
            if (w.cluster(t.number) == cluster && !t.finished && !isApart(launched.code.code.get(t.pc))) {
                return false;
            }
        }
        return w.copies.stream().noneMatch(c -> w.cluster(c.issuer) == cluster && c.stage != Copy.Stage.COMPLETE);
    }

    private static boolean isApart(FlatCode.Insn insn) {
        return !(insn instanceof FlatCode.Again) && !(insn instanceof FlatCode.Do(Operation operation)
                && !isApart(operation));
    }

    private static boolean isApart(Operation operation) {
        return operation instanceof Operation.SyncThreads || operation instanceof Operation.Instruction i
                && !(i.form() instanceof ScopedAccess) && !(i.form() instanceof Fence);
    }

    /** Tries a visible step of a thread or of a copy, in each of its ways. @return whether there is one */
    private boolean branch(World w, int thread, int copy, List<World> open) {
        try {
            Machine.Next next = thread >= 0 ? new Machine(w, null, facts).next(w.threads[thread])
                    : new Copies(new Machine(w, null, facts)).next(w.copies.get(copy));
            if (next != Machine.Next.VISIBLE) {
                return false;
            }
        } catch (Ending ending) {
            goesWrong(w, ending.getMessage());
            return true;
        }
        Chooser chooser = new Chooser();
        do {
            World after = w.copy();
            Machine m = new Machine(after, chooser, facts);
            try {
                if (thread >= 0) {
                    m.step(after.threads[thread]);
                } else {
                    new Copies(m).step(after.copies.get(copy));
                }
                settle(after, open);
            } catch (Ending ending) {
                goesWrong(after, ending.getMessage());
                return true;
            }
        } while (chooser.next());
        return true;
    }

    /** Makes all local steps, and keeps the state if it is new. */
    private void settle(World w, List<World> open) {
        Machine m = new Machine(w, new Chooser(), facts);
        Copies copies = new Copies(m);
        try {
            boolean moved = true;
            while (moved && steps <= MOST_STEPS) {
                moved = false;
                for (ThreadState t : w.threads) {
                    while (m.next(t) == Machine.Next.LOCAL && steps++ <= MOST_STEPS) {
                        m.step(t);
                        moved = true;
                        if (w.copies.size() > MANY_COPIES) {
                            settle(w, copies);
                        }
                    }
                }
                moved |= settle(w, copies);
            }
        } catch (Ending ending) {
            goesWrong(w, ending.getMessage());
            return;
        }
        w.tidy();
        if (met.add(w.print())) {
            limit = ++states > mostStates ? Verdict.Limit.STATES : (open.size() + 1) * w.bytes() > MOST_BYTES
                    ? Verdict.Limit.MEMORY : steps > MOST_STEPS ? Verdict.Limit.STEPS : limit;
            if (limit != Verdict.Limit.NONE) {
                open.clear();
            } else {
                open.add(w);
            }
        }
    }

    private void goesWrong(World w, String why) {
        endings.putIfAbsent(why, new Order(Trail.moves(w.trail, launched), List.of(), why, List.of()));
    }

    private static boolean settle(World w, Copies copies) {
        boolean moved = false;
        for (Copy c : List.copyOf(w.copies)) {
            while (w.copies.contains(c) && copies.next(c) == Machine.Next.LOCAL) {
                copies.step(c);
                moved = true;
            }
        }
        return moved;
    }

    private void ended(World w) {
        List<Move> stuck = Arrays.stream(w.threads).filter(t -> !t.finished).map(t -> new Move(w.block(t.number),
                t.number % launched.threadsPerBlock,
                launched.code.steps.get(t.pc - (t.atSync || t.members != 0 || t.named != 0 ? 1 : 0)), Move.Kind.STEP,
                "", "", false, false)).toList();
        if (!stuck.isEmpty()) {
            endings.putIfAbsent(STUCK, new Order(Trail.moves(w.trail, launched), stuck, STUCK, List.of()));
            return;
        }
        for (Barrier b : w.barriers) {
            facts.bytesLeft |= b.life == Barrier.Life.VALID && b.bytes != 0;
        }
        List<byte[]> memory = launched.memory();
        for (int c = 0; c < w.writes.length; c++) {
            if (!launched.cells.isShared(c)) {
                int value = w.writes[c].getLast().value();
                if (launched.values.hasUndefined(value)) {
                    goesWrong(w, UNDEFINED);
                    return;
                }
                Cells.Range at = launched.cells.range(c);
                short[] bytes = launched.values.bytes(value);
                for (int i = 0; i < bytes.length; i++) {
                    memory.get(at.space())[at.from() + i] = (byte) bytes[i];
                }
            }
        }
        Key key = new Key();
        memory.forEach(key::add);
        endings.computeIfAbsent(Verdict.BYTES + " " + key.print(), _ -> new Order(Trail.moves(w.trail, launched),
                List.of(), "", memory));
    }
}
