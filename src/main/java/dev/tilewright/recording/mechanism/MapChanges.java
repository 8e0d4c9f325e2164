package dev.tilewright.recording.mechanism;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tilewright.json.JsonFields;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.MapEdit;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tensormap.Interleave;
import dev.tilewright.tensormap.OobFill;
import dev.tilewright.tensormap.TensorMap;
import dev.tilewright.tensormap.TiledTensorMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * {@code map-change}: a tensor map in shared memory, one field of which {@code tensormap.replace} changes: its 128
 * bytes. Its address is always changed too, because each device has another.
 */
final class MapChanges implements RecordedMechanism {
    private static final int THREADS = 32;
    private static final int BYTES = 128;
    private static final int RANK = 5;
    private static final SharedRegion.Buffer MAP = new SharedRegion.Buffer("map", BYTES, BYTES);
    private static final Parameter.TensorMap TEMPLATE = new Parameter.TensorMap("template_map", RANK);
    private static final Parameter.Int ADDRESS = new Parameter.Int("address", IntType.S64);
    private static final Parameter.Int VALUE = new Parameter.Int("value", IntType.S64);

    private enum Field { ADDRESS, RANK, BOX, DIM, STRIDE, STEP, TYPE, INTERLEAVE, SWIZZLE, FILL }

    /** @param which the dimension, or the immediate value; 0 where there is none */
    private record Key(Field field, int which) { }

    private final ProgramCache<Key> programs = new ProgramCache<>(MapChanges::program);

    @Override
    public String kind() {
        return "map-change";
    }

    @Override
    public void draw(ObjectNode row, SplittableRandom random, int index) {
        Field field = Field.values()[index % Field.values().length];
        TiledTensorMap map = (TiledTensorMap) DrawnTensor.tile(random, false).map();
        while (map.rank() != RANK) {
            map = (TiledTensorMap) DrawnTensor.tile(random, false).map();
        }
        MapRow.write(row, map.at(0));
        row.put("field", field.name().toLowerCase(Locale.ROOT)).put("which", switch (field) {
            case ADDRESS -> 0;
            case RANK -> 1 + random.nextInt(RANK);
            case BOX, DIM, STEP -> random.nextInt(RANK);
            case STRIDE -> random.nextInt(RANK - 1);
            case TYPE -> random.nextInt(TensorDataType.values().length);
            case INTERLEAVE -> random.nextInt(Interleave.values().length);
            case SWIZZLE -> random.nextInt(4);
            case FILL -> random.nextInt(OobFill.values().length);
        });
        row.put("value", switch (field) {
            case BOX -> random.nextInt(1, 257);
            case STEP -> random.nextInt(1, 9);
            case DIM -> random.nextInt() >>> random.nextInt(1, 31) | 1;
            case STRIDE -> 16 * random.nextLong(1L << random.nextInt(1, 36));
            default -> 0;
        });
        row.put("at", 16 * random.nextLong(1L << 40));
    }

    @Override
    public Experiment experiment(JsonFields row) {
        Key key = new Key(row.constant("field", Field.class), row.number("which", 0, 12));
        return Experiment.of(programs.of(key), 1, Map.of(TEMPLATE, new Argument.Tensor(MapRow.map(row), 0),
                ADDRESS, new Argument.Int(row.integer("at")), VALUE, new Argument.Int(row.integer("value")),
                Steps.OUT, new Argument.Buffer(1)), Experiment.Content.of(new byte[1024]),
                Experiment.Content.fresh(BYTES));
    }

    private static MapEdit edit(Key key) {
        Expr value = VALUE.value().toS32();
        return switch (key.field()) {
            case ADDRESS -> new MapEdit.GlobalAddress(ADDRESS.value());
            case RANK -> new MapEdit.Rank(key.which());
            case BOX -> new MapEdit.BoxDim(key.which(), value);
            case DIM -> new MapEdit.GlobalDim(key.which(), value);
            case STRIDE -> new MapEdit.GlobalStride(key.which(), VALUE.value());
            case STEP -> new MapEdit.ElementStride(key.which(), value);
            case TYPE -> new MapEdit.ElementType(TensorDataType.values()[key.which()]);
            case INTERLEAVE -> new MapEdit.InterleaveLayout(Interleave.values()[key.which()]);
            case SWIZZLE -> new MapEdit.SwizzleMode(Swizzle.values()[key.which()]);
            case FILL -> new MapEdit.FillMode(OobFill.values()[key.which()]);
        };
    }

    private static TileProgram program(Key key) {
        return new TileProgram("record_map", "changes a tensor map", THREADS,
                List.of(TEMPLATE, ADDRESS, VALUE, Steps.OUT), new SharedLayout(List.of(MAP)), Body.steps(body -> {
                    Expr at = Steps.THREAD.times(4);
                    body.purpose("bring the map").store(MAP.at(at),
                            body.load("word", ValueType.U32, new Address.MapBytes(TEMPLATE, at)));
                    body.purpose("it is there").syncThreads();
                    body.purpose("one thread").when(Steps.THREAD.isEqualTo(0), one -> {
                        one.purpose("every device has another address").replaceMapField(MAP.at(0),
                                edit(new Key(Field.ADDRESS, 0)));
                        one.purpose("change a field").replaceMapField(MAP.at(0), edit(key));
                    });
                    body.purpose("it has changed").syncThreads();
                    Steps.show(body, MAP, Expr.of(BYTES), Expr.of(0), THREADS);
                }));
    }
}
