package dev.tilewright.hazard;

import dev.tilewright.OrdinaryShare;
import dev.tilewright.hazard.check.HazardCheck;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Fragment;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.cluster.Mapa;
import dev.tilewright.ptx.copy.BulkLoad;
import dev.tilewright.ptx.mbarrier.ArriveOrder;
import dev.tilewright.ptx.mbarrier.ArriveResult;
import dev.tilewright.ptx.mbarrier.MbarrierArrive;
import dev.tilewright.ptx.mbarrier.WaitOrder;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Rings of stages as fast kernels have them: one thread a block loads, several warps read, and in a cluster each block
 * loads a part of every tile for all blocks, whose readers hand the stage back to all of them.
 */
class RingTest {
    private static final int CONSUMERS = 64;
    private static final int THREADS = 32 + CONSUMERS;
    private static final int TILE = 4 * CONSUMERS;
    private static final Parameter.Pointer SOURCE = new Parameter.Pointer("source", false);
    private static final Parameter.Pointer RESULT = new Parameter.Pointer("result", true);
    private static final Expr T = Builtin.THREAD;

    /** One thing that is wrong. */
    enum Edit {
        NOTHING,
        NO_WAIT_FOR_EMPTY,
        NO_WAIT_FOR_EMPTY_IN_THE_LAST_TURN,
        NO_WAIT_FOR_FULL,
        NO_WAIT_FOR_FULL_IN_THE_LAST_TURN,
        FLIPPED_PARITY_OF_EMPTY,
        FLIPPED_PARITY_OF_FULL,
        PARITY_STAYS_0,
        FEWER_ARRIVALS_OF_READERS,
        MORE_ARRIVALS_OF_READERS,
        ONE_READER_ARRIVES_TWICE,
        ONE_READER_NEVER_ARRIVES,
        ONE_READER_LEAVES_EARLY,
        ARRIVES_BEFORE_READING,
        ARRIVES_AT_THE_NEXT_STAGE,
        WAITS_FOR_THE_NEXT_STAGE,
        LOADS_THE_NEXT_STAGE,
        ANNOUNCES_LESS,
        ANNOUNCES_MORE,
        ANNOUNCES_AFTER_ARRIVING,
        ANNOUNCES_ONCE_MORE_WITHOUT_ARRIVING,
        TWO_ARRIVALS_OF_THE_LOADER,
        NO_SYNC_AFTER_INIT,
        NO_END
    }

    /** What a ring looks like. @param edit what is wrong with it */
    private record Ring(int stages, int turns, int cluster, Edit edit, SharedRegion.Buffer ring,
            SharedRegion.Barriers full, SharedRegion.Barriers empty) {

        Ring(int stages, int turns, int cluster, Edit edit) {
            this(stages, turns, cluster, edit, new SharedRegion.Buffer("ring", stages * TILE, 128),
                    new SharedRegion.Barriers("full", stages), new SharedRegion.Barriers("empty", stages));
        }

        boolean is(Edit one) {
            return edit == one;
        }

        // ---- set up

        void write(Body body) {
            int readers = CONSUMERS * cluster + (is(Edit.FEWER_ARRIVALS_OF_READERS) ? -1 : 0)
                    + (is(Edit.MORE_ARRIVALS_OF_READERS) ? 1 : 0);
            int loaders = is(Edit.TWO_ARRIVALS_OF_THE_LOADER) ? 2 : 1;
            body.purpose("one thread sets up").when(T.isEqualTo(0), one -> {
                one.purpose("each stage").loop("fresh", stages, (each, i) -> {
                    each.purpose("of the loading thread").barrierInit(full.at(i), loaders);
                    each.purpose("of each reader").barrierInit(empty.at(i), readers);
                });
                one.purpose("known to all").barrierInitFence();
            });
            if (!is(Edit.NO_SYNC_AFTER_INIT)) {
                sync(body);
            }
            body.purpose("one thread loads").when(T.isEqualTo(0), one -> one.purpose("each turn")
                    .loop("load", turns, this::load));
            body.purpose("others read").when(T.atLeast(32), rest -> rest.purpose("each turn")
                    .loop("read", turns, this::read));
            if (cluster > 1 && !is(Edit.NO_END)) {
                body.purpose("no block leaves").clusterSync();
            }
        }

        private void sync(Body body) {
            if (cluster > 1) {
                body.purpose("all blocks are set up").clusterSync();
            } else {
                body.purpose("set up").syncThreads();
            }
        }

        // ---- the loading thread

        private void load(Body body, Expr turn) {
            Expr stage = body.purpose("its stage").let("load_stage", turn.modulo(stages));
            Expr parity = parity(turn, is(Edit.FLIPPED_PARITY_OF_EMPTY) ? 0 : 1);
            if (is(Edit.NO_WAIT_FOR_EMPTY_IN_THE_LAST_TURN)) {
                body.purpose("not in the last turn").when(turn.lessThan(turns - 1), b -> waitForEmpty(b, stage,
                        parity));
            } else if (!is(Edit.NO_WAIT_FOR_EMPTY)) {
                waitForEmpty(body, stage, parity);
            }
            announce(body, stage);
            copy(body, turn, is(Edit.LOADS_THE_NEXT_STAGE) ? turn.plus(1).modulo(stages) : stage);
        }

        private void waitForEmpty(Body body, Expr stage, Expr parity) {
            body.purpose("stage is free").waitParity(empty.at(stage), parity)
                    .order(cluster > 1 ? WaitOrder.ACQUIRE_CLUSTER : WaitOrder.DEFAULT);
        }

        private void announce(Body body, Expr stage) {
            int bytes = TILE + (is(Edit.ANNOUNCES_LESS) ? -16 : 0) + (is(Edit.ANNOUNCES_MORE) ? 16 : 0);
            if (is(Edit.ANNOUNCES_AFTER_ARRIVING)) {
                body.purpose("arrive").arrive(full.at(stage));
                body.purpose("announce").expectTx(full.at(stage), bytes);
                return;
            }
            body.purpose("announce").arriveExpectTx(full.at(stage), bytes);
            if (is(Edit.TWO_ARRIVALS_OF_THE_LOADER)) {
                body.purpose("arrive again").arrive(full.at(stage));
                body.purpose("and again").arrive(full.at(stage));
            }
            if (is(Edit.ANNOUNCES_ONCE_MORE_WITHOUT_ARRIVING)) {
                body.purpose("announce too much").expectTx(full.at(stage), bytes);
            }
        }

        private void copy(Body body, Expr turn, Expr stage) {
            Expr tile = stage.times(TILE);
            if (cluster == 1) {
                body.purpose("load").bulkLoad(ring.at(tile), source(turn, Expr.of(0)), TILE, full.at(stage));
            } else {
                Expr part = Builtin.CLUSTER_RANK.times(TILE / cluster);
                body.purpose("load my part for all").issue(new BulkLoad().withMulticast(),
                        Input.of(ring.at(tile.plus(part))), Input.of(source(turn, part)), Input.of(TILE / cluster),
                        Input.of(full.at(stage)), Input.of((1 << cluster) - 1));
            }
        }

        private Address.Global source(Expr turn, Expr part) {
            return new Address.Global(SOURCE, turn.times(TILE).plus(part).toS64());
        }

        // ---- the readers

        private void read(Body body, Expr turn) {
            Expr stage = body.purpose("its stage").let("read_stage", turn.modulo(stages));
            Expr next = turn.plus(1).modulo(stages);
            Expr parity = parity(turn, is(Edit.FLIPPED_PARITY_OF_FULL) ? 1 : 0);
            Expr waited = is(Edit.WAITS_FOR_THE_NEXT_STAGE) ? next : stage;
            if (is(Edit.NO_WAIT_FOR_FULL_IN_THE_LAST_TURN)) {
                body.purpose("not in the last turn").when(turn.lessThan(turns - 1), b -> waitForFull(b, stage, parity));
            } else if (!is(Edit.NO_WAIT_FOR_FULL)) {
                waitForFull(body, waited, parity);
            }
            if (is(Edit.ARRIVES_BEFORE_READING)) {
                handBack(body, stage);
                take(body, turn, stage);
                return;
            }
            take(body, turn, stage);
            Expr back = is(Edit.ARRIVES_AT_THE_NEXT_STAGE) ? next : stage;
            if (is(Edit.ONE_READER_NEVER_ARRIVES)) {
                body.purpose("all but one").when(T.atLeast(33), b -> handBack(b, back));
            } else if (is(Edit.ONE_READER_LEAVES_EARLY)) {
                body.purpose("all but one in the last turns").when(T.minus(32).plus(1).times(turns).atLeast(
                        turn.plus(stages + 2)), b -> handBack(b, back));
            } else {
                handBack(body, back);
            }
            if (is(Edit.ONE_READER_ARRIVES_TWICE)) {
                body.purpose("one reader again").when(T.isEqualTo(40), b -> handBack(b, back));
            }
        }

        private void waitForFull(Body body, Expr stage, Expr parity) {
            body.purpose("it has landed").waitParity(full.at(stage), parity)
                    .order(cluster > 1 ? WaitOrder.ACQUIRE_CLUSTER : WaitOrder.DEFAULT);
        }

        private void take(Body body, Expr turn, Expr stage) {
            Expr mine = T.minus(32).times(4);
            Fragment word = body.purpose("read").load("word", ElementType.U32, 1,
                    ring.at(stage.times(TILE).plus(mine)));
            body.purpose("keep it").store(new Address.Global(RESULT, Builtin.BLOCK.times(turns).plus(turn).times(TILE)
                    .plus(mine).toS64()), word);
        }

        private void handBack(Body body, Expr stage) {
            for (int rank = 0; rank < cluster; rank++) {
                if (cluster == 1) {
                    body.purpose("hand it back").issue(new MbarrierArrive().withResult(ArriveResult.SINK),
                            Input.of(empty.at(stage)));
                } else {
                    Expr there = body.purpose("of block " + rank).issue("there", Mapa.ofShared(),
                            Input.of(empty.at(stage)), Input.of(rank));
                    body.purpose("hand it back").issue(new MbarrierArrive().withOrder(ArriveOrder.RELEASE_CLUSTER)
                            .withSpace(Space.SHARED_CLUSTER), Input.of(there));
                }
            }
        }

        private Expr parity(Expr turn, int plus) {
            return is(Edit.PARITY_STAYS_0) ? Expr.of(plus) : turn.dividedBy(stages).plus(plus).modulo(2);
        }

        // ---- the check

        HazardReport check(HazardOptions options) {
            TileProgram program = new TileProgram("ring", "a ring of stages", THREADS, cluster, List.of(SOURCE, RESULT),
                    new SharedLayout(List.of(ring, full, empty)), Body.steps(this::write));
            Launch launch = Launch.of(program, cluster, Map.of(SOURCE, new Argument.Buffer(0), RESULT,
                    new Argument.Buffer(1)));
            return HazardCheck.check(launch, List.of(MemorySegment.ofArray(new long[turns * TILE / 8]),
                    MemorySegment.ofArray(new long[cluster * turns * TILE / 8])), options);
        }
    }

    @ParameterizedTest
    @CsvSource({"2,7,1", "3,9,1", "4,12,1", "8,20,1", "2,5,2", "3,8,2", "4,9,2", "2,5,4"})
    void correctOnesAreClean(int stages, int turns, int cluster) {
        Twins.clean(new Ring(stages, turns, cluster, Edit.NOTHING).check(HazardOptions.DEFAULT));
    }

    @Test
    void correctOnesAreCleanInOtherOrders() {
        Twins.clean(new Ring(3, 8, 1, Edit.NOTHING).check(HazardOptions.DEFAULT.withSeeds(1L, 2L, 3L, 4L)));
        Twins.clean(new Ring(2, 5, 2, Edit.NOTHING).check(HazardOptions.DEFAULT.withSeeds(1L, 2L, 3L, 4L)));
    }

    @ParameterizedTest
    @OrdinaryShare(3)
    @EnumSource(mode = Mode.EXCLUDE, names = {"NOTHING", "NO_END"})
    void editsAreFoundInABlock(Edit edit) {
        assertFound(new Ring(3, 8, 1, edit));
    }

    @ParameterizedTest
    @OrdinaryShare(3)
    @EnumSource(mode = Mode.EXCLUDE, names = "NOTHING")
    void editsAreFoundInACluster(Edit edit) {
        assertFound(new Ring(2, 6, 2, edit));
    }

    /** Without the help of other orders. */
    private static void assertFound(Ring ring) {
        HazardReport report = ring.check(HazardOptions.DEFAULT.withExtraSteps(0));
        assertFalse(report.isClean(), report::toString);
        if (Boolean.getBoolean("show")) {
            System.err.println(ring.edit + " " + ring.cluster + "\n" + report);
        }
    }
}
