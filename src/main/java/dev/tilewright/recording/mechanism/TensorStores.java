package dev.tilewright.recording.mechanism;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tilewright.json.JsonFields;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.ptx.fence.FenceProxyAsync;
import dev.tilewright.recording.Fnv;
import dev.tilewright.recording.RecordingsWindow;
import dev.tilewright.reference.box.Combiner;
import dev.tilewright.reference.box.TensorBox;
import dev.tilewright.tensormap.OobFill;
import dev.tilewright.tensormap.TensorMap;
import dev.tilewright.tensormap.TiledTensorMap;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;

/** {@code store}: one tensor store, or one reduction into a tensor, by a box of shared memory. */
final class TensorStores implements RecordedMechanism {
    private static final int THREADS = 64;
    private static final int SEEDS = 8;
    private static final Parameter.Int HELD = Steps.number("held");

    private final ProgramCache<Key> programs = new ProgramCache<>(TensorStores::program);

    private record Key(int rank, Optional<AtomicOp> op, SharedRegion.Buffer box) {
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
                && (op.isEmpty() || Combiner.tensorTypes(op.get()).contains(drawn.map().type()));
    }

    @Override
    public void draw(ObjectNode row, SplittableRandom random, int index) {
        List<AtomicOp> ops = Arrays.stream(AtomicOp.values())
                .filter(op -> !Combiner.tensorTypes(op).isEmpty()).toList();
        Optional<AtomicOp> op = index % 2 == 0 ? Optional.empty() : Optional.of(ops.get(index / 2 % ops.size()));
        DrawnTensor drawn = DrawnTensor.tile(random, false);
        while (!isDrawn(drawn, op)) {
            drawn = DrawnTensor.tile(random, false);
        }
        MapRow.write(row, drawn.map().at(drawn.address()));
        MapRow.list(row, "coord", drawn.coordinates());
        row.put("op", op.map(o -> o.toString()).orElse("store")).put("seed", 1 + random.nextInt(SEEDS))
                .put("smemSeed", 1 + random.nextInt(1 << 20));
    }

    @Override
    public Experiment experiment(JsonFields row) {
        TensorMap map = MapRow.map(row);
        return experiment(map, row.number("address", 0, RecordingsWindow.BYTES), op(row), row.numbers("coord"),
                Data.window(row.integer("seed")), shared(map, row));
    }

    /** A reduction of one box of a one-dimensional tensor, all of it. @param value as many elements, at most 256 */
    Experiment ofBox(AtomicOp op, TensorDataType type, byte[] old, byte[] value) {
        int elements = value.length / type.bytes();
        return experiment(TiledTensorMap.denseInnermostFirst(type, List.of((long) elements), List.of(elements),
                Swizzle.NONE), 0, Optional.of(op), List.of(0), old, value);
    }

    private Experiment experiment(TensorMap map, int address, Optional<AtomicOp> op, List<Integer> coordinates,
            byte[] before, byte[] shared) {
        Key key = new Key(map.rank(), op, new SharedRegion.Buffer("box",
                Math.max(DrawnTensor.MOST_SHARED, Math.ceilDiv(shared.length, 1024) * 1024), 1024));
        Map<Parameter, Argument> arguments = new HashMap<>();
        arguments.put(key.map(), new Argument.Tensor(map, 0, address));
        arguments.put(Steps.IN, new Argument.Buffer(1));
        arguments.put(HELD, new Argument.Int(shared.length));
        for (int d = 0; d < key.rank(); d++) {
            arguments.put(key.coordinates().get(d), new Argument.Int(coordinates.get(d)));
        }
        return Experiment.of(programs.of(key), 1, arguments, Experiment.Content.shown(before),
                Experiment.Content.of(shared));
    }

    private static Optional<AtomicOp> op(JsonFields row) {
        return row.text("op").equals("store") ? Optional.empty() : Optional.of(row.constant("op", AtomicOp.class));
    }

    private static byte[] shared(TensorMap map, JsonFields row) {
        return Data.bytes(row.integer("smemSeed"), Math.ceilDiv(map.sharedBytes(), 16) * 16);
    }

    @Override
    public String counted(JsonFields row) {
        return row.text("op").equals("store") ? "store " + row.text("mode") : "reduce " + row.text("op");
    }

    @Override
    public Set<String> fields(JsonFields row) {
        return MapRow.names(row, "coord", "op", "seed", "smemSeed", "changed", "fnv");
    }

    /** By the copy alone, without a program around it. */
    @Override
    public Optional<String> difference(JsonFields row) {
        TensorMap map = MapRow.map(row);
        TensorBox box = TensorBox.of(map);
        byte[] after = Data.window(row.integer("seed")).clone();
        MemorySegment tensor = MemorySegment.ofArray(after).asSlice(row.number("address", 0, RecordingsWindow.BYTES));
        int[] coordinates = row.numbers("coord").stream().mapToInt(Integer::intValue).toArray();
        op(row).ifPresentOrElse(op -> box.reduce(op, tensor, coordinates, shared(map, row), 0),
                () -> box.store(tensor, coordinates, shared(map, row), 0));
        return difference(row, after);
    }

    @Override
    public Optional<String> difference(JsonFields row, byte[] after) {
        Optional<String> difference = RecordedMechanism.super.difference(row, after);
        int changed = changed(Data.window(row.integer("seed")), after);
        return changed == row.integer("changed") ? difference : Optional.of(changed
                + " bytes of the window changed, the recording says " + row.integer("changed"));
    }

    private static int changed(byte[] before, byte[] after) {
        int changed = 0;
        // Most of them are equal, and are looked at many at a time.
        for (int from = 0, equal; (equal = Arrays.mismatch(before, from, after.length, after, from, after.length)) >= 0;
                from += equal + 1) {
            changed++;
        }
        return changed;
    }

    private static TileProgram program(Key key) {
        List<Parameter> parameters = new ArrayList<>(List.of(key.map(), Steps.IN, HELD));
        parameters.addAll(key.coordinates());
        return new TileProgram("record_store", "stores one box", THREADS, parameters,
                new SharedLayout(List.of(key.box())), Body.steps(body -> {
                    Steps.fetch(body, key.box(), HELD.value(), 0, THREADS);
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
            body.purpose("store the box").tensorStore(key.map(), coordinates, key.box().at(0));
        } else {
            body.purpose("reduce the box").tensorReduce(key.op().get(), key.map(), coordinates, key.box().at(0));
        }
    }

    @Override
    public void outcome(ObjectNode row, Experiment experiment, byte[] after) {
        row.put("changed", changed(experiment.buffers().getFirst().bytes(), after)).put("fnv", Fnv.text(after));
    }
}
