package dev.tilewright.bench.device;

import dev.tilewright.bench.result.Spread;
import dev.tilewright.gpu.Event;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.Stream;
import java.util.ArrayList;
import java.util.List;

/**
 * Times work of several sides on a GPU turn by turn, so that all have the same clocks and the same warmth: by events in
 * one stream. Work that takes less than {@link #LEAST_MICROS} is started several times between two events, each time on
 * the next of the places that a side rotates through, so that what the last start left in the L2 is of no use.
 */
public final class DeviceTurns implements AutoCloseable {
    /** Events are good to about half a microsecond, and a launch's own cost shall be hidden behind the one before. */
    private static final double LEAST_MICROS = 400;
    private static final int MOST_STARTS = 64;

    /** Work of one side. */
    @FunctionalInterface
    public interface Work {
        /** Puts it into the stream. @param place counts up from 0: which of its rotating buffers it uses */
        void start(Stream stream, int place);
    }

    private final Stream stream;
    private final Event begin;
    private final Event end;
    /** What later subjects warm up for, of what the first does: the clocks are up. */
    private static final double LATER = 0.1;

    private double warmUpMillis;
    private boolean warm;
    private int place;

    /** @param warmUpMillis how long each side of the first subject works before it is measured; of the others a tenth */
    public DeviceTurns(Gpu gpu, double warmUpMillis) {
        this.stream = gpu.stream();
        this.begin = gpu.timedEvent();
        this.end = gpu.timedEvent();
        this.warmUpMillis = warmUpMillis;
    }

    /** The stream in which everything is put. */
    public Stream stream() {
        return stream;
    }

    /** Measures sides in turns. @return µs of one start, of each side in their order */
    public List<Spread> take(int turns, List<Work> sides) {
        int[] starts = new int[sides.size()];
        for (int side = 0; side < starts.length; side++) {
            starts[side] = warmUp(sides.get(side));
        }
        if (!warm) {
            warm = true;
            warmUpMillis *= LATER;
        }
        double[][] micros = new double[starts.length][turns];
        for (int turn = 0; turn < turns; turn++) {
            for (int side = 0; side < starts.length; side++) {
                micros[side][turn] = micros(sides.get(side), starts[side]);
            }
        }
        List<Spread> spreads = new ArrayList<>();
        for (double[] samples : micros) {
            spreads.add(Spread.of(samples));
        }
        return spreads;
    }

    private int warmUp(Work work) {
        double first = micros(work, 1);
        double micros = Math.min(first, micros(work, 1));
        int starts = (int) Math.clamp(Math.ceil(LEAST_MICROS / micros), 1, MOST_STARTS);
        for (double done = 0; done < warmUpMillis * 1e3; ) {
            done += starts * micros(work, starts);
        }
        return starts;
    }

    /**
     * µs of one of several starts, after one that is not timed: what a copy leaves unwritten in the L2, up to 30 MB of an
     * H200's, delays the next, which shall be one of its own.
     */
    private double micros(Work work, int starts) {
        work.start(stream, place++);
        stream.record(begin);
        for (int i = 0; i < starts; i++) {
            work.start(stream, place++);
        }
        stream.record(end);
        end.synchronize();
        return end.millisecondsSince(begin) * 1e3 / starts;
    }

    @Override
    public void close() {
        begin.close();
        end.close();
        stream.close();
    }
}
