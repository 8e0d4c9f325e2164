package dev.tilewright.hazard.shadow;

import dev.tilewright.hazard.order.Clock;
import java.util.Arrays;
import java.util.Set;

/**
 * Who last wrote each byte of a stretch of memory, and who has read it since. Kept for 16 bytes together; where a
 * smaller access cuts these, for 4 or for single ones.
 */
public final class Shadow {
    static final int GRANULE = 16;

    private final ShadowListener listener;
    private final int lane;
    private final boolean shared;
    private final int of;
    private final long start;
    /** For each granule nothing, a write, or {@link Writers}. */
    private final Object[] writes;
    /** For each granule nothing, a read, or {@link Readers}. */
    private final Object[] reads;
    private ShadowParts[] parts;
    /** What was found to be ordered before the present access. */
    private ShadowAccess ordered;
    private Object nextReads;

    /**
     * The shadow of some bytes.
     *
     * @param memory the bytes
     * @param lane what an access of the copy engine to this memory has to look at
     */
    Shadow(ByteRange memory, int lane, ShadowListener listener) {
        int granules = Math.toIntExact(Math.ceilDiv(memory.bytes(), (long) GRANULE));
        this.listener = listener;
        this.lane = lane;
        this.shared = memory.shared();
        this.of = memory.of();
        this.start = memory.at();
        writes = new Object[granules];
        reads = new Object[granules];
    }

    /** The shadow of a block's shared memory. @param rank of the block in its cluster */
    public static Shadow ofShared(int block, int rank, int bytes, ShadowListener listener) {
        return new Shadow(new ByteRange(true, block, 0, bytes), Clock.forShared(rank), listener);
    }

    /** The bytes from {@code at} on are touched now. */
    public void touch(int at, int bytes, ShadowAccess now) {
        ordered = null;
        int end = at + bytes;
        while (at < end) {
            int g = at / GRANULE;
            int stop = Math.min(end, (g + 1) * GRANULE);
            if (stop - at == GRANULE && (parts == null || parts[g] == null)) {
                writes[g] = next(writes[g], reads[g], now, at, GRANULE);
                reads[g] = nextReads;
            } else {
                touchParts(g, at, stop, now);
            }
            at = stop;
        }
    }

    /**
     * Checks an access against those before it.
     *
     * @param write nothing, a write, or {@link Writers}
     * @return the last writes from now on; the reads are in {@link #nextReads}
     */
    private Object next(Object write, Object read, ShadowAccess now, int at, int bytes) {
        boolean allBefore = true;
        switch (write) {
            case null -> { }
            case ShadowAccess w -> {
                check(w, now, at, bytes);
                allBefore = !now.writes() || now == w || !Ordering.meets(w, now, lane);
            }
            default -> allBefore = checkAll((Writers) write, now, at, bytes);
        }
        if (!now.writes()) {
            nextReads = withRead(read, now);
            return write;
        }
        switch (read) {
            case null -> { }
            case ShadowAccess r -> overwrites(r, write, now, at, bytes);
            default -> {
                Readers all = (Readers) read;
                for (int i = 0; i < all.count; i++) {
                    overwrites(all.all[i], write, now, at, bytes);
                }
            }
        }
        nextReads = now.scope == null || read == null ? null : stillOpen(read, now);
        now.replace(Writers.last(write));
        return now.isMeeting() ? Writers.of(write, now, allBefore, lane) : now;
    }

    /** A write comes after a read. @param writes that came before, too */
    private void overwrites(ShadowAccess read, Object writes, ShadowAccess now, int at, int bytes) {
        if (!(writes instanceof Writers w && !Ordering.isOrdered(read, now, lane) && w.isReadBefore(read, now, lane))) {
            check(read, now, at, bytes);
        }
    }

    /** @return whether none of the writes is remembered beside this access */
    private boolean checkAll(Writers writes, ShadowAccess now, int at, int bytes) {
        if (writes.base != null) {
            check(writes.base, now, at, bytes);
        }
        if (writes.mayBeMetBy(now)) {
            return false;
        }
        boolean allBefore = true;
        for (int i = 0; i < writes.count; i++) {
            ShadowAccess w = writes.all[i];
            if (!writes.isReadBefore(i, now, lane)) {
                check(w, now, at, bytes);
            }
            allBefore &= w == now || !Ordering.meets(w, now, lane);
        }
        return allBefore;
    }

    /** The reads before a scoped write that a later write need not come after, if it meets this one. */
    private Object stillOpen(Object read, ShadowAccess now) {
        if (read instanceof ShadowAccess r) {
            return Readers.isStillOpen(r, now, lane) ? r : null;
        }
        return ((Readers) read).thatMeet(now, lane);
    }

    /** Adds the last writes of some bytes. */
    public void lastWrites(int at, int bytes, Set<ShadowAccess> all) {
        int end = at + bytes;
        while (at < end) {
            int g = at / GRANULE;
            int stop = Math.min(end, (g + 1) * GRANULE);
            if (parts == null || parts[g] == null) {
                add(writes[g], all);
            } else {
                int first = g * GRANULE;
                for (int i = (at - first) / parts[g].unit; i * parts[g].unit < stop - first; i++) {
                    add(parts[g].writes[i], all);
                }
            }
            at = stop;
        }
    }

    /** An access to any of some bytes; null for none. @param orReads whether reads count too, not writes alone */
    ShadowAccess any(int at, int bytes, boolean orReads) {
        int end = at + bytes;
        ShadowAccess found = null;
        while (at < end && found == null) {
            int g = at / GRANULE;
            int stop = Math.min(end, (g + 1) * GRANULE);
            if (parts == null || parts[g] == null) {
                found = one(writes[g], orReads ? reads[g] : null);
            } else {
                int first = g * GRANULE;
                for (int i = (at - first) / parts[g].unit; i * parts[g].unit < stop - first && found == null; i++) {
                    found = one(parts[g].writes[i], orReads ? parts[g].reads[i] : null);
                }
            }
            at = stop;
        }
        return found;
    }

    private static ShadowAccess one(Object writes, Object reads) {
        return writes != null ? Writers.last(writes) : reads instanceof Readers all ? all.all[0] : (ShadowAccess) reads;
    }

    private static void add(Object writes, Set<ShadowAccess> all) {
        switch (writes) {
            case null -> { }
            case ShadowAccess write -> all.add(write);
            default -> {
                Writers several = (Writers) writes;
                all.addAll(Arrays.asList(several.all).subList(0, several.count));
                if (several.base != null) {
                    all.add(several.base);
                }
            }
        }
    }

    private void check(ShadowAccess before, ShadowAccess now, int at, int bytes) {
        // Whether a map was made known before its use is asked elsewhere.
        if (before == ordered || before == now || now.isOfMap()) {
            return;
        }
        if (Ordering.isOrdered(before, now, lane)) {
            ordered = before;
        } else {
            listener.conflict(before, now, span(at, bytes), lane);
        }
    }

    private ByteRange span(int at, int bytes) {
        return new ByteRange(shared, of, start + at, bytes);
    }

    private Object withRead(Object read, ShadowAccess now) {
        if (read == null) {
            return now;
        }
        if (read instanceof ShadowAccess r) {
            // What comes after the new read comes after the old one too, if that is ordered before it.
            if (r == now || r.completion == null && now.completion == null && r.scope == now.scope
                    && r.isMeeting() == now.isMeeting()
                    && (r.thread == now.thread || Ordering.happensBefore(r, now, lane))) {
                return now;
            }
            Readers both = new Readers();
            both.add(r);
            both.add(now);
            return both;
        }
        ((Readers) read).add(now);
        return read;
    }

    private void touchParts(int g, int at, int stop, ShadowAccess now) {
        if (parts == null) {
            parts = new ShadowParts[writes.length];
        }
        ShadowParts p = parts[g] = ShadowParts.forAccess(parts[g], writes[g], reads[g], at, stop);
        int first = g * GRANULE;
        for (int i = (at - first) / p.unit; i < (stop - first) / p.unit; i++) {
            p.writes[i] = next(p.writes[i], p.reads[i], now, first + i * p.unit, p.unit);
            p.reads[i] = nextReads;
        }
        if (now.writes() && !now.isMeeting() && stop - at == GRANULE) {
            parts[g] = null;
            writes[g] = now;
            reads[g] = null;
        }
    }
}
