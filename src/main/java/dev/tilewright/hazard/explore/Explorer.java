package dev.tilewright.hazard.explore;

import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.copy.LoadMode;
import dev.tilewright.ptx.copy.TensorLoad;
import dev.tilewright.ptx.mma.MmaInstruction;
import dev.tilewright.ptx.tensormap.TensormapInstruction;
import dev.tilewright.ptx.warp.Ldmatrix;
import dev.tilewright.ptx.warp.Stmatrix;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Runs a launch in every order: of its threads' steps, of the moments at which copies read, write and say that they are
 * done, and of the writes that a read may see.
 *
 * <p>Two things keep that feasible. States that were met before are not gone on from again. And a step that commutes
 * with all that others may do until something orders them is made at once: accesses of memory, as long as no run shows
 * two that nothing orders; from then on the accesses to those bytes are tried in every order, from the start.
 *
 * <p>Where threads race, a few orders that are likely to go wrong come first ({@link Probes}), since a kernel of many
 * threads has more orders than can be tried, and one that goes wrong is enough.
 */
public final class Explorer {
    /** What an ending says that leaves undefined bytes. */
    public static final String UNDEFINED = "bytes that nothing wrote are stored";
    /** What the explorer does not know, for those who ask before they try. */
    public static final String NOT_KNOWN = "products of a warpgroup (wgmma), ldmatrix and stmatrix of bytes, tensor "
            + "maps in memory, of im2col, with interleave, element strides or NaN fill, loads of values in several "
            + "widths by a scope, named barrier 0 beside __syncthreads, and functions that hardware rounds as it likes";
    /** The most threads of a launch, all blocks together. */
    public static final int MOST_THREADS = 1024;

    /** What states may take of this JVM's memory: one over this. What they leave behind takes as much again. */
    private static final int PART_OF_MEMORY = 4;

    private final int mostStates;
    private final long mostBytes;
    private final Launched launched;
    private Facts facts;
    private Endings endings;
    private final Set<String> races = new LinkedHashSet<>();
    private boolean meetings;
    private boolean phases;
    private boolean bytesLeft;
    private Exploration.Limit limit;
    private int states;
    private long steps;
    private boolean probes = true;

    private Explorer(Launch launch, List<byte[]> memory, int mostStates, long mostBytes) {
        this.mostStates = mostStates;
        this.mostBytes = mostBytes;
        this.launched = new Launched(launch, memory);
    }

    /**
     * Explores a launch with every order of steps at mbarriers tried out, too, and without trying first what is likely
     * to go wrong: for tests, and slow.
     */
    public static Exploration exploreAll(Launch launch, List<byte[]> memory, int mostStates) {
        Explorer explorer = new Explorer(launch, memory, mostStates, mostBytes());
        Arrays.fill(explorer.launched.isWatched, true);
        explorer.probes = false;
        return explorer.run();
    }

    /**
     * Explores a launch.
     *
     * @param memory what its buffers hold at first
     * @param mostStates after this many states the rest is left, as where these would need too much memory
     * @throws Unsupported if the program has something that the explorer does not know, or too many threads
     */
    public static Exploration explore(Launch launch, List<byte[]> memory, int mostStates) {
        return explore(launch, memory, mostStates, mostBytes());
    }

    /**
     * Explores a launch within less memory than this JVM has.
     *
     * @param mostBytes of the states that are kept at once, about; where they need more, the rest is left
     */
    public static Exploration explore(Launch launch, List<byte[]> memory, int mostStates, long mostBytes) {
        return new Explorer(launch, memory, mostStates, mostBytes).run();
    }

    /** Of the states that are kept at once, where nothing else is said. */
    public static long mostBytes() {
        return Runtime.getRuntime().maxMemory() / PART_OF_MEMORY;
    }

    /** A form of the program that the explorer does not know, as far as that shows before it runs; else empty. */
    public static Optional<String> unknown(TileProgram program) {
        return program.instructions().stream().filter(form -> !Matrices.isOne(form) && (form instanceof MmaInstruction
                || form instanceof Ldmatrix || form instanceof Stmatrix || form instanceof TensormapInstruction
                || form instanceof TensorLoad load && load.mode() != LoadMode.TILE)).map(PtxInstruction::opcode)
                .findFirst();
    }

    private Exploration run() {
        Endings wrong = null;
        while (true) {
            facts = new Facts();
            endings = new Endings(launched, facts);
            limit = Exploration.Limit.NONE;
            try {
                explorePass();
                learn();
            } catch (Cells.Restart restart) {
                learn();
                launched.cells.rebuild();
                continue;
            } catch (OutOfMemoryError e) {
                // What states take is estimated; where that was too little, the rest is left as well.
                limit = Exploration.Limit.MEMORY;
                learn();
            }
            wrong = endings.isWrong() ? endings : wrong;
            if (!facts.unwatchedRace || limit != Exploration.Limit.NONE) {
                break;
            }
            launched.cells.rebuild();
        }
        Endings all = wrong == null ? endings : wrong;
        return new Exploration(all.texts(), all.orders(), List.copyOf(races), meetings, phases, bytesLeft, limit,
                states);
    }

    private void explorePass() {
        if (launched.bytes() > mostBytes || steps > Search.MOST_STEPS) {
            limit = steps > Search.MOST_STEPS ? Exploration.Limit.STEPS : Exploration.Limit.MEMORY;
            return;
        }
        if (probes && launched.isRaced()) {
            new Probes(launched, facts, endings).run();
            if (endings.isWrong() || facts.unwatchedRace) {
                return;
            }
        }
        Search search = new Search(launched, facts, endings, mostStates - states, mostBytes,
                steps);
        try {
            search.run();
        } finally {
            states += search.states();
            steps = search.steps();
            limit = search.limit();
        }
    }

    private void learn() {
        races.addAll(facts.races);
        meetings |= facts.meetings;
        phases |= facts.phases;
        bytesLeft |= facts.bytesLeft;
    }
}
