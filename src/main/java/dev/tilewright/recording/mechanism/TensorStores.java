package dev.tilewright.recording.mechanism;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.Expr;
import dev.tilewright.program.Input;
import dev.tilewright.program.Parameter;
import dev.tilewright.program.SharedLayout;
import dev.tilewright.program.SharedRegion;
import dev.tilewright.program.TileProgram;
import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.ptx.copy.TensorReduce;
import dev.tilewright.ptx.fence.FenceProxyAsync;
import dev.tilewright.recording.Fnv;
import dev.tilewright.recording.RecordingsWindow;
import dev.tilewright.reference.box.Reduction;
import dev.tilewright.tensormap.OobFill;
import dev.tilewright.tensormap.TiledTensorMap;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;

/** {@code store}: one tensor store, or one reduction into a tensor, by a box of shared memory. */
final class TensorStores implements Mechanism {
    private static final int THREADS = 64;
    private static final int SEEDS = 8;
    private static final SharedRegion.Buffer BOX = new SharedRegion.Buffer("box", DrawnTensor.MOST_SHARED, 1024);
    private static final Parameter.Int HELD = Steps.number("held");

    private final ProgramCache<Key> programs = new ProgramCache<>(TensorStores::program);

    private record Key(int rank, Optional<AtomicOp> op) {
        Parameter.TensorMap map() {
            return new Parameter.TensorMap("map", rank);
        }

        List<Parameter.Int> coordinates() {
            List<Parameter.Int> all = new ArrayList<>();
            for (int d = 0; d < rank; d++) {
                all.add(Steps.number("c" + d));
            }
            return all;
        }
    }

    @Override
    public String kind() {
        return "store";
    }

    /** An H200 faults where a store's coordinates are negative; maps with NaN fill were not tried. */
    private static boolean isDrawn(DrawnTensor drawn, Optional<AtomicOp> op) {
        return drawn.coordinates().stream().allMatch(c -> c >= 0) && drawn.map().fill() == OobFill.ZERO
                && (op.isEmpty() || Reduction.tensorTypes(op.get()).contains(drawn.map().type()));
    }

    @Override
    public void draw(ObjectNode row, SplittableRandom random, int index) {
        List<AtomicOp> ops = java.util.Arrays.stream(AtomicOp.values())
                .filter(op -> !Reduction.tensorTypes(op).isEmpty()).toList();
        Optional<AtomicOp> op = index % 2 == 0 ? Optional.empty() : Optional.of(ops.get(index / 2 % ops.size()));
        DrawnTensor drawn = DrawnTensor.tile(random, false);
        while (!isDrawn(drawn, op)) {
            drawn = DrawnTensor.tile(random, false);
        }
        TensorFields.write(row, (TiledTensorMap) drawn.map(), drawn.address());
        TensorFields.ints(row, "coord", drawn.coordinates());
        row.put("op", op.map(o -> o.toString()).orElse("store")).put("seed", 1 + random.nextInt(SEEDS))
                .put("smemSeed", 1 + random.nextInt(1 << 20));
    }

    @Override
    public Experiment experiment(Fields row) {
        TiledTensorMap map = TensorFields.tiled(row);
        Key key = new Key(map.rank(), row.text("op").equals("store") ? Optional.empty()
                : Optional.of(row.constant("op", AtomicOp.class)));
        int held = Math.ceilDiv(map.sharedBytes(), 16) * 16;
        List<Integer> coordinates = row.numbers("coord");
        Map<Parameter, Argument> arguments = new HashMap<>();
        arguments.put(key.map(), new Argument.Tensor(map, 0, row.number("address", 0, RecordingsWindow.BYTES)));
        arguments.put(Steps.IN, new Argument.Buffer(1));
        arguments.put(HELD, new Argument.Int(held));
        for (int d = 0; d < key.rank(); d++) {
            arguments.put(key.coordinates().get(d), new Argument.Int(coordinates.get(d)));
        }
        return Experiment.of(programs.of(key), 1, arguments,
                Experiment.Content.shown(Data.window(row.wide("seed"))),
                Experiment.Content.of(Data.bytes(row.wide("smemSeed"), held)));
    }

    private static TileProgram program(Key key) {
        List<Parameter> parameters = new ArrayList<>(List.of(key.map(), Steps.IN, HELD));
        parameters.addAll(key.coordinates());
        return new TileProgram("record_store", "stores one box", THREADS, parameters, new SharedLayout(List.of(BOX)),
                Body.steps(body -> {
                    Steps.fetch(body, BOX, HELD.value(), 0, THREADS);
                    body.purpose("the copy engine sees it").proxyFence(FenceProxyAsync.Memory.SHARED);
                    body.purpose("all is there").syncThreads();
                    body.purpose("one thread").when(Steps.THREAD.isEqualTo(0), one -> {
                        store(one, key);
                        one.purpose("one group").bulkCommit();
                        one.purpose("it is written").bulkWait(0);
                    });
                }));
    }

    private static void store(Body body, Key key) {
        List<Expr> coordinates = key.coordinates().stream().map(Parameter.Int::value).toList();
        if (key.op().isEmpty()) {
            body.purpose("store the box").tensorStore(key.map(), coordinates, BOX.at(Expr.of(0)));
            return;
        }
        List<Input> inputs = new ArrayList<>(List.of(Input.of(key.map())));
        coordinates.forEach(c -> inputs.add(Input.of(c)));
        inputs.add(Input.of(BOX.at(Expr.of(0))));
        body.purpose("reduce the box").issue(new TensorReduce(key.rank(), key.op().get()),
                inputs.toArray(Input[]::new));
    }

    @Override
    public void outcome(ObjectNode row, Experiment experiment, byte[] after) {
        byte[] before = experiment.buffers().getFirst().bytes();
        int changed = 0;
        for (int i = 0; i < after.length; i++) {
            changed += after[i] == before[i] ? 0 : 1;
        }
        row.put("changed", changed).put("fnv", Fnv.text(after));
    }
}
