package dev.tilewright.bench.device;

import dev.tilewright.bench.result.Spread;
import dev.tilewright.gpu.Event;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.Stream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * Times work of several sides on a GPU turn by turn, so that all have the same clocks and the same warmth: by events in
 * one stream. Work that takes less than {@link #LEAST_MICROS} is started several times between two events, each time on
 * the next of the places that a side rotates through, so that what the last start left in the L2 is of no use. All
 * turns are submitted behind the warm-up without a wait, so that the GPU is never idle between them and no time of the
 * host's is in what is measured; the rivals' programs do the same, in {@code native-tests/rivals/turns.hpp}. The order
 * within a turn is drawn anew each time: the power that a side draws lowers the clock of those behind it.
 */
public final class DeviceTurns implements AutoCloseable {
    /** Events are good to about half a microsecond, and a launch's own cost shall be hidden behind the one before. */
    private static final double LEAST_MICROS = 400;
    private static final int MOST_STARTS = 64;
    private static final int CHOOSING_TURNS = 3;
    /** What later subjects warm up for, of what the first does: the clocks are up. */
    private static final double LATER = 0.1;
    /** Of all sides, in one warm-up. */
    private static final int MOST_ROUNDS = 20_000;
    private static final long SEED = 7;

    /** Work of one side. */
    @FunctionalInterface
    public interface Work {
        /** Puts it into the stream. @param place counts up from 0: which of its rotating buffers it uses */
        void start(Stream stream, int place);
    }

    private final Gpu gpu;
    private final Stream stream;
    /** Pairs, before and after a batch; the pool grows to the number in use at once. */
    private final List<Event> events = new ArrayList<>();
    private final double later;
    private final double leastMicros;
    private double warmUpMillis;
    private int place;

    /**
     * @param warmUpMillis how long each side of the first subject works before it is measured; of the others a tenth
     */
    public DeviceTurns(Gpu gpu, double warmUpMillis) {
        this(gpu, warmUpMillis, LATER, LEAST_MICROS);
    }

    private DeviceTurns(Gpu gpu, double warmUpMillis, double ofLater, double leastMicros) {
        this.gpu = gpu;
        this.stream = gpu.stream();
        this.warmUpMillis = warmUpMillis;
        this.later = warmUpMillis * ofLater;
        this.leastMicros = leastMicros;
    }

    /**
     * Turns before each {@link #take} of which the sides work as long, and which last as long: of what draws so much
     * power that clocks give way. A single start is as fast as the control of power lets it just then.
     */
    public static DeviceTurns sustained(Gpu gpu, double warmUpMillis) {
        return new DeviceTurns(gpu, warmUpMillis, 1, warmUpMillis * 1e3);
    }

    /** The stream in which everything is put. */
    public Stream stream() {
        return stream;
    }

    /** Measures sides in turns. @return µs of one start, of each side in their order */
    public List<Spread> take(int turns, List<Work> sides) {
        int[] starts = new int[sides.size()];
        double round = 0;
        for (int side = 0; side < starts.length; side++) {
            double micros = microsOfOne(sides.get(side));
            starts[side] = (int) Math.clamp(Math.ceil(leastMicros / micros), 1, MOST_STARTS);
            round += micros;
        }
        warmUp(sides, round);
        List<Integer> order = new ArrayList<>(IntStream.range(0, starts.length).boxed().toList());
        Random random = new Random(SEED);
        for (int turn = 0; turn < turns; turn++) {
            Collections.shuffle(order, random);
            for (int side : order) {
                batch(sides.get(side), starts[side], turn * starts.length + side);
            }
        }
        stream.synchronize();
        List<Spread> spreads = new ArrayList<>();
        for (int side = 0; side < starts.length; side++) {
            double[] micros = new double[turns];
            for (int turn = 0; turn < turns; turn++) {
                micros[turn] = micros(turn * starts.length + side) / starts[side];
            }
            spreads.add(Spread.of(micros));
        }
        return spreads;
    }

    /** Which of several ways to do one thing takes the least time, by a few turns. */
    public int fastest(List<Work> ways) {
        List<Spread> micros = take(CHOOSING_TURNS, ways);
        return IntStream.range(0, ways.size()).boxed().min(Comparator.comparing(i -> micros.get(i).least()))
                .orElseThrow();
    }

    /** About how long one start takes, once the first has made everything ready. */
    private double microsOfOne(Work work) {
        batch(work, 2, 0);
        stream.synchronize();
        return Math.max(micros(0) / 2, 1);
    }

    private void warmUp(List<Work> sides, double roundMicros) {
        int rounds = (int) Math.clamp(warmUpMillis * 1e3 * sides.size() / roundMicros, 2, MOST_ROUNDS);
        for (int round = 0; round < rounds; round++) {
            for (Work side : sides) {
                side.start(stream, place++);
            }
        }
        warmUpMillis = later;
    }

    /**
     * Several starts between two events, after one that is not timed: what a copy leaves unwritten in the L2, up to 30
     * MB of an H200's, delays the next, which shall be one of its own.
     */
    private void batch(Work work, int starts, int pair) {
        while (events.size() < 2 * (pair + 1)) {
            events.add(gpu.timedEvent());
        }
        work.start(stream, place++);
        stream.record(events.get(2 * pair));
        for (int i = 0; i < starts; i++) {
            work.start(stream, place++);
        }
        stream.record(events.get(2 * pair + 1));
    }

    private double micros(int pair) {
        return events.get(2 * pair + 1).millisecondsSince(events.get(2 * pair)) * 1e3;
    }

    @Override
    public void close() {
        events.forEach(Event::close);
        stream.close();
    }
}
