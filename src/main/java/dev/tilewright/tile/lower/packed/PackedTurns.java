package dev.tilewright.tile.lower.packed;

import dev.tilewright.NotNull;
import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.tile.lower.layout.Held;
import dev.tilewright.tile.lower.layout.Team;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * The turns of a {@link PackedPattern} of few rows, some parts of k at a time. The warps of a part copy what they
 * multiply, the next turn's left factor and the next line of packed bytes while they compute: where that is one warp,
 * none waits for another. Lines of 128 bytes have one turn or two. A thread's copies land in the order in which it
 * closes their groups, so that a turn's left factor is closed before the next line.
 */
public final class PackedTurns {
    private static final int ALIGNMENT = 128;
    /** What is multiplied, and what is on its way. */
    public static final int STAGES = 2;

    private final PackedPattern pattern;
    private final SharedRegion.Buffer left;
    private final SharedRegion.Buffer packed;
    private final PackedSums sums;

    /** The turns of a kernel. */
    public PackedTurns(PackedPattern pattern) {
        NotNull.all("pattern", pattern);
        this.pattern = pattern;
        left = new SharedRegion.Buffer(pattern.a().tensor().name() + "_tiles", STAGES * leftBytes(), ALIGNMENT);
        packed = new SharedRegion.Buffer(pattern.bytes().tensor().name() + "_tiles", STAGES * packedBytes(),
                ALIGNMENT);
        sums = new PackedSums(pattern);
    }

    private int leftBytes() {
        return pattern.partsAtOnce() * PackedCopies.leftBytes(pattern);
    }

    private int packedBytes() {
        return pattern.partsAtOnce() * PackedCopies.packedBytes(pattern);
    }

    /** Bytes of shared memory that a kernel's turns take. */
    public static int bytes(PackedPattern pattern) {
        NotNull.all("pattern", pattern);
        return PackedSums.bytes(pattern) + STAGES * pattern.partsAtOnce() * (PackedCopies.leftBytes(pattern)
                + PackedCopies.packedBytes(pattern));
    }

    /** Threads of a block. */
    public int threads() {
        return PackedPattern.WARP * pattern.warps();
    }

    /** What it has in shared memory. */
    public List<SharedRegion> regions() {
        return List.of(sums.buffer(), left, packed);
    }

    /** Rows that a tile takes of the left factor, of the packed bytes, of the scales. */
    public record Sources(PackedRows left, PackedRows packed, PackedRows scales) {
        public Sources {
            NotNull.all("left, packed, scales", left, packed, scales);
        }
    }

    /** Turns of the whole of k, and those of a part, 32 bits. */
    public record Turns(Expr all, Expr ofPart) {
        public Turns {
            NotNull.all("all, ofPart", all, ofPart);
        }
    }

    /**
     * Adds all turns' products, and the parts' sums, to registers.
     *
     * @param to the tile's sums
     * @param aheadOfWait whether this is the block's first tile, of which the first packed bytes are copied before the
     *     launch in front is waited for; nothing where none are
     */
    public void multiply(Body body, Turns turns, Sources from, Team team, Held to, Optional<Expr> aheadOfWait) {
        NotNull.all("body, turns, from, team, to, aheadOfWait", body, turns, from, team, to, aheadOfWait);
        eachRound(body, (each, round) -> {
            PackedWarp warp = new Part(each, turns, from, round, aheadOfWait.map(first -> first.and(round
                    .isEqualTo(0)))).multiply(team);
            for (int row = 0; row < pattern.sums().getFirst(); row += sums.rows()) {
                warp.store(each, sums, row);
                team.sync(each.purpose("the sums of all parts are in shared memory"));
                sums.add(each, to, row, round);
                team.sync(each.purpose("all threads have read the sums"));
            }
        });
    }

    private void eachRound(Body body, BiConsumer<Body, Expr> code) {
        if (pattern.rounds() == 1) {
            code.accept(body, Expr.of(0));
        } else {
            body.purpose("a few parts of k at a time").loop("round", pattern.rounds(), code::accept);
        }
    }

    /** What the warps of a part do in a round. */
    private final class Part {
        private final Body body;
        private final Turns turns;
        private final Sources from;
        private final Optional<Expr> begun;
        private final Expr slot;
        private final Expr first;
        private final Expr count;
        private final PackedCopies copies;

        Part(Body body, Turns turns, Sources from, Expr round, Optional<Expr> begun) {
            this.body = body;
            this.turns = turns;
            this.from = from;
            this.begun = begun;
            slot = body.purpose("which of the parts at a time").let("slot", Builtin.THREAD.dividedBy(threads()
                    / pattern.partsAtOnce()));
            first = body.purpose("the part's first turn").let("first", round.times(pattern.partsAtOnce()).plus(slot)
                    .times(turns.ofPart));
            Expr begin = alone() ? first : round.times(pattern.partsAtOnce()).times(turns.ofPart);
            count = body.purpose(alone() ? "the part's turns" : "turns of the round's first part").let("count",
                    turns.all.minus(begin).min(turns.ofPart).max(0));
            copies = new PackedCopies(body, pattern, from, left, packed, slot);
        }

        /** Whether a warp has a part for itself; others go along with all of a block. */
        private boolean alone() {
            return pattern.warpsOfPart() == 1;
        }

        PackedWarp multiply(Team team) {
            begun.ifPresent(is -> body.purpose("a block's first tile").when(is, b -> {
                ifThere(b, Expr.of(0), (in, number) -> copies.packed(in, Expr.of(0), number));
                b.purpose("wait for what the previous launch writes").waitForPriorGrid();
            }));
            PackedWarp warp = new PackedWarp(body, pattern, left, packed, from.scales, slot, first, turns.all);
            ifThere(body, Expr.of(0), (b, number) -> {
                copies.left(b, Expr.of(0), number);
                begun.ifPresentOrElse(is -> b.when(is.not(), in -> copies.packed(in, Expr.of(0), number)), () ->
                        copies.packed(b, Expr.of(0), number));
            });
            body.cpAsyncCommit();
            body.purpose("along the part of k").loop("turn", count, (each, turn) -> turn(each, turn, warp, team));
            return warp;
        }

        private void turn(Body each, Expr turn, PackedWarp warp, Team team) {
            int line = pattern.turnsOfLine();
            Expr begins = turn.modulo(line).isEqualTo(0);
            if (line == 1) {
                each.purpose("what this thread copied has landed").cpAsyncWait(0);
            } else {
                each.purpose("what this thread copied has landed, but for the next line").when(begins, b ->
                        b.cpAsyncWait(0), b -> b.cpAsyncWait(1));
            }
            Body meeting = each.purpose("what others copied has, too, and all are done with what was there before");
            if (alone()) {
                meeting.syncWarp();
            } else {
                team.sync(meeting);
            }
            Expr next = turn.plus(1);
            ifThere(each, next, (b, number) -> copies.left(b, next.modulo(STAGES).times(leftBytes()), number));
            if (line > 1) {
                each.cpAsyncCommit();
            }
            Expr at = each.purpose("the line's stage").let("stage", turn.dividedBy(line).modulo(STAGES));
            Consumer<Body> nextLine = b -> {
                ifThere(b, turn.plus(line), (in, number) -> copies.packed(in, Expr.of(1).minus(at).times(packedBytes()),
                        number));
                b.cpAsyncCommit();
            };
            if (line > 1) {
                each.purpose("a line begins").when(begins, nextLine);
            } else {
                nextLine.accept(each);
            }
            BiConsumer<Body, Expr> multiply = (b, number) -> warp.turn(b, new PackedWarp.Place(turn.modulo(STAGES)
                    .times(leftBytes()), at.times(packedBytes()), turn.modulo(line).times(pattern.rowBytes())), number,
                    turns.all);
            if (alone()) {
                multiply.accept(each, each.let("number", first.plus(turn)));
            } else {
                ifThere(each, turn, multiply);
            }
        }

        /** @param code what is done with the number of a turn of the whole of k, if the part has it */
        private void ifThere(Body each, Expr turn, BiConsumer<Body, Expr> code) {
            Expr number = each.let("number", first.plus(turn));
            Expr there = turn.lessThan(count);
            each.purpose("if the part has this turn").when(alone() ? there : there.and(number.lessThan(turns.all)),
                    in ->
                    code.accept(in, number));
        }
    }
}
