package dev.tilewright.tile.lower.exchange;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.cluster.BarrierClusterArrive;
import dev.tilewright.ptx.cluster.BarrierClusterWait;
import dev.tilewright.ptx.fence.Direction;
import dev.tilewright.ptx.fence.FenceSyncRestrict;
import dev.tilewright.ptx.mbarrier.WaitOrder;
import dev.tilewright.tile.lower.layout.Team;
import java.util.ArrayList;
import java.util.List;

/**
 * Gives threads what the same threads of the other blocks of a cluster have: each stores its own into the others'
 * memory, where a barrier counts the bytes. Each exchange of a tile has memory and a barrier of its own, so that
 * nothing is overwritten, and no block needs another one after its last. Before the first of the next tile all blocks
 * say that they have read those of this one.
 */
public final class ClusterExchange {
    /** A release at cluster scope would wait for what threads have stored into tensors. */
    private static final BarrierClusterArrive ARRIVE = new BarrierClusterArrive()
            .withOrder(BarrierClusterArrive.Order.RELAXED).withAligned();

    private final ExchangeNeeds needs;
    private final Team team;
    /** Whether blocks exchange anything, as far as is known when steps are written. */
    private final boolean isShared;
    private final SharedRegion.Buffer shares;
    private final SharedRegion.Barriers arrived;
    private final List<Round> rounds = new ArrayList<>();
    /** Which of the tiles it is that a cluster takes one after the other. */
    private Expr turn = Expr.of(0);
    private Expr turns = Expr.of(1);

    /** An exchange. @param come bytes that others store into a block @param bytes all places */
    record Round(int come, int bytes) { }

    ClusterExchange(ExchangeNeeds needs, Team team) {
        this.needs = needs;
        this.team = team;
        needs.amongBlocks |= team.blockBits() > 0;
        this.isShared = team.blockBits() > 0 && !needs.rounds.isEmpty();
        this.shares = new SharedRegion.Buffer("shares", Math.max(16, bytes(needs.rounds)), 16);
        this.arrived = new SharedRegion.Barriers("arrived", Math.max(1, needs.rounds.size()));
    }

    /** Memory that blocks use. */
    List<SharedRegion> regions() {
        return isShared ? List.of(shares, arrived) : List.of();
    }

    /** Blocks set up the barriers by which they share. @param tiles that the cluster takes, one after the other */
    void start(Body body, Expr tiles) {
        turns = tiles;
        if (!isShared) {
            return;
        }
        body.purpose("one thread sets up a barrier for each exchange of blocks").when(Builtin.THREAD.isEqualTo(0),
                one -> {
                    for (int i = 0; i < needs.rounds.size(); i++) {
                        one.barrierInit(arrived.at(i), 1);
                    }
                    one.purpose("the cluster sees them").barrierInitFence();
                    for (int i = 0; i < needs.rounds.size(); i++) {
                        one.purpose("what others will store").arriveExpectTx(arrived.at(i), needs.rounds.get(i).come);
                    }
                });
        body.purpose("no block stores before").issue(ARRIVE);
    }

    /** The steps of a tile follow. */
    void turn(Expr number) {
        turn = number;
    }

    /** Nothing is shared afterwards. */
    public void end() {
        needs.rounds = List.copyOf(rounds);
    }

    /**
     * What threads of the same number have in each block whose number differs in some bits.
     *
     * @param values at most 8
     * @param masks exclusive ors of a block's number, the first 0
     * @return for each mask the values
     */
    List<List<Value>> of(Body body, List<Value> values, List<Integer> masks) {
        if (rounds.isEmpty()) {
            body.purpose("all blocks have set up their barriers, or read what came for the tile before")
                    .issue(new BarrierClusterWait().withAcquire().withAligned());
        }
        List<Value> words = values.stream().map(ClusterExchange::word).toList();
        ValueType type = words.getFirst().type();
        int apart = team.threads() * type.bytes();
        int each = values.size() * apart;
        Address.Barrier come = arrived.at(rounds.size());
        Expr place = body.let("place", Builtin.THREAD.times(type.bytes()).plus(bytes(rounds)));
        Round round = new Round((masks.size() - 1) * each, team.blocks() * each);
        rounds.add(round);
        Expr own = body.let("own", place.plus(Builtin.CLUSTER_RANK.times(each)));
        for (int mask : masks.subList(1, masks.size())) {
            Expr rank = body.let("rank", Builtin.CLUSTER_RANK.xor(mask));
            for (int i = 0; i < words.size(); i++) {
                body.storeAsync(shares.at(own.plus(i * apart)).in(rank), come, words.get(i));
            }
        }
        body.purpose("the others' have come").waitParity(come, turn.modulo(2))
                .order(WaitOrder.ACQUIRE_CLUSTER);
        if (isOneOfMany()) {
            body.purpose("what they will store for the next tile").when(Builtin.THREAD.isEqualTo(0).and(isNext()),
                    one -> one.arriveExpectTx(come, round.come));
        }
        List<List<Value>> all = new ArrayList<>(List.of(values));
        for (int mask : masks.subList(1, masks.size())) {
            Expr theirs = body.let("theirs", place.plus(Builtin.CLUSTER_RANK.xor(mask).times(each)));
            List<Value> some = new ArrayList<>();
            for (int i = 0; i < words.size(); i++) {
                Register word = body.registers("word", type, 1);
                body.load(word, shares.at(theirs.plus(i * apart)));
                some.add(unword(word.get(), values.get(i).type()));
            }
            all.add(some);
        }
        if (isOneOfMany() && rounds.size() == needs.rounds.size()) {
            body.purpose("others may store for the next tile").when(isNext(), next -> {
                next.issue(new FenceSyncRestrict(Direction.RELEASE));
                next.issue(ARRIVE);
            });
        }
        return all;
    }

    /** All threads of the cluster wait for each other, and see what each has written to tensors. */
    public void sync(Body body) {
        boolean arrived = isShared && rounds.isEmpty();
        boolean arrivedForNext = !arrived && isOneOfMany() && rounds.size() == needs.rounds.size();
        // Where blocks have arrived at the cluster's barrier already, they wait for that first, and arrive again.
        if (arrived) {
            body.issue(new BarrierClusterWait().withAcquire().withAligned());
        } else if (arrivedForNext) {
            body.when(isNext(), next -> next.issue(new BarrierClusterWait().withAcquire().withAligned()));
        }
        body.purpose("what other blocks have stored").clusterSync();
        if (arrived) {
            body.issue(ARRIVE);
        } else if (arrivedForNext) {
            body.when(isNext(), next -> next.issue(ARRIVE));
        }
    }

    private boolean isOneOfMany() {
        return turns.constant().isEmpty();
    }

    private Expr isNext() {
        return turn.plus(1).lessThan(turns);
    }

    /** As many bits as are stored into another block's memory. */
    private static Value word(Value value) {
        return switch (value.type().bits()) {
            case Byte.SIZE -> value.bitCast(ValueType.U8).to(ValueType.U32);
            case Short.SIZE -> value.bitCast(ValueType.U16).to(ValueType.U32);
            default -> value;
        };
    }

    private static Value unword(Value word, ValueType type) {
        return switch (type.bits()) {
            case Byte.SIZE -> word.to(ValueType.U8).bitCast(type);
            case Short.SIZE -> word.to(ValueType.U16).bitCast(type);
            default -> word;
        };
    }

    private static int bytes(List<Round> rounds) {
        return rounds.stream().mapToInt(Round::bytes).sum();
    }
}
