package dev.tilewright.program;

import dev.tilewright.program.expression.OutOfRegistersException;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.mma.Wgmma;
import dev.tilewright.ptx.warp.Setmaxnreg;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Refuses numbers of registers ({@code setmaxnreg}) that no block can have, and {@code wgmma} where threads have fewer
 * registers than it takes. A kernel starts with as many for each thread as 65,536 are for its blocks, whose warps count
 * by fours, a multiple of 8, but no more than the largest that it asks for: that is what ptxas 13.0 and 13.3 make of
 * {@code __launch_bounds__(threads, blocks)}. What some warpgroups take, others have to have given back.
 */
final class RegisterCheck {
    private static final int WARPGROUP = 128;
    private static final int OF_A_BLOCK = 65_536;
    private static final int MOST = 256;
    private static final int STEP = 8;
    /** Warps are shared out to the four parts of a multiprocessor. */
    private static final int PARTS = 4;
    /** What ptxas leaves {@code wgmma} beside D and A at least: B's descriptor, and what it keeps for itself. */
    private static final int BESIDE = 26;
    /** With A in registers. */
    private static final int BESIDE_BOTH = 28;

    private RegisterCheck() { }

    /** @param atOnce blocks that are to run at once, 0 where the compiler decides */
    static void check(Dim3 block, List<Step> body, int atOnce) {
        Set<Setmaxnreg> changes = new LinkedHashSet<>();
        Set<Wgmma> products = new LinkedHashSet<>();
        for (Step step : new StepNumbers(body).all()) {
            if (step.operation() instanceof Operation.Issue(Setmaxnreg change, var _, var _)) {
                changes.add(change);
            } else if (step.operation() instanceof Operation.Issue(Wgmma product, var _, var _)) {
                products.add(product);
            }
        }
        products.forEach(product -> check((int) block.count(), atOnce, product));
        if (!changes.isEmpty()) {
            if (atOnce > 1) {
                throw new IllegalArgumentException("a block that changes its registers has a multiprocessor for itself,"
                        + " and " + atOnce + " are to run at once: leave that out, or setmaxnreg");
            }
            check((int) block.count(), changes);
            checkTogether(block, body, start((int) block.count(), changes));
        }
    }

    /** What a thread has in the beginning: {@code setmaxnreg} changes nothing of what ptxas allows. */
    private static void check(int threads, int atOnce, Wgmma product) {
        int needed = product.operands().stream().filter(operand -> operand.kind().isRegisters())
                .mapToInt(Operand::count).sum() + (product.registersA() ? BESIDE_BOTH : BESIDE);
        int blocks = Math.max(1, atOnce);
        int share = fair(threads, blocks);
        if (needed > share) {
            throw new OutOfRegistersException(product.opcode() + " takes at least " + needed + " registers of each "
                    + "thread, and " + (blocks == 1 ? "a block of " : blocks + " blocks at once of ") + threads
                    + " threads " + (blocks == 1 ? "leaves" : "leave") + " it " + share + ": use fewer threads"
                    + (blocks == 1 ? "" : ", or fewer blocks at once") + ", or fewer columns a product");
        }
    }

    /** Registers of each thread if all threads have equally many. @param blocks at once on a multiprocessor */
    private static int fair(int threads, int blocks) {
        int warps = Math.ceilDiv(Math.ceilDiv(threads, Warp.LANES) * blocks, PARTS) * PARTS;
        return Math.min(MOST, OF_A_BLOCK / warps / Warp.LANES / STEP * STEP);
    }

    private static int fair(int threads) {
        return fair(threads, 1);
    }

    private static int most(int threads, Set<Setmaxnreg> changes) {
        return changes.stream().filter(Setmaxnreg::increase).mapToInt(Setmaxnreg::registers).max()
                .orElse(fair(threads));
    }

    private static int start(int threads, Set<Setmaxnreg> changes) {
        return Math.min(fair(threads), most(threads, changes));
    }

    /** Whether what all warpgroups have in the end, none of which is given back any more, is more than there is. */
    private static void checkTogether(Dim3 block, List<Step> body, int start) {
        int threads = (int) block.count();
        List<Integer> last = new ArrayList<>();
        int all = 0;
        Set<Object> asked = LaneDependence.asked(body);
        for (int group = 0; group < Math.ceilDiv(threads, WARPGROUP); group++) {
            last.add(new Kept(block, group, asked).after(body, start));
            all += last.getLast() * Math.min(WARPGROUP, threads - group * WARPGROUP);
        }
        if (all > start * threads) {
            throw new IllegalArgumentException("setmaxnreg.inc would wait for ever: in the end threads of the block's "
                    + "warpgroups keep "
                    + last.stream().map(String::valueOf).collect(Collectors.joining(", ")) + " registers, " + all
                    + " in all, and its " + threads + " threads begin with " + start + " each, " + start * threads
                    + ": let some keep fewer, or take fewer");
        }
    }

    private static void check(int threads, Set<Setmaxnreg> changes) {
        int fair = fair(threads);
        int most = most(threads, changes);
        int least = changes.stream().mapToInt(Setmaxnreg::registers).min().orElseThrow();
        int start = start(threads, changes);
        for (Setmaxnreg change : changes) {
            int registers = change.registers();
            if (!change.increase() && registers > most) {
                throw new IllegalArgumentException(change.opcode() + " " + registers
                        + " gives no registers back: a thread has at most "
                        + most + (most == fair ? ", as a block of " + threads + " threads shares " + OF_A_BLOCK
                        : ", the largest "
                        + "number that the kernel asks for") + "; keep fewer");
            }
            // The rest of the block has the least that there is, or what it began with.
            int others = (threads - WARPGROUP) * Math.min(least, start);
            if (change.increase() && WARPGROUP * registers + others > start * threads) {
                throw new IllegalArgumentException(change.opcode() + " " + registers
                        + " would wait for ever: the block's " + threads
                        + " threads begin with " + start + " registers each, and if all other warpgroups keep "
                        + Math.min(least, start) + ", " + (start * threads - others) / WARPGROUP / STEP * STEP
                        + " are left for each thread of this one: let others keep fewer, or take fewer");
            }
        }
    }

    /** How many registers each thread of a warpgroup has at least, when it has done some steps. */
    private static final class Kept {
        private final LaneDependence lanes;
        /** What calls leave behind: the procedure, what is known of its arguments, and how many there were before. */
        private final Map<List<Object>, Integer> known = new HashMap<>();

        /** @param group number of the warpgroup in the block @param asked see {@link LaneDependence#asked} */
        Kept(Dim3 block, int group, Set<Object> asked) {
            this.lanes = new LaneDependence(block, WARPGROUP, group, asked);
        }

        /**
         * The fewest that it may have, whichever way it goes where the program's text does not tell.
         *
         * @param before how many it had
         */
        int after(List<Step> body, int before) {
            int kept = before;
            for (Step step : body) {
                lanes.define(step.operation());
                kept = after(step.operation(), kept);
            }
            return kept;
        }

        private int after(Operation operation, int before) {
            return switch (operation) {
                case Operation.Issue(Setmaxnreg change, var _, var _) -> change.registers();
                case Operation.Guard guard when lanes.isNever(guard.condition(), true) ->
                        after(guard.otherwise(), before);
                case Operation.Guard guard when lanes.isNever(guard.condition(), false) -> after(guard.body(), before);
                case Operation.Guard guard -> Math.min(after(guard.body(), before), after(guard.otherwise(), before));
                // A loop may be left behind any of its steps, or never be entered.
                case Operation.Loop loop -> Math.min(before, least(loop.body()));
                case Operation.While loop -> Math.min(before, least(loop.body()));
                case Operation.Call call -> {
                    List<Object> asBefore = List.of(call.procedure(), lanes.known(call), before);
                    if (!known.containsKey(asBefore)) {
                        lanes.within(call, () -> known.put(asBefore, after(call.procedure().body(), before)));
                    }
                    yield known.get(asBefore);
                }
                default -> before;
            };
        }

        private static int least(List<Step> body) {
            int least = Integer.MAX_VALUE;
            for (Step step : new StepNumbers(body).all()) {
                if (step.operation() instanceof Operation.Issue(Setmaxnreg change, var _, var _)) {
                    least = Math.min(least, change.registers());
                }
            }
            return least;
        }
    }
}
