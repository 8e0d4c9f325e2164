package dev.tilewright.hazard.shadow;

import java.util.Arrays;

/** The shadow of one granule in smaller units, where accesses cut it. */
final class ShadowParts {
    private static final int WORD = 4;

    /** Bytes of a unit. */
    final int unit;
    /** For each unit nothing, a write, or {@link Writers}. */
    final Object[] writes;
    /** For each unit nothing, a read, or {@link Readers}. */
    final Object[] reads;

    private ShadowParts(int unit) {
        this.unit = unit;
        writes = new Object[Shadow.GRANULE / unit];
        reads = new Object[Shadow.GRANULE / unit];
    }

    /**
     * The parts of a granule for an access that cuts it.
     *
     * @param parts the existing ones; null for none
     * @param write of the whole granule, where there are no parts; its reads likewise
     */
    static ShadowParts forAccess(ShadowParts parts, Object write, Object reads, int from, int to) {
        boolean words = from % WORD == 0 && to % WORD == 0;
        if (parts == null) {
            return whole(words ? WORD : 1, write, reads);
        }
        return parts.unit == WORD && !words ? parts.asBytes() : parts;
    }

    private static ShadowParts whole(int unit, Object write, Object reads) {
        ShadowParts result = new ShadowParts(unit);
        Arrays.setAll(result.writes, _ -> Writers.copy(write));
        Arrays.setAll(result.reads, _ -> Readers.copy(reads));
        return result;
    }

    private ShadowParts asBytes() {
        ShadowParts result = new ShadowParts(1);
        for (int i = 0; i < Shadow.GRANULE; i++) {
            result.writes[i] = Writers.copy(writes[i / WORD]);
            result.reads[i] = Readers.copy(reads[i / WORD]);
        }
        return result;
    }
}
