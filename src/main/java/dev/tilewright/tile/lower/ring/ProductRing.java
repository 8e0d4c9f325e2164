package dev.tilewright.tile.lower.ring;

import dev.tilewright.NotNull;
import dev.tilewright.builder.pipeline.GroupPipeline;
import dev.tilewright.builder.pipeline.GroupRing;
import dev.tilewright.builder.pipeline.Landed;
import dev.tilewright.builder.pipeline.StageBuffer;
import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.mma.MmaShape;
import dev.tilewright.ptx.mma.MmaSync;
import dev.tilewright.ptx.mma.MmaTypes;
import dev.tilewright.tile.lower.layout.Held;
import dev.tilewright.tile.lower.layout.Team;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * A loop's products through a ring of stages: all threads of a block start {@code cp.async} copies of the factors some
 * turns ahead, and multiply by {@code mma.sync} what has landed.
 */
public final class ProductRing {
    private static final int SUMS = 4;

    private final RingPattern pattern;
    private final Team team;
    private final int stages;
    private final GroupRing ring;
    private final Function<RingProduct, MmaTypes> types;

    /** @param stages 2 or more @param types what tensor cores call a product's */
    public ProductRing(RingPattern pattern, Team team, int stages, Function<RingProduct, MmaTypes> types) {
        NotNull.all("pattern, team, types", pattern, team, types);
        this.pattern = pattern;
        this.team = team;
        this.stages = stages;
        this.types = types;
        this.ring = GroupRing.stages(stages).buffer(StageBuffer.of("stages", pattern.bytes())).build();
    }

    /** What the loop adds up. */
    public RingPattern pattern() {
        return pattern;
    }

    /** How many stages there are. */
    public int stages() {
        return stages;
    }

    /** Shared memory of all stages, which is free before and after the loop. */
    public SharedRegion.Buffer memory() {
        return (SharedRegion.Buffer) ring.regions().getFirst();
    }

    /**
     * Adds the products of turns.
     *
     * @param sums of each product, as {@code mma.sync} takes them
     * @param first turn
     * @param end behind the last, 64 bits both
     */
    public void turns(Body body, RingSources sources, List<Held> sums, Expr first, Expr end) {
        NotNull.all("body, sources, sums, first, end", body, sources, sums, first, end);
        Expr count = body.purpose("how many turns").let("turns", end.minus(first).as(IntType.S32));
        body.purpose("no thread needs what lies in the stages").syncThreads();
        List<RingCopies> copies = pattern.factors().stream().map(factor -> new RingCopies(factor, team.threads(),
                pattern.offset(factor))).toList();
        List<Reads> reads = new ArrayList<>();
        for (int i = 0; i < sums.size(); i++) {
            RingProduct product = pattern.products().get(i);
            Held held = sums.get(i);
            reads.add(new Reads(product, held.register(), RingFragments.of(body, product.a(), true, held.layout(),
                    pattern.offset(product.a())), RingFragments.of(body, product.b(), false, held.layout(),
                    pattern.offset(product.b()))));
        }
        GroupPipeline pipe = ring.open(body);
        pipe.overlap(body, count, (b, turn, stage) -> {
            sources.turn(first.plus(turn.toS64()));
            copies.forEach(factor -> factor.start(b, stage, sources));
        }, (b, turn, stage) -> reads.forEach(product -> multiply(b, stage, product)));
        pipe.close();
    }

    private record Reads(RingProduct product, Register sums, RingFragments a, RingFragments b) { }

    /** Adds a stage's products, each sum's with k ascending. What comes next along k is read meanwhile. */
    private void multiply(Body body, Landed stage, Reads reads) {
        RingFragments a = reads.a;
        RingFragments b = reads.b;
        int steps = reads.product.steps();
        int buffers = Math.min(2, steps);
        int ofA = a.count() * a.each();
        int ofB = b.count() * b.each();
        Register left = body.purpose("the thread's part of A").registers("a", ValueType.U32, buffers * ofA);
        Register right = body.purpose("the thread's part of B").registers("b", ValueType.U32, buffers * ofB);
        a.read(body, stage, Expr.of(0), left, Expr.of(0));
        b.read(body, stage, Expr.of(0), right, Expr.of(0));
        MmaSync form = new MmaSync(MmaShape.valueOf("M16N8K" + reads.product.depth()), types.apply(reads.product));
        for (int step = 0; step < steps; step++) {
            int now = step % 2;
            if (step + 1 < steps) {
                a.read(body, stage, Expr.of(step + 1), left, Expr.of((1 - now) * ofA));
                b.read(body, stage, Expr.of(step + 1), right, Expr.of((1 - now) * ofB));
            }
            body.purpose("sums += A B").unrolled("down", a.count(), (d, down) -> d.unrolled("across", b.count(),
                    (c, across) -> {
                        Expr sum = down.times(b.count()).plus(across).times(SUMS);
                        c.issue(form, Input.of(reads.sums, sum), Input.of(left, down.times(a.each()).plus(now * ofA)),
                                Input.of(right, across.times(b.each()).plus(now * ofB)), Input.of(reads.sums, sum));
                    }));
        }
    }
}
