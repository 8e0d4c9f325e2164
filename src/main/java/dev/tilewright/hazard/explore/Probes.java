package dev.tilewright.hazard.explore;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

/**
 * A few orders that are likely to go wrong where threads race, each run once to its end, without keeping states:
 * threads that go as far as they can, one after the other, or step by step; copies that move late, or at once; reads
 * that see the newest write, or the oldest that they may. Each is an order that the launch may take, so that what goes
 * wrong here does.
 */
final class Probes {
    private static final int MOST_STEPS = 4_000_000;
    private static final IntUnaryOperator NEWEST = _ -> 0;
    private static final IntUnaryOperator OLDEST = n -> n - 1;

    private final Launched launched;
    private final Facts facts;
    private final Endings endings;
    private int steps;

    Probes(Launched launched, Facts facts, Endings endings) {
        this.launched = launched;
        this.facts = facts;
        this.endings = endings;
    }

    /** Runs them until one goes wrong, or two end differently. */
    void run() {
        Random random = new Random(launched.threads);
        for (IntUnaryOperator choice : List.of(NEWEST, OLDEST, (IntUnaryOperator) random::nextInt)) {
            for (int most : new int[] {1, Integer.MAX_VALUE}) {
                for (boolean forwards : new boolean[] {true, false}) {
                    for (boolean late : new boolean[] {false, true}) {
                        if (!endings.isWrong() && steps < MOST_STEPS) {
                            run(choice, most, forwards, late);
                        }
                    }
                }
            }
        }
    }

    /** @param most steps that a thread makes before the next does. @param late whether copies wait for the threads */
    private void run(IntUnaryOperator choice, int most, boolean forwards, boolean late) {
        World w = new World(launched);
        Machine m = new Machine(w, new Chooser(choice), facts);
        CopyProgress copies = new CopyProgress(m);
        try {
            Arrays.fill(w.started, true);
            int[] threads = IntStream.range(0, w.threads.length).map(t -> forwards ? t : w.threads.length - 1 - t)
                    .toArray();
            boolean moved = true;
            while (moved && steps < MOST_STEPS) {
                moved = false;
                for (int t : threads) {
                    for (int made = 0; made < most && canMove(m.next(w.threads[t])) && steps++ < MOST_STEPS; made++) {
                        m.step(w.threads[t]);
                        moved = true;
                        if (!late) {
                            move(w, copies);
                        }
                    }
                }
                moved = moved && late || move(w, copies) || moved;
            }
            if (!moved) {
                endings.ended(w);
            }
        } catch (Ending ending) {
            endings.goesWrong(w, ending.getMessage());
        }
    }

    private static boolean canMove(Machine.Next next) {
        return next == Machine.Next.LOCAL || next == Machine.Next.VISIBLE;
    }

    /** Moves all copies as far as they go. */
    private boolean move(World w, CopyProgress copies) {
        boolean moved = false;
        for (Copy c : List.copyOf(w.copies)) {
            while (w.copies.contains(c) && canMove(copies.next(c)) && steps++ < MOST_STEPS) {
                copies.step(c);
                moved = true;
            }
        }
        return moved;
    }
}
