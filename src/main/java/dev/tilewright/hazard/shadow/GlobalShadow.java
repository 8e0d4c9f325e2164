package dev.tilewright.hazard.shadow;

import dev.tilewright.hazard.order.Clock;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The shadow of global memory, kept from block to block; a page of it comes into being when it is first touched. */
public final class GlobalShadow {
    private static final int PAGE = 1 << 16;

    /**
     * A piece of global memory.
     *
     * @param written whether the program may write to it: of a piece that is only read, nothing need be kept
     */
    public record Piece(long bytes, boolean written) { }

    private final Shadow[][] pages;
    private final ShadowListener listener;

    public GlobalShadow(List<Piece> pieces, ShadowListener listener) {
        this.listener = listener;
        this.pages = new Shadow[pieces.size()][];
        for (int i = 0; i < pages.length; i++) {
            Piece piece = pieces.get(i);
            pages[i] = piece.written ? new Shadow[Math.toIntExact(Math.ceilDiv(piece.bytes, (long) PAGE))] : null;
        }
    }

    /** The last writes of bytes of a piece, which lie within 64 KiB; empty where nothing has written any. */
    public Set<ShadowAccess> lastWrites(int piece, long offset, int bytes) {
        Set<ShadowAccess> all = new LinkedHashSet<>();
        Shadow page = pages[piece] == null ? null : pages[piece][(int) (offset / PAGE)];
        if (page != null) {
            page.lastWrites((int) (offset % PAGE), bytes, all);
        }
        return all;
    }

    /**
     * An access to any of some bytes of a piece; null for none. @param reads whether reads count too, not writes alone
     */
    public ShadowAccess any(int piece, long offset, long bytes, boolean reads) {
        Shadow[] of = pages[piece];
        long end = offset + bytes;
        for (long at = offset; of != null && at < end; at = (at / PAGE + 1) * PAGE) {
            Shadow page = of[(int) (at / PAGE)];
            int within = (int) (at % PAGE);
            ShadowAccess found = page == null ? null : page.any(within, (int) Math.min(end - at, PAGE - within), reads);
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    /** Bytes of a piece are touched now. */
    public void touch(int piece, long offset, long bytes, ShadowAccess now) {
        Shadow[] of = pages[piece];
        if (of == null) {
            return;
        }
        long at = offset;
        long end = offset + bytes;
        while (at < end) {
            int page = (int) (at / PAGE);
            int within = (int) (at % PAGE);
            int count = (int) Math.min(end - at, PAGE - within);
            if (of[page] == null) {
                of[page] = new Shadow(new ByteRange(false, piece, (long) page * PAGE, PAGE), Clock.FOR_GLOBAL,
                        listener);
            }
            of[page].touch(within, count, now);
            at += count;
        }
    }
}
