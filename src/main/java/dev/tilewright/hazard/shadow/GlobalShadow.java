package dev.tilewright.hazard.shadow;

import dev.tilewright.hazard.analysis.RaceClassifier;
import dev.tilewright.hazard.order.Clock;
import dev.tilewright.hazard.report.Findings;
import dev.tilewright.reference.ExecutionObserver.Allocation;
import java.util.List;

/** The shadow of global memory, kept from block to block; a page of it comes into being when it is first touched. */
public final class GlobalShadow {
    private static final int PAGE = 1 << 16;

    private final List<Allocation> pieces;
    private final Shadow[][] pages;
    private final RaceClassifier verdict;

    public GlobalShadow(List<Allocation> pieces, RaceClassifier verdict) {
        this.pieces = pieces;
        this.verdict = verdict;
        this.pages = new Shadow[pieces.size()][];
        for (int i = 0; i < pages.length; i++) {
            pages[i] = new Shadow[Math.toIntExact(Math.ceilDiv(pieces.get(i).bytes(), (long) PAGE))];
        }
    }

    public void touch(int piece, long offset, long bytes, ShadowAccess now) {
        if (!pieces.get(piece).written()) {
            return;
        }
        long at = offset;
        long end = offset + bytes;
        while (at < end) {
            int page = (int) (at / PAGE);
            int within = (int) (at % PAGE);
            int count = (int) Math.min(end - at, PAGE - within);
            page(piece, page).touch(within, count, now);
            at += count;
        }
    }

    private Shadow page(int piece, int page) {
        Shadow s = pages[piece][page];
        if (s == null) {
            s = pages[piece][page] = new Shadow(PAGE, new PageJudge(piece, (long) page * PAGE));
        }
        return s;
    }

    private final class PageJudge implements Shadow.Judge {
        private final int piece;
        private final long start;

        PageJudge(int piece, long start) {
            this.piece = piece;
            this.start = start;
        }

        @Override
        public boolean isOrdered(ShadowAccess before, ShadowAccess now) {
            return Ordering.isOrdered(before, now, Clock.FOR_GLOBAL);
        }

        @Override
        public void conflict(ShadowAccess before, ShadowAccess now, int at, int count) {
            verdict.conflict(before, now, Findings.global(pieces.get(piece), start + at, count), Clock.FOR_GLOBAL);
        }
    }
}
