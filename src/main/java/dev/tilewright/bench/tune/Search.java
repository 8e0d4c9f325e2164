package dev.tilewright.bench.tune;

import dev.tilewright.Progress;
import dev.tilewright.bench.result.Spread;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * Finds the fastest of many candidates in a given time: each is measured in a few turns, and so are variants of the
 * best; the best quarter of all in more turns, and the best of those in full turns beside the one that stands. It is
 * replaced only where the two differ by more than their turns do among themselves.
 *
 * @param <C> a candidate
 */
final class Search<C> {
    private static final int QUICK_TURNS = 2;
    private static final int MORE_TURNS = 5;
    private static final int FULL_TURNS = 21;
    /** The fewest that the last comparison has, out of time or stopped. */
    private static final int LEAST_TURNS = 5;
    private static final int FINALISTS = 3;
    private static final int FEWEST = 4;
    /** How many share turns in the second round: between two groups the time is looked at. */
    private static final int GROUP = 8;
    /** The share of the time that is gone when the first round, its variants and the second round end. */
    private static final double QUICK_SHARE = 0.45;
    private static final double VARIANTS_SHARE = 0.7;
    private static final double MORE_SHARE = 0.85;

    /**
     * What was found.
     *
     * @param best the fastest; the one that stands, if none is faster for sure
     * @param bestMicros of it in the last comparison
     * @param standingMicros of the one that stands, there
     * @param turns of the last comparison
     * @param measured how many were measured
     * @param wrong the schedules that made wrong bytes
     * @param complete whether time sufficed for all
     */
    record Outcome<C>(C best, Spread bestMicros, Spread standingMicros, int turns, int measured, List<C> wrong,
            boolean complete) { }

    private record Timed<C>(C candidate, double micros) { }

    private final Contest<C> contest;
    private final Function<C, List<C>> variants;
    private final int withVariants;
    private final LongSupplier nanos;
    private final BooleanSupplier stopped;
    private long begin;
    private long limitNanos;
    private boolean complete;

    /**
     * @param variants what else is worth a try where a candidate is among the best
     * @param withVariants how many of the first round's best have variants
     * @param nanos the clock
     * @param stopped whether to end with what is known
     */
    Search(Contest<C> contest, Function<C, List<C>> variants, int withVariants, LongSupplier nanos,
            BooleanSupplier stopped) {
        this.contest = contest;
        this.variants = variants;
        this.withVariants = withVariants;
        this.nanos = nanos;
        this.stopped = stopped;
    }

    /**
     * Searches.
     *
     * @param candidates the first is the one that stands
     * @param limit nanoseconds from now; the one that stands is measured in any case
     * @throws IllegalStateException if the one that stands cannot be measured
     */
    Outcome<C> run(List<C> candidates, long limit, Progress progress, String what) {
        begin = nanos.getAsLong();
        limitNanos = limit;
        complete = true;
        C standing = candidates.getFirst();
        List<C> wrong = new ArrayList<>();
        List<Timed<C>> quick = new ArrayList<>();
        quickly(candidates.subList(0, 1), 1, quick, wrong, Progress.NONE, what);
        if (quick.isEmpty()) {
            throw new IllegalStateException("the schedule that stands " + (wrong.isEmpty() ? "cannot be measured"
                    : "makes wrong bytes"));
        }
        quickly(candidates.subList(1, candidates.size()), QUICK_SHARE, quick, wrong, progress, what);
        List<C> others = best(quick, withVariants).stream().flatMap(timed -> variants.apply(timed.candidate).stream())
                .distinct().filter(variant -> !candidates.contains(variant)).toList();
        contest.announce(others);
        quickly(others, VARIANTS_SHARE, quick, wrong, progress, what + ", variants of the best");
        List<Timed<C>> ranked = best(quick, Math.max(FEWEST, Math.ceilDiv(quick.size(), 4)));
        List<Timed<C>> more = again(ranked);
        return compare(standing, best(more.isEmpty() ? ranked : more, FINALISTS), quick.size(), wrong);
    }

    /** The first round, as far as the time goes. */
    private void quickly(List<C> candidates, double share, List<Timed<C>> quick, List<C> wrong, Progress progress,
            String what) {
        for (int i = 0; i < candidates.size(); i++) {
            if (!quick.isEmpty() && isOver(share)) {
                complete = false;
                break;
            }
            progress.at(what, i, candidates.size());
            C candidate = candidates.get(i);
            switch (contest.enter(candidate)) {
                case READY -> quick.add(new Timed<>(candidate,
                        contest.measure(QUICK_TURNS, List.of(candidate)).getFirst().least()));
                case WRONG -> wrong.add(candidate);
                case IMPOSSIBLE -> { }
            }
        }
        progress.at(what, candidates.size(), candidates.size());
    }

    /** The second round, in groups. */
    private List<Timed<C>> again(List<Timed<C>> ranked) {
        List<Timed<C>> more = new ArrayList<>();
        for (int i = 0; i < ranked.size(); i += GROUP) {
            if (isOver(MORE_SHARE)) {
                complete = false;
                break;
            }
            List<C> group = ranked.subList(i, Math.min(i + GROUP, ranked.size())).stream().map(Timed::candidate)
                    .toList();
            List<Spread> micros = contest.measure(MORE_TURNS, group);
            for (int k = 0; k < group.size(); k++) {
                more.add(new Timed<>(group.get(k), micros.get(k).median()));
            }
        }
        return more;
    }

    /** The last comparison: the finalists beside the one that stands. */
    private Outcome<C> compare(C standing, List<Timed<C>> finalists, int measured, List<C> wrong) {
        long leftNanos = limitNanos - (nanos.getAsLong() - begin);
        List<C> sides = new ArrayList<>(List.of(standing));
        double round = 0;
        for (Timed<C> finalist : finalists) {
            round += finalist.micros;
            if (!finalist.candidate.equals(standing)) {
                sides.add(finalist.candidate);
            }
        }
        // Every turn is started twice, and a side is warmed up by some turns' worth.
        int fitting = (int) Math.clamp(leftNanos / 1e3 / Math.max(1, 3 * round), 0, FULL_TURNS);
        int turns = stopped.getAsBoolean() ? LEAST_TURNS : Math.max(LEAST_TURNS, fitting);
        List<Spread> micros = contest.measure(turns, sides);
        Spread standingMicros = micros.getFirst();
        int best = 0;
        for (int i = 1; i < sides.size(); i++) {
            Spread own = micros.get(i);
            if (own.upperQuartile() < standingMicros.lowerQuartile()
                    && (best == 0 || own.median() < micros.get(best).median())) {
                best = i;
            }
        }
        return new Outcome<>(sides.get(best), micros.get(best), standingMicros, turns, measured, List.copyOf(wrong),
                complete);
    }

    private boolean isOver(double share) {
        return stopped.getAsBoolean() || nanos.getAsLong() - begin > limitNanos * share;
    }

    private List<Timed<C>> best(List<Timed<C>> all, int count) {
        return all.stream().sorted(Comparator.comparingDouble(Timed::micros)).limit(count).toList();
    }
}
