package dev.tilewright.recording.mechanism;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tilewright.json.JsonFields;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.ClusterSize;
import dev.tilewright.program.Dim3;
import dev.tilewright.program.TensorLoadStep;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.ptx.fence.FenceProxyAsync;
import dev.tilewright.recording.Fnv;
import dev.tilewright.recording.RecordingsWindow;
import dev.tilewright.reference.box.TensorBox;
import dev.tilewright.tensormap.Interleave;
import dev.tilewright.tensormap.TensorMap;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * {@code load}: one tensor load, in tile mode, with an interleave or in im2col mode; and {@code multicast}: one in tile
 * mode into several blocks of a cluster.
 */
final class TensorLoads implements RecordedMechanism {
    private static final int THREADS = 64;
    /** Windows that are used: many would cost as many copies. */
    private static final int SEEDS = 8;
    private static final int MOST_BLOCKS = 8;
    private static final SharedRegion.Barriers FULL = new SharedRegion.Barriers("full", 1);
    private static final Address.Barrier LANDED = FULL.at(0);
    private static final Parameter.Int TX = Steps.number("tx");
    private static final Parameter.Int SEEN = Steps.number("seen");
    private static final Parameter.Int MASK = Steps.number("mask");
    private static final Parameter.Int ISSUER = Steps.number("issuer");

    private final boolean multicast;
    private final ProgramCache<Key> programs = new ProgramCache<>(TensorLoads::program);

    /** What a program is made of. @param offsets of an im2col load, 0 in tile mode @param box shared memory for one */
    private record Key(int rank, int offsets, boolean multicast, SharedRegion.Buffer box) {
        Parameter.TensorMap map() {
            return new Parameter.TensorMap("map", rank);
        }

        List<Parameter.Int> coordinates() {
            return numbers("c", rank);
        }

        List<Parameter.Int> moves() {
            return numbers("offset", offsets);
        }

        private static List<Parameter.Int> numbers(String name, int count) {
            List<Parameter.Int> all = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                all.add(Steps.number(name + i));
            }
            return all;
        }

        List<Parameter> parameters() {
            List<Parameter> all = new ArrayList<>(List.of(map(), Steps.OUT, TX, SEEN));
            all.addAll(coordinates());
            all.addAll(moves());
            if (multicast) {
                all.addAll(List.of(MASK, ISSUER));
            }
            return all;
        }
    }

    TensorLoads(boolean multicast) {
        this.multicast = multicast;
    }

    @Override
    public String kind() {
        return multicast ? "multicast" : "load";
    }

    @Override
    public void draw(ObjectNode row, SplittableRandom random, int index) {
        DrawnTensor drawn = multicast || index % 8 < 5 ? DrawnTensor.tile(random, false)
                : index % 8 < 7 ? DrawnTensor.im2col(random) : DrawnTensor.tile(random, true);
        MapRow.write(row, drawn.map().at(drawn.address()));
        MapRow.list(row, "coord", drawn.coordinates());
        MapRow.list(row, "offset", drawn.offsets());
        row.put("seed", 1 + random.nextInt(SEEDS));
        TensorBox box = TensorBox.of(drawn.map());
        int[] offsets = drawn.offsets().stream().mapToInt(Integer::intValue).toArray();
        row.put("tx", box.transactionBytes(offsets));
        row.put("smem", Math.min(DrawnTensor.MOST_SHARED, Math.ceilDiv(box.sharedBytes(offsets), 256) * 256));
        if (multicast) {
            int blocks = 1 << 1 + random.nextInt(3);
            row.put("blocks", blocks).put("mask", random.nextInt(1, 1 << blocks)).put("issuer", random.nextInt(blocks));
        }
    }

    @Override
    public Experiment experiment(JsonFields row) {
        TensorMap map = MapRow.map(row);
        List<Integer> offsets = offsets(row);
        List<Integer> coordinates = row.numbers("coord");
        int seen = row.number("smem", 4, SharedLayout.LARGEST - 1024);
        TensorBox box = TensorBox.of(map);
        int held = Math.max(seen, box.sharedBytes(ints(offsets)));
        Key key = new Key(map.rank(), offsets.size(), multicast, new SharedRegion.Buffer("box",
                Math.max(DrawnTensor.MOST_SHARED, Math.ceilDiv(held, 1024) * 1024), 1024));
        Map<Parameter, Argument> arguments = new HashMap<>();
        arguments.put(key.map(), new Argument.Tensor(map, 0, row.number("address", 0, RecordingsWindow.BYTES)));
        arguments.put(Steps.OUT, new Argument.Buffer(1));
        arguments.put(TX, new Argument.Int(row.has("tx") ? row.number("tx", 0, SharedLayout.LARGEST)
                : box.transactionBytes(ints(offsets))));
        arguments.put(SEEN, new Argument.Int(seen));
        for (int i = 0; i < key.rank(); i++) {
            arguments.put(key.coordinates().get(i), new Argument.Int(coordinates.get(i)));
        }
        for (int i = 0; i < key.offsets(); i++) {
            arguments.put(key.moves().get(i), new Argument.Int(offsets.get(i)));
        }
        Experiment.Content window = Experiment.Content.of(Data.window(row.integer("seed")));
        if (!multicast) {
            return Experiment.of(programs.of(key), 1, arguments, window, Experiment.Content.fresh(seen));
        }
        int blocks = row.number("blocks", 1, MOST_BLOCKS);
        arguments.put(MASK, new Argument.Int(row.number("mask", 1, (1 << blocks) - 1)));
        arguments.put(ISSUER, new Argument.Int(row.number("issuer", 0, blocks - 1)));
        return Experiment.ofCluster(programs.of(key), blocks, arguments, window,
                Experiment.Content.fresh(seen * blocks));
    }

    private static TileProgram program(Key key) {
        return new TileProgram("record_load", "loads one box", Dim3.of(THREADS),
                key.multicast() ? ClusterSize.AT_LAUNCH : ClusterSize.NONE, key.parameters(),
                new SharedLayout(List.of(key.box(), FULL)), Body.steps(body -> {
                    Steps.poison(body, key.box(), SEEN.value(), THREADS);
                    body.purpose("the copy engine sees it")
                            .proxyFence(FenceProxyAsync.Memory.SHARED);
                    Steps.initialise(body, LANDED);
                    if (key.multicast()) {
                        multicast(body, key);
                    } else {
                        body.purpose("all is ready").syncThreads();
                        body.purpose("one thread").when(Steps.THREAD.isEqualTo(0), one -> {
                            one.purpose("announce the bytes").arriveExpectTx(LANDED, TX.value());
                            load(one, key);
                        });
                        body.purpose("the box has landed").waitParity(LANDED, 0);
                    }
                    Expr to = key.multicast() ? Builtin.BLOCK.times(SEEN.value()) : Expr.of(0);
                    Steps.show(body, key.box(), SEEN.value(), to, THREADS);
                    if (key.multicast()) {
                        body.purpose("no block ends before the others have theirs").clusterSync();
                    }
                }));
    }

    private static void multicast(Body body, Key key) {
        Expr rank = Builtin.CLUSTER_RANK;
        Expr chosen = MASK.value().dividedBy(power(rank)).modulo(2).isEqualTo(1);
        body.purpose("all blocks are ready").clusterSync();
        body.purpose("one thread of each block that the copy reaches").when(chosen.and(Steps.THREAD.isEqualTo(0)),
                one -> one.purpose("announce the bytes").arriveExpectTx(LANDED, TX.value()));
        body.purpose("all blocks expect them").clusterSync();
        body.purpose("one thread of one block").when(rank.isEqualTo(ISSUER.value()).and(Steps.THREAD.isEqualTo(0)),
                one -> load(one, key).multicast(MASK.value()));
        body.purpose("blocks that the copy reaches").when(chosen,
                some -> some.purpose("the box has landed").waitParity(LANDED, 0));
    }

    /** Two to the power of a rank within a cluster. */
    static Expr power(Expr rank) {
        Expr power = Expr.of(1);
        for (int r = 1; r < MOST_BLOCKS; r++) {
            power = rank.isEqualTo(r).choose(1 << r, power);
        }
        return power;
    }

    private static TensorLoadStep load(Body body, Key key) {
        TensorLoadStep load = body.purpose("load the box").tensorLoad(key.box().at(0), key.map(),
                key.coordinates().stream().map(Parameter.Int::value).toList(), LANDED);
        return key.offsets() == 0 ? load : load.im2col(key.moves().stream().map(Parameter.Int::value).toList());
    }

    private static List<Integer> offsets(JsonFields row) {
        return row.has("offset") ? row.numbers("offset") : List.of();
    }

    private static int[] ints(List<Integer> values) {
        return values.stream().mapToInt(Integer::intValue).toArray();
    }

    @Override
    public String counted(JsonFields row) {
        return multicast ? kind() : row.integer("interleave") != 0 ? "load interleaved" : "load " + row.text("mode");
    }

    @Override
    public Set<String> fields(JsonFields row) {
        return MapRow.names(row, "coord", "offset", "seed", "tx", "smem", "fnv", "bytes",
                multicast ? "blocks" : "complete", multicast ? "mask" : "written", multicast ? "issuer" : "written");
    }

    /** By the copy alone, without a program around it. */
    @Override
    public Optional<String> difference(JsonFields row) {
        if (multicast) {
            return RecordedMechanism.super.difference(row);
        }
        TensorMap map = MapRow.map(row);
        TensorBox box = TensorBox.of(map);
        int[] offsets = ints(offsets(row));
        int seen = row.number("smem", 0, SharedLayout.LARGEST);
        byte[] shared = Experiment.Content.fresh(Math.max(seen, Math.ceilDiv(box.sharedBytes(offsets), 16) * 16))
                .bytes();
        MemorySegment tensor = MemorySegment.ofArray(Data.window(row.integer("seed"))).asReadOnly()
                .asSlice(row.number("address", 0, RecordingsWindow.BYTES));
        box.load(tensor, ints(row.numbers("coord")), offsets, shared, 0);
        Optional<String> difference = difference(row, Arrays.copyOf(shared, seen));
        int counted = box.transactionBytes(offsets);
        // The oldest rows with interleave were recorded without it.
        if ((map.interleave() == Interleave.NONE || row.has("tx"))
                && counted != row.number("tx", 0, SharedLayout.LARGEST)) {
            return Optional.of("the barrier counts " + counted + " bytes, the recording says " + row.integer("tx"));
        }
        return row.has("complete") && row.integer("complete") != 1 ? Optional.of("the barrier's phase completes, the "
                + "recording says complete " + row.integer("complete")) : difference;
    }

    @Override
    public Optional<String> difference(JsonFields row, byte[] after) {
        Optional<String> difference = RecordedMechanism.super.difference(row, after);
        return row.has("written") && row.integer("written") != written(after) ? Optional.of("the copy writes "
                + written(after) + " bytes of shared memory, up to the last that changes, the recording says "
                + row.integer("written")) : difference;
    }

    /** Bytes up to the last one that is not as it was before the load. */
    private static int written(byte[] shared) {
        int end = shared.length;
        while (end > 0 && shared[end - 1] == Steps.POISON) {
            end--;
        }
        return end;
    }

    @Override
    public void outcome(ObjectNode row, Experiment experiment, byte[] after) {
        if (multicast) {
            RecordedMechanism.super.outcome(row, experiment, after);
            return;
        }
        int written = written(after);
        row.put("complete", 1).put("written", written).put("fnv", Fnv.text(after));
        row.put("bytes", HexFormat.of().formatHex(after, 0, Math.min(BYTES_KEPT, written)));
    }
}
