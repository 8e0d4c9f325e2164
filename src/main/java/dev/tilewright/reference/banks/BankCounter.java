package dev.tilewright.reference.banks;

import dev.tilewright.program.Step;
import dev.tilewright.program.StepNumbers;
import dev.tilewright.program.TileProgram;
import dev.tilewright.ptx.Effects;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.reference.fault.ReferenceException.Kind;
import dev.tilewright.reference.observe.ExecutionObserver;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Puts together what the lanes of a warp do at a step for the same time. The reference runs them one after the other, so
 * that an access is known when all lanes have had their part in it, or their block has ended.
 */
final class BankCounter implements ExecutionObserver {
    private static final int LANES = 32;
    private static final int WIDEST = 16;

    /** What a warp does at a step. */
    private record Place(int warp, int step) {
    }

    /** Accesses of a warp at a step that are not known wholly yet, in turn. */
    private static final class Pending {
        private final List<int[]> accesses = new ArrayList<>();
        private final int[] lanes;
        private final long[] performed = new long[LANES];
        private final boolean writes;
        private final int bytes;
        /** The turn of the first of them. */
        private long first;

        Pending(int lanes, boolean writes, int bytes) {
            this.lanes = new int[lanes];
            this.writes = writes;
            this.bytes = bytes;
        }
    }

    private static final class Sum {
        private long accesses;
        private long wavefronts;
        private long ideal;
        private WarpAccess worst;
    }

    private final StepNumbers numbers;
    private final int threads;
    private final Map<Integer, Map<Place, Pending>> blocks = new HashMap<>();
    private final Map<Integer, Integer> ended = new HashMap<>();
    private final Map<Integer, Sum> sums = new TreeMap<>();

    BankCounter(TileProgram program) {
        this.numbers = new StepNumbers(program);
        this.threads = program.threads();
    }

    /** What was counted. */
    List<StepConflicts> steps() {
        List.copyOf(blocks.keySet()).forEach(this::end);
        List<StepConflicts> steps = new ArrayList<>();
        sums.forEach((number, sum) -> {
            Step step = numbers.step(number);
            steps.add(new StepConflicts(number, step.purpose(), step.javaLine(),
                    sum.accesses, sum.wavefronts, sum.ideal, sum.worst));
        });
        return steps;
    }

    @Override
    public void starts(Shape shape) {
    }

    @Override
    public void shared(int block, int thread, int step, AccessKind kind, int owner, int address, int bytes) {
        boolean counted = kind.completion() == Effects.Completion.AT_ONCE && kind.proxy() == Effects.Proxy.GENERIC
                && kind.reads() != kind.writes() && !kind.waits() && owner == block
                && bytes <= WIDEST && Integer.bitCount(bytes) == 1 && address % bytes == 0;
        if (!counted) {
            return;
        }
        int warp = thread / LANES;
        int lane = thread % LANES;
        Pending pending = blocks.computeIfAbsent(block, _ -> new HashMap<>()).computeIfAbsent(new Place(warp, step),
                _ -> new Pending(Math.min(LANES, threads - warp * LANES), kind.writes(), bytes));
        int at = (int) (pending.performed[lane]++ - pending.first);
        while (pending.accesses.size() <= at) {
            int[] addresses = new int[pending.lanes.length];
            Arrays.fill(addresses, SharedBanks.NO_ADDRESS);
            pending.accesses.add(addresses);
        }
        pending.accesses.get(at)[lane] = address;
        while (!pending.accesses.isEmpty() && isWhole(pending)) {
            count(block, warp, step, pending);
        }
    }

    /** Whether every lane has had its part in the first access. */
    private static boolean isWhole(Pending pending) {
        for (int address : pending.accesses.getFirst()) {
            if (address == SharedBanks.NO_ADDRESS) {
                return false;
            }
        }
        return true;
    }

    private void count(int block, int warp, int step, Pending pending) {
        int[] addresses = pending.accesses.removeFirst();
        int wavefronts = SharedBanks.wavefronts(addresses, pending.bytes);
        int ideal = SharedBanks.ideal(addresses, pending.bytes);
        Sum sum = sums.computeIfAbsent(step, _ -> new Sum());
        sum.accesses++;
        sum.wavefronts += wavefronts;
        sum.ideal += ideal;
        if (sum.worst == null || wavefronts - ideal > sum.worst.wavefronts() - sum.worst.ideal()) {
            sum.worst = new WarpAccess(block, warp, pending.first, pending.writes, pending.bytes,
                    Arrays.stream(addresses).boxed().toList(), wavefronts, ideal);
        }
        pending.first++;
    }

    @Override
    public void exits(int block, int thread, int step) {
        if (ended.merge(block, 1, Integer::sum) == threads) {
            end(block);
        }
    }

    private void end(int block) {
        Map<Place, Pending> places = blocks.remove(block);
        if (places != null) {
            places.forEach((place, pending) -> {
                while (!pending.accesses.isEmpty()) {
                    count(block, place.warp, place.step, pending);
                }
            });
        }
    }

    // ---- what has no part in it

    @Override
    public void global(int block, int thread, int step, AccessKind manner, int piece, long offset, long bytes) {
    }

    @Override
    public void reachesSync(int block, int thread, int step) {
    }

    @Override
    public void syncThreads(int block, int step) {
    }

    @Override
    public void warp(int block, int first, int last, int step) {
    }

    @Override
    public void clusterArrive(int block, int thread, int step, boolean release, long opened) {
    }

    @Override
    public void clusterWait(int block, int thread, int step) {
    }

    @Override
    public void fence(int block, int thread, int step, PtxInstruction form) {
    }

    @Override
    public void barrierInit(int block, int thread, int step, int owner, int address, String name, long arrivals) {
    }

    @Override
    public void barrierInvalidated(int block, int thread, int step, int owner, int address) {
    }

    @Override
    public void barrierMissing(int block, int thread, int step, int owner, int address, String name) {
    }

    @Override
    public void arrives(int block, int thread, int step, int owner, int address, long phase,
            Effects.Order order, long count, boolean drops) {
    }

    @Override
    public void expects(int block, int thread, int step, int owner, int address, long phase, long bytes,
            boolean alone) {
    }

    @Override
    public void completesTx(int block, int thread, int step, int owner, int address, long phase, long bytes) {
    }

    @Override
    public void parityPassed(int block, int thread, int step, int owner, int address, long phase, long parity,
            Effects.Order order) {
    }

    @Override
    public void tokenPassed(int block, int thread, int step, int owner, int address, long phase,
            long tokenPhase, Effects.Order order) {
    }

    @Override
    public void blocked(int block, int thread, int step, int owner, int address, long phase, long parity) {
    }

    @Override
    public void cpCommit(int block, int thread, int step) {
    }

    @Override
    public void cpWait(int block, int thread, int step, int pending) {
    }

    @Override
    public void cpArrive(int block, int thread, int step, int owner, int address, long phase, boolean added) {
    }

    @Override
    public void copyStarts(int block, int thread, int step, int owner, int address, long phase, int counted,
            int mask) {
    }

    @Override
    public void storeStarts(int block, int thread, int step) {
    }

    @Override
    public void misplacedBox(int block, int thread, int step, int owner, int address, int period) {
    }

    @Override
    public void bulkCommit(int block, int thread, int step) {
    }

    @Override
    public void bulkWait(int block, int thread, int step, int pending, boolean read) {
    }

    @Override
    public void fault(int block, int thread, int step, Kind kind, String sentence) {
    }
}
