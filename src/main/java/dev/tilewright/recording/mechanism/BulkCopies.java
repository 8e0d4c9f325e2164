package dev.tilewright.recording.mechanism;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tilewright.json.JsonFields;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.ClusterSize;
import dev.tilewright.program.Dim3;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.ptx.fence.FenceProxyAsync;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * {@code bulk}: a copy of some chunks of 16 bytes by the copy engine: into shared memory, out of it, into several
 * blocks of a cluster, or from one block's to another's.
 */
final class BulkCopies implements RecordedMechanism {
    private static final int THREADS = 64;
    private static final int BYTES = 4096;
    private static final int MOST_BLOCKS = 8;
    private static final SharedRegion.Buffer TILE = new SharedRegion.Buffer("tile", BYTES, 128);
    private static final SharedRegion.Buffer LEFT = new SharedRegion.Buffer("left", BYTES, 128);
    private static final SharedRegion.Barriers FULL = new SharedRegion.Barriers("full", 1);
    private static final Address.Barrier LANDED = FULL.at(0);
    private static final Parameter.Int COUNT = Steps.number("count");
    private static final Parameter.Int FROM = Steps.number("from");
    private static final Parameter.Int TO = Steps.number("to");
    private static final Parameter.Int MASK = Steps.number("mask");
    private static final Parameter.Int ISSUER = Steps.number("issuer");

    /** From where to where. */
    private enum Transfer { LOAD, STORE, MULTICAST, CLUSTER }

    private final ProgramCache<Transfer> programs = new ProgramCache<>(BulkCopies::program);

    @Override
    public String kind() {
        return "bulk";
    }

    @Override
    public void draw(ObjectNode row, SplittableRandom random, int index) {
        Transfer way = Transfer.values()[index % 4];
        int chunks = BYTES / 16;
        int count = random.nextInt(1, chunks + 1);
        row.put("way", way.name().toLowerCase(Locale.ROOT)).put("count", 16 * count)
                .put("from", 16 * random.nextInt(chunks - count + 1))
                .put("to", 16 * random.nextInt(chunks - count + 1));
        int blocks = way == Transfer.LOAD || way == Transfer.STORE ? 1 : 1 << random.nextInt(1, 4);
        int mask = way == Transfer.CLUSTER ? random.nextInt(blocks) : random.nextInt(1, 1 << blocks);
        row.put("blocks", blocks).put("mask", mask).put("issuer", random.nextInt(blocks))
                .put("seed", random.nextInt(1 << 20));
    }

    @Override
    public Experiment experiment(JsonFields row) {
        Transfer way = row.constant("way", Transfer.class);
        int blocks = row.number("blocks", 1, MOST_BLOCKS);
        int count = row.number("count", 16, BYTES);
        Map<Parameter, Argument> arguments = Map.of(Steps.IN, new Argument.Buffer(0), Steps.OUT, new Argument.Buffer(1),
                COUNT, new Argument.Int(count), FROM, new Argument.Int(row.number("from", 0, BYTES - count)),
                TO, new Argument.Int(row.number("to", 0, BYTES - count)),
                MASK, new Argument.Int(row.number("mask", 0, (1 << blocks) - 1)),
                ISSUER, new Argument.Int(row.number("issuer", 0, blocks - 1)));
        Experiment.Content in = Experiment.Content.of(Data.bytes(row.integer("seed"), BYTES));
        Experiment.Content out = Experiment.Content.fresh(BYTES * blocks);
        return way == Transfer.LOAD || way == Transfer.STORE ? Experiment.of(programs.of(way), 1, arguments, in, out)
                : Experiment.ofCluster(programs.of(way), blocks, arguments, in, out);
    }

    @Override
    public String counted(JsonFields row) {
        return kind() + " " + row.text("way");
    }

    private static TileProgram program(Transfer way) {
        boolean cluster = way == Transfer.MULTICAST || way == Transfer.CLUSTER;
        return new TileProgram("record_bulk", "copies some bytes", Dim3.of(THREADS),
                cluster ? ClusterSize.AT_LAUNCH : ClusterSize.NONE,
                List.of(Steps.IN, Steps.OUT, COUNT, FROM, TO, MASK, ISSUER),
                new SharedLayout(List.of(TILE, LEFT, FULL)), Body.steps(body -> {
                    Steps.poison(body, TILE, Expr.of(BYTES), THREADS);
                    Steps.fetch(body, LEFT, Expr.of(BYTES), 0, THREADS);
                    body.purpose("the copy engine sees it").proxyFence(FenceProxyAsync.Memory.SHARED);
                    Steps.initialise(body, LANDED);
                    switch (way) {
                        case LOAD -> load(body);
                        case STORE -> store(body);
                        case MULTICAST -> multicast(body);
                        case CLUSTER -> cluster(body);
                    }
                }));
    }

    private static void load(Body body) {
        body.purpose("all is ready").syncThreads();
        body.purpose("one thread").when(Steps.THREAD.isEqualTo(0), one -> {
            one.purpose("announce the bytes").arriveExpectTx(LANDED, COUNT.value());
            one.purpose("load them").bulkLoad(TILE.at(TO.value()), Steps.in(FROM.value()), COUNT.value(), LANDED);
        });
        body.purpose("they have landed").waitParity(LANDED, 0);
        Steps.show(body, TILE, Expr.of(BYTES), Expr.of(0), THREADS);
    }

    private static void store(Body body) {
        body.purpose("all is ready").syncThreads();
        body.purpose("one thread").when(Steps.THREAD.isEqualTo(0), one -> {
            one.purpose("store the bytes").bulkStore(Steps.out(TO.value()), LEFT.at(FROM.value()), COUNT.value());
            one.purpose("one group").bulkCommit();
            one.purpose("it is written").bulkWait(0);
        });
    }

    private static void multicast(Body body) {
        Expr rank = Builtin.CLUSTER_RANK;
        Expr chosen = MASK.value().dividedBy(TensorLoads.power(rank)).modulo(2).isEqualTo(1);
        body.purpose("all blocks are ready").clusterSync();
        body.purpose("one thread of each block that the copy reaches").when(chosen.and(Steps.THREAD.isEqualTo(0)),
                one -> one.purpose("announce the bytes").arriveExpectTx(LANDED, COUNT.value()));
        body.purpose("all blocks expect them").clusterSync();
        body.purpose("one thread of one block").when(rank.isEqualTo(ISSUER.value()).and(Steps.THREAD.isEqualTo(0)),
                one -> one.purpose("load them").bulkLoad(TILE.at(TO.value()), Steps.in(FROM.value()), COUNT.value(),
                        LANDED).multicast(MASK.value()));
        shown(body, chosen);
    }

    /** The mask is the block that the bytes go to. */
    private static void cluster(Body body) {
        Expr rank = Builtin.CLUSTER_RANK;
        Expr chosen = rank.isEqualTo(MASK.value());
        body.purpose("all blocks are ready").clusterSync();
        body.purpose("one thread of that block").when(chosen.and(Steps.THREAD.isEqualTo(0)),
                one -> one.purpose("announce the bytes").arriveExpectTx(LANDED, COUNT.value()));
        body.purpose("it expects them").clusterSync();
        body.purpose("one thread of one block").when(rank.isEqualTo(ISSUER.value()).and(Steps.THREAD.isEqualTo(0)),
                one -> one.purpose("copy them").bulkStore(TILE.at(TO.value()).in(MASK.value()),
                        LEFT.at(FROM.value()), COUNT.value(), LANDED));
        shown(body, chosen);
    }

    private static void shown(Body body, Expr chosen) {
        body.purpose("blocks that the copy reaches").when(chosen,
                some -> some.purpose("the bytes have landed").waitParity(LANDED, 0));
        Steps.show(body, TILE, Expr.of(BYTES), Builtin.BLOCK.times(BYTES), THREADS);
        body.purpose("no block ends before the others have theirs").clusterSync();
    }
}
