package dev.tilewright.hazard.explore;

import dev.tilewright.hazard.explore.Write.Note;
import dev.tilewright.hazard.explore.paged.Key;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * An mbarrier (PTX ISA, "Contents of the mbarrier object"): arrivals that the phase still lacks, bytes announced and
 * not counted yet, and the parity of the phase.
 */
final class Barrier {
    enum Life { NONE, VALID, GONE }

    /** The most that pending arrivals and bytes can be (PTX ISA, "mbarrier": Valid range of counts). */
    private static final int MOST = (1 << 20) - 1;

    Life life = Life.NONE;
    int expected;
    int pending;
    int bytes;
    int phase;
    /** How many phases have completed; no part of the state, but what {@link Facts} are told. */
    int completed;
    /** The phase, counted as {@link #completed}, in which a copy counted last; -1 for none. */
    int counted = -1;
    /** What all knew that made this phase come nearer to its end. */
    View gathered;
    List<Note> arriving = new ArrayList<>();
    List<Note> complete = new ArrayList<>();
    /** What copies that counted here have done: in this phase, and in those before. */
    View landing;
    View landed;

    Barrier(View empty) {
        landing = empty.empty();
        landed = empty.empty();
        gathered = empty.empty();
    }

    private Barrier() { }

    Barrier copy() {
        Barrier b = new Barrier();
        b.life = life;
        b.expected = expected;
        b.pending = pending;
        b.bytes = bytes;
        b.phase = phase;
        b.completed = completed;
        b.counted = counted;
        b.gathered = gathered.copy();
        arriving.forEach(n -> b.arriving.add(n.copy()));
        complete.forEach(n -> b.complete.add(n.copy()));
        b.landing = landing.copy();
        b.landed = landed.copy();
        return b;
    }

    void initialise(int arrivals) {
        if (arrivals < 1 || arrivals > MOST) {
            throw new Ending("mbarrier.init with " + arrivals + " arrivals");
        }
        life = Life.VALID;
        expected = arrivals;
        pending = arrivals;
        bytes = 0;
        phase = 0;
        completed = 0;
        arriving.clear();
        complete.clear();
        landing = landing.empty();
        landed = landing.empty();
        gathered = landing.empty();
        counted = -1;
    }

    void expect(int more) {
        bytes += more;
        if (Math.abs(bytes) > MOST) {
            throw new Ending("bytes of a phase out of range");
        }
    }

    void arrive(int count, boolean drop) {
        if (count > pending) {
            throw new Ending("an arrival more than the phase takes");
        }
        pending -= count;
        if (drop) {
            expected -= count;
        }
    }

    /** Goes on to the next phase where nothing is missing. @return whether it does */
    boolean advance(int threadsPerBlock) {
        if (pending > 0 || bytes != 0) {
            return false;
        }
        phase ^= 1;
        completed++;
        pending = expected;
        arriving.forEach(n -> add(complete, n, threadsPerBlock));
        arriving.clear();
        landed.join(landing);
        landing = landing.empty();
        return true;
    }

    /** Adds to what is handed on. */
    static void add(List<Note> notes, Note note, int threadsPerBlock) {
        for (Note n : notes) {
            if (n.writer() / threadsPerBlock == note.writer() / threadsPerBlock && n.scope() == note.scope()) {
                n.view().join(note.view());
                return;
            }
        }
        notes.add(note.copy());
    }

    void forEachView(Consumer<View> action) {
        arriving.forEach(n -> action.accept(n.view()));
        complete.forEach(n -> action.accept(n.view()));
        action.accept(landing);
        action.accept(landed);
        action.accept(gathered);
    }

    void addTo(Key key, int threadsPerBlock) {
        key.add(life.ordinal() * 2L + phase);
        key.add(expected);
        key.add((long) pending << 32 | bytes & 0xFFFFFFFFL);
        addNotes(key, arriving, threadsPerBlock);
        addNotes(key, complete, threadsPerBlock);
        View.addTo(key, landing);
        View.addTo(key, landed);
        View.addTo(key, gathered);
        key.add(counted);
    }

    private static void addNotes(Key key, List<Note> notes, int threadsPerBlock) {
        key.add(notes.size());
        notes.stream().sorted((x, y) -> Integer.compare(
                x.writer() / threadsPerBlock * 8 + x.scope().ordinal(),
                y.writer() / threadsPerBlock * 8 + y.scope().ordinal())).forEach(n -> {
                    key.add(n.writer() / threadsPerBlock * 8L + n.scope().ordinal());
                    View.addTo(key, n.view());
                });
    }
}
