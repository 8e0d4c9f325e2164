package dev.tilewright.hazard.blame;

import static dev.tilewright.hazard.blame.Blame.T;
import static dev.tilewright.hazard.blame.Blame.from;
import static dev.tilewright.hazard.blame.Blame.to;

import dev.tilewright.hazard.HazardCode;
import dev.tilewright.hazard.HazardReport;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Fragment;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.cluster.Mapa;
import dev.tilewright.ptx.copy.StAsync;
import dev.tilewright.ptx.mbarrier.ArriveOrder;
import dev.tilewright.ptx.mbarrier.MbarrierArrive;
import dev.tilewright.ptx.mbarrier.WaitOrder;
import java.util.List;

/**
 * Two blocks of a cluster with a ring: each loads half of every tile for both, and one for itself on the same mbarrier,
 * and hands stages back to both. Before
 * that they send each other words.
 */
final class MulticastBlames {
    private static final int STAGES = 2;
    private static final int TURNS = 5;
    private static final int TILE = 256;
    private static final int READERS = 64;
    private static final Expr RANK = Builtin.CLUSTER_RANK;
    private static final Expr OTHER = Expr.of(1).minus(RANK);
    private static final SharedRegion.Buffer RING = new SharedRegion.Buffer("ring", STAGES * TILE, 128);
    private static final SharedRegion.Buffer OWN = new SharedRegion.Buffer("own", STAGES * 128, 128);
    private static final SharedRegion.Buffer MAIL = new SharedRegion.Buffer("mail", STAGES * 128, 128);
    private static final SharedRegion.Barriers FULL = new SharedRegion.Barriers("full", STAGES);
    private static final SharedRegion.Barriers EMPTY = new SharedRegion.Barriers("empty", STAGES);
    private static final SharedRegion.Barriers GOT = new SharedRegion.Barriers("got", STAGES);

    private enum Edit {
        MASK_WITHOUT_SECOND, READERS_OF_ITS_BLOCK_EXPECTED, COUNTED_ON_OTHER
    }

    private static final Blame.Runner RUNNER = MulticastBlames::check;

    private MulticastBlames() {
    }

    static List<Blame> all() {
        return List.of(
                is(Edit.MASK_WITHOUT_SECOND, HazardCode.MULTICAST_MISSING_CTA, "load half", "mask 0x1",
                        "full[0] of block 1 waits for 256 more bytes"),
                is(Edit.READERS_OF_ITS_BLOCK_EXPECTED, HazardCode.WRONG_ARRIVAL_COUNT, "readers", "empty[0]",
                        "passed after 64 arrivals", "128 threads arrive there"),
                is(Edit.COUNTED_ON_OTHER, HazardCode.TX_TOO_LARGE, "send", "counted on barrier got[1]",
                        "got[0] waits for 128 more bytes"));
    }

    private static Blame is(Edit edit, HazardCode code, String step, String... words) {
        return new Blame("multicast", edit, code, step, RUNNER, List.of(words));
    }

    private static HazardReport check(Enum<?> edit) {
        return Blame.check(32 + READERS, 2, 2, List.of(RING, OWN, MAIL, FULL, EMPTY, GOT),
                body -> write(body, (Edit) edit));
    }

    private static void write(Body body, Edit edit) {
        body.purpose("set up").when(T.isEqualTo(0), one -> {
            one.purpose("stages").loop("i", STAGES, (each, i) -> {
                each.purpose("loader").barrierInit(FULL.at(i), 1);
                each.purpose("readers").barrierInit(EMPTY.at(i),
                        edit == Edit.READERS_OF_ITS_BLOCK_EXPECTED ? READERS : 2 * READERS);
                each.purpose("receiver").barrierInit(GOT.at(i), 1);
            });
            one.purpose("for the engine").barrierInitFence();
            one.purpose("stages").loop("i", STAGES,
                    (each, i) -> each.purpose("expect words").arriveExpectTx(GOT.at(i), 128));
        });
        body.purpose("set up").clusterSync();
        body.purpose("mail").when(T.lessThan(32), some -> some.purpose("turns").loop("turn", STAGES,
                (each, turn) -> exchange(each, turn, edit)));
        body.purpose("mail is done").syncThreads();
        body.purpose("loader").when(T.isEqualTo(0), one -> one.purpose("turns")
                .loop("turn", TURNS, (each, turn) -> load(each, turn, edit)));
        body.purpose("readers").when(T.atLeast(32), rest -> rest.purpose("turns")
                .loop("turn", TURNS, MulticastBlames::read));
        body.purpose("no block leaves").clusterSync();
    }

    private static Expr there(Body body, String name, Address address, Expr rank) {
        return body.purpose("there").issue(name, Mapa.ofShared(), Input.of(address), Input.of(rank));
    }

    private static void exchange(Body body, Expr turn, Edit edit) {
        Expr word = there(body, "word", MAIL.at(turn.times(128).plus(T.times(4))), OTHER);
        Expr barrier = there(body, "barrier",
                GOT.at(edit == Edit.COUNTED_ON_OTHER ? Expr.of(1).minus(turn) : turn), OTHER);
        body.purpose("send").issue(new StAsync(DataType.U32), Input.of(word), Input.of(T), Input.of(barrier));
        body.purpose("got").waitParity(GOT.at(turn), 0).order(WaitOrder.ACQUIRE_CLUSTER);
        Fragment f = body.purpose("receive").load("mail", ElementType.U32, 1,
                MAIL.at(turn.times(128).plus(T.times(4))));
        body.purpose("show").store(to(Builtin.BLOCK.times(256).plus(turn.times(128)).plus(T.times(4)).plus(8192)), f);
    }

    private static void load(Body body, Expr turn, Edit edit) {
        Expr stage = turn.modulo(STAGES);
        body.purpose("free").waitParity(EMPTY.at(stage), turn.dividedBy(STAGES).plus(1).modulo(2))
                .order(WaitOrder.ACQUIRE_CLUSTER);
        body.purpose("announce").arriveExpectTx(FULL.at(stage), TILE + 128);
        body.purpose("load half").bulkLoad(RING.at(stage.times(TILE).plus(RANK.times(TILE / 2))),
                from(turn.times(TILE).plus(RANK.times(TILE / 2))), TILE / 2, FULL.at(stage))
                .multicast(edit == Edit.MASK_WITHOUT_SECOND ? 1 : 3);
        body.purpose("load own").bulkLoad(OWN.at(stage.times(128)), from(turn.times(128)), 128, FULL.at(stage));
    }

    private static void read(Body body, Expr turn) {
        Expr stage = turn.modulo(STAGES);
        Expr at = T.minus(32).times(4);
        body.purpose("landed").waitParity(FULL.at(stage), turn.dividedBy(STAGES).modulo(2));
        Fragment f = body.purpose("read").load("word", ElementType.U32, 1, RING.at(stage.times(TILE).plus(at)));
        body.purpose("to both").loop("rank", 2, (each, rank) -> {
            Expr empty = there(each, "empty_there", EMPTY.at(stage), rank);
            each.purpose("release").issue(new MbarrierArrive().withSpace(Space.SHARED_CLUSTER)
                    .withOrder(ArriveOrder.RELEASE_CLUSTER), Input.of(empty));
        });
        body.purpose("write").store(to(Builtin.BLOCK.times(TURNS).plus(turn).times(TILE).plus(at)), f);
    }
}
