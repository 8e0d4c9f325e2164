package dev.tilewright.tile.lower.packed;

import dev.tilewright.NotNull;
import dev.tilewright.program.Body;
import dev.tilewright.program.Warp;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.tile.lower.layout.Held;
import dev.tilewright.tile.lower.layout.Team;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The turns of a {@link PackedPattern} of few rows, some parts of k at a time. Each warp has a part and some columns
 * for itself and copies what it multiplies, so that none waits for another: the left factor two turns ahead, and packed
 * bytes, in lines of a turn or two, as soon as the line before is in registers. A second block of the multiprocessor
 * has bytes on their way meanwhile, and begins while the launch in front ends. A thread's copies land in the order in
 * which it closes their groups.
 */
public final class PackedTurns {
    private static final int ALIGNMENT = 1024;
    /** Of the left factor: what is multiplied, and what is on its way. */
    public static final int STAGES = PackedLeft.STAGES;
    /** Blocks for which a multiprocessor has registers, and mostly shared memory. */
    public static final int AT_ONCE = 2;

    private final PackedPattern pattern;
    private final SharedRegion.Buffer left;
    private final SharedRegion.Buffer lines;
    private final PackedSums sums;

    /** The turns of a kernel. */
    public PackedTurns(PackedPattern pattern) {
        NotNull.all("pattern", pattern);
        this.pattern = pattern;
        lines = new SharedRegion.Buffer(pattern.bytes().tensor().name() + "_tiles", pattern.warps()
                * PackedCopies.bytes(pattern), ALIGNMENT);
        left = new SharedRegion.Buffer(pattern.a().tensor().name() + "_tiles", pattern.warps() * STAGES
                * pattern.leftBytes(), ALIGNMENT);
        sums = new PackedSums(pattern);
    }

    /** Bytes of shared memory that a kernel's turns take. */
    public static int bytes(PackedPattern pattern) {
        NotNull.all("pattern", pattern);
        return PackedSums.bytes(pattern) + pattern.warps() * (STAGES * pattern.leftBytes()
                + PackedCopies.bytes(pattern));
    }

    /** Threads of a block. */
    public int threads() {
        return Warp.LANES * pattern.warps();
    }

    /** What it has in shared memory. */
    public List<SharedRegion> regions() {
        return List.of(lines, left, sums.buffer());
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
     * What is done before the launch in front is waited for.
     *
     * @param now whether this is the block's first tile
     * @param copies whether its first packed bytes are copied, which that launch does not write, or else come to L2
     */
    public record Ahead(Expr now, boolean copies) {
        public Ahead {
            NotNull.all("now", now);
        }
    }

    /**
     * Adds all turns' products, and the parts' sums, to registers.
     *
     * @param to the tile's sums
     * @param ahead nothing where the launch in front has ended
     */
    public void multiply(Body body, Turns turns, Sources from, Team team, Held to, Optional<Ahead> ahead) {
        NotNull.all("body, turns, from, team, to, ahead", body, turns, from, team, to, ahead);
        pattern.eachRound(body, (each, round) -> {
            PackedWarp warp = new Part(each, turns, from, round, ahead.map(of -> new Ahead(of.now.and(round
                    .isEqualTo(0)), of.copies))).multiply();
            sums.collect(each, warp.result(), team, to, round);
        });
    }

    /** What a warp does in a round. */
    private final class Part {
        private final Body body;
        private final Turns turns;
        private final Sources from;
        private final Optional<Ahead> ahead;
        private final Expr slot;
        private final Expr column;
        private final Expr line;
        private final Expr first;
        private final Expr count;
        private final PackedCopies copies;
        private final PackedLeft leftFactor;

        Part(Body body, Turns turns, Sources from, Expr round, Optional<Ahead> ahead) {
            this.body = body;
            this.turns = turns;
            this.from = from;
            this.ahead = ahead;
            Expr warp = body.let("warp", Builtin.THREAD.dividedBy(Warp.LANES));
            slot = body.purpose("which of the parts at a time").let("slot", warp.dividedBy(pattern.warpsOfPart()));
            column = body.purpose("the warp's first column").let("column", warp.modulo(pattern.warpsOfPart())
                    .times(PackedPattern.WARP_COLUMNS));
            line = body.purpose("where it has packed bytes").let("line", warp.times(PackedCopies.bytes(pattern)));
            first = body.purpose("the part's first turn").let("first", round.times(pattern.partsAtOnce()).plus(slot)
                    .times(turns.ofPart));
            count = body.purpose("the part's turns").let("count", turns.all.minus(first).min(turns.ofPart).max(0));
            copies = new PackedCopies(body, pattern, from.packed, lines, line, column, first);
            leftFactor = new PackedLeft(body, pattern, from.left, left, warp.times(STAGES * pattern.leftBytes()),
                    first);
        }

        PackedWarp multiply() {
            ahead.ifPresent(is -> body.purpose("a block's first tile").when(is.now, b -> {
                b.purpose("if the part has turns").when(count.atLeast(1), is.copies ? copies::next : in -> copies.fetch(
                        in, first));
                b.purpose("wait for what the previous launch writes").waitForPriorGrid();
            }));
            Expr now = ahead.filter(Ahead::copies).map(is -> count.atLeast(1).and(is.now.not())).orElse(count.atLeast(
                    1));
            body.purpose("if the part has turns").when(now, copies::next);
            nextLeft(body, Expr.of(0));
            nextLeft(body, Expr.of(1));
            PackedWarp warp = new PackedWarp(body, pattern, leftFactor, lines, new PackedWarp.Of(from.scales, line,
                    slot, column, first, count, turns.all));
            body.purpose("along the part of k").loop("turn", count, (each, turn) -> turn(each, turn, warp));
            return warp;
        }

        private void nextLeft(Body b, Expr turn) {
            b.purpose("if the part has this turn").when(turn.lessThan(count), leftFactor::next);
            b.cpAsyncCommit();
        }

        private void turn(Body each, Expr turn, PackedWarp warp) {
            int line = pattern.turnsOfLine();
            each.purpose("what this thread copied has landed, but for the next turn's left factor").cpAsyncWait(1);
            each.purpose("what others copied has, too").syncWarp();
            Register bytes = warp.take(each, turn);
            Consumer<Body> nextLine = b -> {
                b.purpose("the line is in registers").syncWarp();
                b.purpose("if the part has a further line").when(turn.plus(1).lessThan(count), copies::next);
                b.cpAsyncCommit();
            };
            if (line > 1) {
                each.purpose("a line ends").when(turn.plus(1).modulo(line).isEqualTo(0), nextLine);
            } else {
                nextLine.accept(each);
            }
            warp.multiply(each, bytes, turn);
            each.purpose("all are done with the left factor's turn").syncWarp();
            nextLeft(each, turn.plus(STAGES));
        }
    }
}
