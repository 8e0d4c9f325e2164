package dev.tilewright.hazard.blame;

import static dev.tilewright.hazard.blame.Blame.T;
import static dev.tilewright.hazard.blame.Blame.from;
import static dev.tilewright.hazard.blame.Blame.to;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.OrdinaryShare;
import dev.tilewright.Thorough;
import dev.tilewright.hazard.Finding;
import dev.tilewright.hazard.HazardReport;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Fragment;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.ptx.mbarrier.CpAsyncMbarrierArrive;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Rings of drawn shapes with one edit each: the first finding names the edited step, or the one that has to change with
 * it, in every shape, and gives the advice that undoes the edit.
 */
class DrawnRingsTest {
    private static final int DRAWN = Integer.getInteger("tilewright.blames", 12);
    private static final int TILE = 128;

    private enum Source { BULK, STORES, CP_ASYNC }

    /** What is done to the ring, and which steps may be blamed, with what all of the advice has. */
    private enum Edit {
        NONE(Set.of(), ""),
        NO_WAIT_FULL(Set.of("read"), "wait for"),
        WAIT_FULL_AFTER_READ(Set.of("read"), "before step"),
        FULL_PARITY(Set.of("wait full"), "parity"),
        WAIT_FULL_OF_NEXT(Set.of("wait full"), "stage"),
        READ_NEXT(Set.of("read"), ""),
        NO_WAIT_EMPTY(Set.of("announce", "copy"), "wait"),
        ANNOUNCE_BEFORE_WAIT(Set.of("announce"), "after step"),
        EMPTY_PARITY(Set.of("wait empty"), "parity 1"),
        COPY_TO_NEXT(Set.of("copy", "read"), ""),
        NO_ANNOUNCE(Set.of("copy"), ""),
        NO_RELEASE(Set.of("read"), "arrive after step"),
        RELEASE_BEFORE_READ(Set.of("release"), "arrive after"),
        RELEASE_NEXT(Set.of("release"), "stage that was waited for"),
        FULL_TAKES_ONE_MORE(Set.of("init full"), "initialise it with"),
        FULL_TAKES_ONE_LESS(Set.of("init full"), "initialise it with"),
        EMPTY_TAKES_ONE_MORE(Set.of("init empty"), "initialise it with"),
        EMPTY_TAKES_ONE_LESS(Set.of("init empty"), "initialise it with"),
        NO_SYNC_AFTER_INIT(Set.of("wait full", "wait empty"), "synchronise"),
        ARRIVAL_WITHOUT_NOINC(Set.of("announce"), ".noinc"),
        ARRIVAL_BESIDE_COPIES(Set.of("announce"), "cp.async.mbarrier.arrive.noinc"),
        COMMIT_AND_ARRIVAL(Set.of("announce"), "cp.async.mbarrier.arrive.noinc"),
        NO_SYNCWARP(Set.of("release"), "put __syncwarp() before");

        private final Set<String> blamed;
        private final String advice;

        Edit(Set<String> blamed, String advice) {
            this.blamed = blamed;
            this.advice = advice;
        }
    }

    /**
     * A ring.
     *
     * @param warps that read
     * @param each whether every reader hands a stage back, and not one of each warp
     * @param writersFirst whether those who fill stages have the first warp
     */
    private record Ring(int stages, int turns, int warps, boolean each, Source source, boolean writersFirst,
            Edit edit) {

        static Ring draw(SplittableRandom random, Edit edit) {
            return new Ring(random.nextInt(1, 5), random.nextInt(1, 9), random.nextInt(1, 4), random.nextBoolean(),
                    Source.values()[random.nextInt(3)], random.nextBoolean(), edit);
        }

        /** Whether the edit is one of this ring: it changes something, and the program can be written. */
        boolean isMeant() {
            return switch (edit) {
                case ANNOUNCE_BEFORE_WAIT -> source == Source.BULK;
                case ARRIVAL_WITHOUT_NOINC, ARRIVAL_BESIDE_COPIES, COMMIT_AND_ARRIVAL -> source == Source.CP_ASYNC;
                case NO_SYNCWARP -> !each && turns > stages;
                case FULL_TAKES_ONE_LESS -> source != Source.BULK;
                case EMPTY_TAKES_ONE_LESS -> each || warps > 1;
                default -> true;
            };
        }

        /** A release by one lane takes the meeting of its warp with it. */
        boolean isUndoneByOneStep() {
            return edit != Edit.RELEASE_BEFORE_READ || each;
        }

        private SharedRegion.Buffer tiles() {
            return new SharedRegion.Buffer("ring", stages * TILE, 128);
        }

        private SharedRegion.Barriers full() {
            return new SharedRegion.Barriers("full", stages);
        }

        private SharedRegion.Barriers empty() {
            return new SharedRegion.Barriers("empty", stages);
        }

        HazardReport check() {
            return Blame.check(32 + 32 * warps, 1, 1, List.of(tiles(), full(), empty()), this::write);
        }

        private boolean is(Edit asked) {
            return edit == asked;
        }

        private Expr next(Expr stage, Edit when) {
            return is(when) ? stage.plus(1).modulo(stages) : stage;
        }

        private static int change(boolean more, boolean less) {
            return more ? 1 : less ? -1 : 0;
        }

        private void write(Body body) {
            int fills = source == Source.BULK ? 1 : 32;
            int hands = each ? 32 * warps : warps;
            body.purpose("set up").when(T.isEqualTo(0), one -> {
                one.purpose("stages").loop("i", stages, (b, i) -> {
                    b.purpose("init full").barrierInit(full().at(i),
                            fills + change(is(Edit.FULL_TAKES_ONE_MORE), is(Edit.FULL_TAKES_ONE_LESS)));
                    b.purpose("init empty").barrierInit(empty().at(i),
                            hands + change(is(Edit.EMPTY_TAKES_ONE_MORE), is(Edit.EMPTY_TAKES_ONE_LESS)));
                });
                one.purpose("init fence").barrierInitFence();
            });
            if (!is(Edit.NO_SYNC_AFTER_INIT)) {
                body.purpose("set up").syncThreads();
            }
            Expr lane = writersFirst ? T : T.minus(32 * warps);
            body.purpose("roles").when(writersFirst ? T.lessThan(32) : T.atLeast(32 * warps), writers -> {
                if (source == Source.BULK) {
                    writers.purpose("one").when(lane.isEqualTo(0), one -> turns(one, (b, turn) -> fill(b, turn, lane)));
                } else {
                    turns(writers, (b, turn) -> fill(b, turn, lane));
                }
            }, readers -> turns(readers, (b, turn) -> read(b, turn, writersFirst ? T.minus(32) : T)));
        }

        private void turns(Body body, Body.LoopBody code) {
            body.purpose("turns").loop("turn", turns, code);
        }

        private void fill(Body body, Expr turn, Expr lane) {
            Expr stage = turn.modulo(stages);
            if (is(Edit.ANNOUNCE_BEFORE_WAIT)) {
                announce(body, stage);
            }
            if (!is(Edit.NO_WAIT_EMPTY)) {
                body.purpose("wait empty").waitParity(empty().at(stage),
                        turn.dividedBy(stages).plus(is(Edit.EMPTY_PARITY) ? 0 : 1).modulo(2));
            }
            Expr at = next(stage, Edit.COPY_TO_NEXT).times(TILE);
            Expr word = lane.times(4);
            if (source == Source.BULK && !is(Edit.NO_ANNOUNCE) && !is(Edit.ANNOUNCE_BEFORE_WAIT)) {
                announce(body, stage);
            }
            switch (source) {
                case BULK -> body.purpose("copy").bulkLoad(tiles().at(at), from(turn.times(TILE)), TILE,
                        full().at(stage));
                case STORES -> {
                    Fragment f = body.purpose("word").load("own", ElementType.U32, 1,
                            from(turn.times(TILE).plus(word)));
                    body.purpose("copy").store(tiles().at(at.plus(word)), f);
                }
                case CP_ASYNC -> body.purpose("copy").cpAsync(tiles().at(at.plus(word)),
                        from(turn.times(TILE).plus(word)), 4);
            }
            if (is(Edit.COMMIT_AND_ARRIVAL)) {
                body.purpose("commit").cpAsyncCommit();
            }
            if (source != Source.BULK && !is(Edit.NO_ANNOUNCE)) {
                announce(body, stage);
            }
        }

        private void announce(Body body, Expr stage) {
            Body b = body.purpose("announce");
            switch (source) {
                case BULK -> b.arriveExpectTx(full().at(stage), TILE);
                case STORES -> b.arrive(full().at(stage));
                case CP_ASYNC -> {
                    if (is(Edit.ARRIVAL_BESIDE_COPIES) || is(Edit.COMMIT_AND_ARRIVAL)) {
                        b.arrive(full().at(stage));
                        return;
                    }
                    b.issue(is(Edit.ARRIVAL_WITHOUT_NOINC) ? new CpAsyncMbarrierArrive()
                            : new CpAsyncMbarrierArrive().withNoinc(), Input.of(full().at(stage)));
                }
            }
        }

        private void read(Body body, Expr turn, Expr reader) {
            Expr stage = turn.modulo(stages);
            if (!is(Edit.NO_WAIT_FULL) && !is(Edit.WAIT_FULL_AFTER_READ)) {
                waitFull(body, turn);
            }
            if (is(Edit.RELEASE_BEFORE_READ)) {
                release(body, stage, reader);
            }
            Fragment f = body.purpose("read").load("word", ElementType.U32, 1,
                    tiles().at(next(stage, Edit.READ_NEXT).times(TILE).plus(reader.modulo(32).times(4))));
            if (is(Edit.WAIT_FULL_AFTER_READ)) {
                waitFull(body, turn);
            }
            if (!is(Edit.NO_RELEASE) && !is(Edit.RELEASE_BEFORE_READ)) {
                release(body, stage, reader);
            }
            body.purpose("show").store(to(turn.times(TILE * warps).plus(reader.times(4))), f);
        }

        private void waitFull(Body body, Expr turn) {
            body.purpose("wait full").waitParity(full().at(next(turn.modulo(stages), Edit.WAIT_FULL_OF_NEXT)),
                    turn.dividedBy(stages).plus(is(Edit.FULL_PARITY) ? 1 : 0).modulo(2));
        }

        private void release(Body body, Expr stage, Expr reader) {
            Expr handed = next(stage, Edit.RELEASE_NEXT);
            if (each) {
                body.purpose("release").arrive(empty().at(handed));
            } else {
                if (!is(Edit.NO_SYNCWARP)) {
                    body.purpose("all lanes").syncWarp();
                }
                body.purpose("one lane").when(reader.modulo(32).isEqualTo(0),
                        b -> b.purpose("release").arrive(empty().at(handed)));
            }
        }
    }

    /** Some of each edit, as other tests take them. */
    static Stream<Blame> all() {
        SplittableRandom random = new SplittableRandom(26);
        return Stream.of(Edit.values()).filter(e -> e != Edit.NONE)
                .flatMap(e -> Stream.generate(() -> Ring.draw(random, e))
                        .filter(r -> r.isMeant() && r.isUndoneByOneStep()).limit(Thorough.of(DRAWN / 4, DRAWN / 2)))
                .map(ring -> new Blame(ring.toString(), ring.edit, null, null, _ -> ring.check(), List.of()));
    }

    @ParameterizedTest
    @OrdinaryShare(6)
    @EnumSource
    void theFirstFindingNamesTheEdit(Edit edit) {
        SplittableRandom random = new SplittableRandom(25 + edit.ordinal());
        List<String> wrong = new ArrayList<>();
        int found = 0;
        for (int i = 0; i < DRAWN; i++) {
            Ring ring = Ring.draw(random, edit);
            if (!ring.isMeant()) {
                i--;
                continue;
            }
            HazardReport report = ring.check();
            if (!report.isClean()) {
                found++;
                Finding first = report.findings().getFirst();
                if (!edit.blamed.contains(first.purpose())
                        || !first.fix().contains(edit.advice) && !first.wanted().contains(edit.advice)) {
                    wrong.add(ring + ":\n    " + String.join("\n    ", report.lines()));
                }
            }
        }
        assertEquals(List.of(), wrong, () -> wrong.size() + " of " + DRAWN + ": " + String.join("\n", wrong));
        int least = edit == Edit.NONE ? 0 : DRAWN / 4;
        assertTrue(edit == Edit.NONE ? found == 0 : found >= least, edit + " was found in " + found + " of " + DRAWN);
    }
}
