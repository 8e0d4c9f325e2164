package dev.tilewright.hazard;

import static dev.tilewright.hazard.SmallKernels.BUFFER;
import static dev.tilewright.hazard.SmallKernels.T;
import static dev.tilewright.hazard.SmallKernels.fill;
import static dev.tilewright.hazard.SmallKernels.one;
import static dev.tilewright.hazard.SmallKernels.show;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Value;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * What meetings of lanes and of parts of a block order: {@code bar.warp.sync} its members, a named barrier those who
 * wait after all who came, arriving nothing for who arrives; shuffles, votes and elections nothing at all.
 */
class WarpOrdersTest {
    /** The next lane's word, of the same warp. */
    private static final Expr NEXT = T.minus(T.modulo(32)).plus(T.plus(1).modulo(32)).times(4);

    @Test
    void syncWarpOrdersAWarp() {
        Twins.clean(exchange(Body::syncWarp));
        races(exchange(_ -> { }));
    }

    @Test
    void syncWarpOrdersOnlyItsMembers() {
        races(exchange(body -> body.purpose("halves").when(
                T.modulo(32).lessThan(16), low -> low.syncWarp(0xFFFF), high -> high.syncWarp(0xFFFF_0000))));
    }

    @Test
    void syncWarpOrdersNothingOfOtherWarps() {
        races(one(body -> {
            fill(body);
            body.purpose("meet").syncWarp();
            show(body, T.xor(32).times(4));
        }));
    }

    @Test
    void shufflesVotesAndElectionsOrderNothing() {
        races(exchange(b -> b.warp().shuffleXor(Value.i32(1), 1)));
        races(exchange(b -> b.warp().all(Value.of(T.atLeast(0)))));
        races(exchange(b -> b.warp().elect()));
        races(exchange(b -> b.warp().matchAny(Value.i32(1))));
    }

    private static void races(HazardReport report) {
        assertEquals(Set.of(HazardCode.MISSING_BARRIER), report.codes(), report::toString);
    }

    private static HazardReport exchange(Consumer<Body> between) {
        return one(body -> {
            fill(body);
            between.accept(body);
            show(body, NEXT);
        });
    }

    @Test
    void aNamedBarrierOrdersThoseWhoWaitAfterThoseWhoCome() {
        Twins.clean(handOver(b -> b.namedBarrier(1, 64).arrive(), b -> b.namedBarrier(1, 64).sync()));
        Twins.clean(handOver(b -> b.namedBarrier(1, 64).sync(), b -> b.namedBarrier(1, 64).sync()));
        races(handOver(b -> b.namedBarrier(1, 64).sync(), b -> b.namedBarrier(1, 64).arrive()));
        races(handOver(b -> b.namedBarrier(1, 32).sync(), b -> b.namedBarrier(2, 32).sync()));
    }

    /** The first warp fills, the second reads. */
    private static HazardReport handOver(Consumer<Body> filled, Consumer<Body> taken) {
        return one(body -> body.purpose("two warps").when(T.lessThan(32), first -> {
            fill(first);
            filled.accept(first.purpose("filled"));
        }, second -> {
            taken.accept(second.purpose("it is filled"));
            show(second, T.minus(32).times(4));
        }));
    }

    @Test
    void whoArrivesMayNotGoOnWriting() {
        races(one(body -> body.purpose("two warps").when(T.lessThan(32), first -> {
            fill(first);
            first.purpose("filled").namedBarrier(1, 64).arrive();
            first.purpose("again").store(BUFFER.at(T.times(4)), Value.u32(1));
        }, second -> {
            second.purpose("it is filled").namedBarrier(1, 64).sync();
            show(second, T.minus(32).times(4));
        })));
    }

    @Test
    void everyTurnOfABarrierOrdersItsOwn() {
        Twins.clean(turns(true));
        // A warp that arrives twice makes up for one that is missing: the barrier opens early, and once too seldom.
        assertEquals(Set.of(HazardCode.MISSING_BARRIER, HazardCode.NAMED_BARRIER_MISMATCH), turns(false).codes());
    }

    /** @param taken whether the first warp waits until the second has taken what it filled before */
    private static HazardReport turns(boolean taken) {
        return one(body -> body.purpose("turns").loop("turn", 3, (b, _) -> b.purpose("two warps")
                .when(T.lessThan(32), first -> {
            fill(first);
            first.purpose("filled").namedBarrier(1, 64).arrive();
            if (taken) {
                first.purpose("taken").namedBarrier(2, 64).sync();
            }
        }, second -> {
            second.purpose("it is filled").namedBarrier(1, 64).sync();
            show(second, T.minus(32).times(4));
            second.purpose("taken").namedBarrier(2, taken ? 64 : 32).arrive();
        })));
    }
}
