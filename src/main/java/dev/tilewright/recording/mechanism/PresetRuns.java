package dev.tilewright.recording.mechanism;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tilewright.BadRequestException;
import dev.tilewright.builder.ElementwiseKernel;
import dev.tilewright.builder.GridPolicy;
import dev.tilewright.builder.Preset;
import dev.tilewright.builder.Presets;
import dev.tilewright.builder.Schedule;
import dev.tilewright.json.JsonFields;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Launch;
import dev.tilewright.recording.RecordingsWindow;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;

/** {@code preset}: an array of any shape that goes through a preset as it stands, with its pipeline, edges and step. */
final class PresetRuns implements RecordedMechanism {
    private static final List<ElementType> TYPES = List.of(ElementType.F32, ElementType.BF16, ElementType.U8,
            ElementType.F64);
    private static final int MOST_ELEMENTS = 3_000;

    private record Key(String preset, ElementType type, int rank) { }

    private final Map<Key, ElementwiseKernel> kernels = new ConcurrentHashMap<>();

    @Override
    public String kind() {
        return "preset";
    }

    @Override
    public void draw(ObjectNode row, SplittableRandom random, int index) {
        Preset preset = Presets.ALL.get(index % Presets.ALL.size());
        int turn = index / Presets.ALL.size();
        List<ElementType> types = TYPES.stream().filter(t -> isAccepted(preset, t, List.of(16L, 64L))).toList();
        ElementType type = types.get(turn % types.size());
        List<Long> shape;
        do {
            long rows = random.nextInt(1, 150);
            long columns = random.nextLong(1, MOST_ELEMENTS / rows);
            // Some mechanisms take rows of whole chunks alone.
            shape = List.of(rows, random.nextInt(4) > 0 ? columns : Math.ceilDiv(columns, 16) * 16);
        } while (!isAccepted(preset, type, shape));
        row.put("preset", preset.name()).put("type", type.toString());
        MapRow.list(row, "shape", shape);
        row.put("tilesEach", 1 + random.nextInt(4)).put("scalar", random.nextInt(100))
                .put("seed", random.nextInt(1 << 20));
    }

    private boolean isAccepted(Preset preset, ElementType type, List<Long> shape) {
        try {
            kernel(new Key(preset.name(), type, shape.size())).launch(shape, 1, GridPolicy.tilesEach(1));
            return true;
        } catch (BadRequestException e) {
            return false;
        }
    }

    private ElementwiseKernel kernel(Key key) {
        return kernels.computeIfAbsent(key, k -> Presets.named(k.preset()).build(k.type(), k.rank(), Schedule.DEFAULT));
    }

    @Override
    public Experiment experiment(JsonFields row) {
        List<Long> shape = row.integers("shape");
        ElementType type = row.constant("type", ElementType.class);
        ElementwiseKernel kernel = kernel(new Key(row.text("preset"), type, shape.size()));
        Launch launch = kernel.launch(shape, row.number("scalar", 0, 1 << 20),
                GridPolicy.tilesEach(row.number("tilesEach", 1, 100)));
        long count = shape.stream().reduce(1L, Math::multiplyExact);
        if (count > MOST_ELEMENTS * 16L) {
            throw new BadRequestException("field 'shape' must be of at most " + MOST_ELEMENTS * 16 + " elements, got "
                    + shape);
        }
        List<Experiment.Content> buffers = new ArrayList<>();
        for (int i = 0; i < kernel.step().inputs(); i++) {
            int bytes = (int) count * type.bytes();
            byte[] data = RecordingsWindow.bytes(row.integer("seed") + i, Math.ceilDiv(bytes, 8) * 8);
            buffers.add(Experiment.Content.of(Arrays.copyOf(data, bytes)));
        }
        buffers.add(Experiment.Content.fresh((int) count * kernel.resultType().bytes()));
        if (kernel.workspaceBytes(launch) > 0) {
            buffers.add(Experiment.Content.scratch((int) kernel.workspaceBytes(launch)));
        }
        return new Experiment(launch, buffers);
    }
}
