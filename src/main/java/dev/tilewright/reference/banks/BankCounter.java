package dev.tilewright.reference.banks;

import dev.tilewright.program.Step;
import dev.tilewright.program.StepNumbers;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.Warp;
import dev.tilewright.ptx.Effects;
import dev.tilewright.reference.observe.ExecutionObserver;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Puts together what the lanes of a warp do at a step for the same time. The reference runs them one after the other,
 * so that an access is known when all lanes have had their part in it, or their block has ended.
 */
final class BankCounter implements ExecutionObserver {
    private static final int WIDEST = 16;

    /** What a warp does at a step. */
    private record Place(int warp, int step) { }

    /** Accesses of a warp at a step that are not known wholly yet, in turn. */
    private static final class Pending {
        private final List<int[]> accesses = new ArrayList<>();
        private final int[] lanes;
        private final long[] performed = new long[Warp.LANES];
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
    public void shared(int block, int thread, int step, AccessKind kind, int owner, int address, int bytes) {
        boolean counted = kind.completion() == Effects.Completion.AT_ONCE && kind.proxy() == Effects.Proxy.GENERIC
                && kind.reads() != kind.writes() && !kind.waits() && owner == block
                && bytes <= WIDEST && Integer.bitCount(bytes) == 1 && address % bytes == 0;
        if (!counted) {
            return;
        }
        int warp = thread / Warp.LANES;
        int lane = thread % Warp.LANES;
        Pending pending = blocks.computeIfAbsent(block, _ -> new HashMap<>()).computeIfAbsent(new Place(warp, step),
                _ -> new Pending(Math.min(Warp.LANES, threads - warp * Warp.LANES), kind.writes(), bytes));
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
}
