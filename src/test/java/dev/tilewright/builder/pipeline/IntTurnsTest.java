package dev.tilewright.builder.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.program.Body;
import dev.tilewright.program.Step;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedRegion;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** A turn, a place or a number of bytes may be an int, which means what the same constant does as an expression. */
class IntTurnsTest {
    private static final StageBuffer TILES = StageBuffer.of("tiles", 512);
    private static final BarrierRing BARRIERS = BarrierRing.stages(3).buffer(TILES).build();
    private static final GroupRing GROUPS = GroupRing.stages(3).buffer(TILES).build();

    /** The steps, and the addresses of the stage that they give. */
    private static List<Object> all(BiFunction<Body, BarrierPipeline, RingStage> code) {
        List<Object> all = new ArrayList<>();
        all.addAll(Body.steps(b -> all.add(code.apply(b, BARRIERS.open(b)).start())));
        return all;
    }

    private static List<Object> ofGroups(BiFunction<Body, GroupPipeline, RingStage> code) {
        List<Object> all = new ArrayList<>();
        all.addAll(Body.steps(b -> all.add(code.apply(b, GROUPS.open(b)).start())));
        return all;
    }

    @Property(tries = 40)
    void ofBarriers(@ForAll @IntRange int turn, @ForAll @IntRange(max = 512) int bytes) {
        Expr t = Expr.of(turn);
        Expr n = Expr.of(bytes);
        List<Object> announced = all((b, p) -> p.acquire(b, t, n));
        assertEquals(announced, all((b, p) -> p.acquire(b, turn, bytes)));
        assertEquals(announced, all((b, p) -> p.acquire(b, t, bytes)));
        assertEquals(announced, all((b, p) -> p.acquire(b, turn, n)));
        assertEquals(announced, all((b, p) -> p.acquire(b, p.at(b, turn), bytes)));
        assertEquals(all((b, p) -> p.acquire(b, p.cursor(b, "at", t))),
                all((b, p) -> p.acquire(b, p.cursor(b, "at", turn))));
        assertEquals(all((b, p) -> p.acquiredBefore(b, t)), all((b, p) -> p.acquiredBefore(b, turn)));
        assertEquals(BARRIERS.at(Builtin.BLOCK, n), BARRIERS.at(Builtin.BLOCK, bytes));
    }

    @Property(tries = 40)
    void ofGroups(@ForAll @IntRange int turn, @ForAll @IntRange(max = 512) int bytes) {
        Expr t = Expr.of(turn);
        Expr n = Expr.of(bytes);
        assertEquals(ofGroups((b, p) -> p.landedBefore(b, t)), ofGroups((b, p) -> p.landedBefore(b, turn)));
        StageCode<Landed> own = (b, at, stage) -> b.let("seen", at.plus(Builtin.THREAD).plus(stage.index()));
        assertEquals(ofGroups((b, p) -> p.await(b, t, own)), ofGroups((b, p) -> p.await(b, turn, own)));
        Expr first = Builtin.BLOCK.isEqualTo(0);
        StageCode<Filling> fill = (b, at, stage) -> b.let("filled", at.plus(Builtin.THREAD).plus(stage.index()));
        assertEquals(Body.steps(b -> GROUPS.open(b).fillWhere(b, first, t, fill)),
                Body.steps(b -> GROUPS.open(b).fillWhere(b, first, turn, fill)));
        assertEquals(GROUPS.at(Builtin.BLOCK, n), GROUPS.at(Builtin.BLOCK, bytes));
        assertEquals(GROUPS.at(TILES, Builtin.BLOCK, n), GROUPS.at(TILES, Builtin.BLOCK, bytes));
    }

    @Property(tries = 40)
    void ofGroupsInOrder(@ForAll @IntRange(max = 1) int group, @ForAll @IntRange(max = 1 << 30) int turn) {
        Expr t = Expr.of(turn);
        OrderedTurns order = new OrderedTurns("order", List.of(ThreadRange.warp(0), ThreadRange.warp(1)));
        assertEquals(Body.steps(b -> order.await(b, group, t)), Body.steps(b -> order.await(b, group, turn)));
        Consumer<Body> code = b -> b.syncWarp();
        assertEquals(Body.steps(b -> order.section(b, group, t, code)),
                Body.steps(b -> order.section(b, group, turn, code)));
    }

    @Property(tries = 40)
    void ofCopies(@ForAll @IntRange int from, @ForAll @IntRange(max = 4096) int bytes, @ForAll boolean aligned) {
        SharedRegion.Buffer buffer = new SharedRegion.Buffer("buffer", 4096, 16);
        Address.Global source = new Address.Global(new Parameter.Pointer("source", false), from);
        CollectiveCopy copy = CollectiveCopy.by(ThreadRange.first(64)).aligned(aligned ? 4 : 1);
        List<Step> written = Body.steps(b -> copy.write(b, buffer.at(0), source, Expr.of(bytes)));
        assertEquals(written, Body.steps(b -> copy.write(b, buffer.at(0), source, bytes)));
    }
}
