package dev.tilewright.hazard.shadow;

/**
 * Who last wrote each byte of a stretch of memory, and who has read it since. Kept for 16 bytes together; where a smaller
 * access cuts these, for 4 or for single ones.
 */
public final class Shadow {
    public static final int GRANULE = 16;
    private static final int WORD = 4;

    /** Decides whether an access may come after another one. */
    public interface Judge {
        boolean isOrdered(ShadowAccess before, ShadowAccess now);

        /** @param at offset of the first byte that both touch */
        void conflict(ShadowAccess before, ShadowAccess now, int at, int bytes);

        /** A thread reads bytes that nobody has written. */
        default void unwritten(ShadowAccess now, int at, int bytes) {
        }
    }

    private static final class Parts {
        final int unit;
        final ShadowAccess[] writes;
        final Object[] reads;

        Parts(int unit) {
            this.unit = unit;
            writes = new ShadowAccess[GRANULE / unit];
            reads = new Object[GRANULE / unit];
        }
    }

    private final Judge judge;
    private final ShadowAccess[] writes;
    /** Nothing, a read, or {@link Readers}. */
    private final Object[] reads;
    private Parts[] parts;
    /** What was found to be ordered before the present access. */
    private ShadowAccess fine;

    public Shadow(int bytes, Judge judge) {
        int granules = Math.ceilDiv(bytes, GRANULE);
        this.judge = judge;
        writes = new ShadowAccess[granules];
        reads = new Object[granules];
    }

    /** The bytes from {@code at} on are touched now. */
    public void touch(int at, int bytes, ShadowAccess now) {
        fine = null;
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

    private Object nextReads;

    /** Checks an access against those before it. @return the last write from now on; the reads are in {@link #nextReads} */
    private ShadowAccess next(ShadowAccess write, Object read, ShadowAccess now, int at, int bytes) {
        if (write != null) {
            check(write, now, at, bytes);
        } else if ((now.kind & ~ShadowAccess.UPDATE) == ShadowAccess.READ) {
            judge.unwritten(now, at, bytes);
        }
        if (!now.writes()) {
            nextReads = withRead(read, now);
            return write;
        }
        switch (read) {
            case null -> { }
            case ShadowAccess t -> check(t, now, at, bytes);
            default -> {
                Readers all = (Readers) read;
                for (int i = 0; i < all.count; i++) {
                    check(all.all[i], now, at, bytes);
                }
            }
        }
        nextReads = null;
        if (now.done != null && now.replaced == null && write != null && write != now) {
            now.replaced = write;
            write.replaced = null;
        }
        return now;
    }

    private void check(ShadowAccess before, ShadowAccess now, int at, int bytes) {
        if (before == fine || before == now) {
            return;
        }
        if (judge.isOrdered(before, now)) {
            fine = before;
        } else {
            judge.conflict(before, now, at, bytes);
        }
    }

    private Object withRead(Object read, ShadowAccess now) {
        if (read == null) {
            return now;
        }
        if (read instanceof ShadowAccess t) {
            // What comes after the new read comes after the old one too, if that is ordered before it.
            if (t == now || t.done == null && now.done == null && t.scope == now.scope && (t.actor == now.actor
                    || judge.isOrdered(t, now))) {
                return now;
            }
            Readers both = new Readers();
            both.add(t);
            both.add(now);
            return both;
        }
        ((Readers) read).add(now);
        return read;
    }

    private void touchParts(int g, int at, int stop, ShadowAccess now) {
        if (parts == null) {
            parts = new Parts[writes.length];
        }
        boolean words = at % WORD == 0 && stop % WORD == 0;
        Parts p = parts[g];
        if (p == null) {
            p = new Parts(words ? WORD : 1);
            java.util.Arrays.fill(p.writes, writes[g]);
            for (int i = 0; i < p.reads.length; i++) {
                p.reads[i] = copy(reads[g]);
            }
            parts[g] = p;
        } else if (p.unit == WORD && !words) {
            p = parts[g] = bytesOf(p);
        }
        int start = g * GRANULE;
        for (int i = (at - start) / p.unit; i < (stop - start) / p.unit; i++) {
            p.writes[i] = next(p.writes[i], p.reads[i], now, start + i * p.unit, p.unit);
            p.reads[i] = nextReads;
        }
        if (now.writes() && stop - at == GRANULE) {
            parts[g] = null;
            writes[g] = now;
            reads[g] = null;
        }
    }

    private static Parts bytesOf(Parts words) {
        Parts result = new Parts(1);
        for (int i = 0; i < GRANULE; i++) {
            result.writes[i] = words.writes[i / WORD];
            result.reads[i] = copy(words.reads[i / WORD]);
        }
        return result;
    }

    private static Object copy(Object reads) {
        if (!(reads instanceof Readers all)) {
            return reads;
        }
        Readers result = new Readers();
        for (int i = 0; i < all.count; i++) {
            result.add(all.all[i]);
        }
        return result;
    }
}
