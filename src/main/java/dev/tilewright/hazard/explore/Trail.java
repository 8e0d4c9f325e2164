package dev.tilewright.hazard.explore;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** The steps that led to a state, the newest first: states that part ways share what came before. */
final class Trail {
    final Trail before;
    final int thread;
    final int step;
    final Move.Kind kind;
    /** The first bytes that it touched; null for none. */
    private Cells.Range at;
    /** The number of what it read or wrote there; -1 for nothing. */
    private int value = -1;
    private boolean races;
    private boolean older;

    /** @param step its number in the program, of a copy the one that started it */
    Trail(Trail before, int thread, int step, Move.Kind kind) {
        this.before = before;
        this.thread = thread;
        this.step = step;
        this.kind = kind;
    }

    /**
     * Notes what the newest step touches.
     *
     * @param contended whether others may touch it in another order
     * @param number of what it reads or writes
     */
    void touches(Cells.Range range, boolean contended, int number) {
        if (at == null || contended && !races) {
            at = range;
            value = number;
        }
        races |= contended;
    }

    /** Little endian, as a number; that of bytes that nothing wrote is none. */
    private String text(Launched launched) {
        short[] bytes = value < 0 ? new short[0] : launched.values.bytes(value);
        if (value >= 0 && launched.values.hasUndefined(value)) {
            return "unwritten bytes";
        }
        StringBuilder text = new StringBuilder();
        for (int i = bytes.length - 1; i >= 0 && bytes.length <= Long.BYTES; i--) {
            text.append(String.format("%02x", bytes[i]));
        }
        return text.isEmpty() ? "" : "0x" + text;
    }

    /** Notes that the newest step saw an older write than the last. */
    void seesOlder() {
        older = true;
    }

    static List<Move> moves(Trail last, Launched launched) {
        Deque<Move> moves = new ArrayDeque<>();
        for (Trail t = last; t != null; t = t.before) {
            moves.addFirst(new Move(t.thread / launched.threadsPerBlock, t.thread % launched.threadsPerBlock, t.step,
                    t.kind, t.at == null ? "" : launched.name(t.at), t.text(launched), t.races, t.older));
        }
        return List.copyOf(moves);
    }
}
