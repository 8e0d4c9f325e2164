package dev.tilewright.oracle;

import dev.tilewright.program.Argument;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Parameter;
import dev.tilewright.program.SharedRegion;
import dev.tilewright.program.TileProgram;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What of a launch stays as it is while it runs. */
final class Launched {
    final TileProgram program;
    final FlatCode code;
    final int blocks;
    final int clusterBlocks;
    final int threadsPerBlock;
    final int threads;
    final Map<Parameter.Pointer, Integer> buffers = new HashMap<>();
    final Map<Parameter.Int, Long> numbers = new HashMap<>();
    final Map<String, Integer> offsets;
    /** The number within the block of the first barrier of an array. */
    final Map<String, Integer> barriers = new HashMap<>();
    final int barriersPerBlock;
    final int[] barrierOffsets;
    final int sharedBytes;
    final Values values = new Values();
    final Cells cells;
    private final List<byte[]> memory;

    /** @param memory what the buffers of the launch hold at first */
    Launched(Launch launch, List<byte[]> memory) {
        this.memory = memory;
        program = launch.program();
        code = new FlatCode(program);
        blocks = launch.blocks();
        clusterBlocks = program.clusterBlocks();
        threadsPerBlock = program.threads();
        threads = blocks * threadsPerBlock;
        for (int i = 0; i < launch.arguments().size(); i++) {
            switch (program.parameters().get(i)) {
                case Parameter.Pointer p -> buffers.put(p, ((Argument.Buffer) launch.arguments().get(i)).buffer());
                case Parameter.Int p -> numbers.put(p, ((Argument.Int) launch.arguments().get(i)).value());
                case Parameter.Scalar _, Parameter.TensorMap _ -> throw new Unsupported("such a parameter");
            }
        }
        offsets = program.shared().offsets();
        sharedBytes = Math.max(16, program.shared().bytes());
        List<SharedRegion.Barriers> arrays = program.shared().regions().stream()
                .filter(SharedRegion.Barriers.class::isInstance).map(SharedRegion.Barriers.class::cast).toList();
        int count = 0;
        for (SharedRegion.Barriers b : arrays) {
            barriers.put(b.name(), count);
            count += b.count();
        }
        barriersPerBlock = Math.max(1, count);
        barrierOffsets = new int[barriersPerBlock];
        for (SharedRegion.Barriers b : arrays) {
            for (int i = 0; i < b.count(); i++) {
                barrierOffsets[barriers.get(b.name()) + i] = offsets.get(b.name()) + 8 * i;
            }
        }
        int spaces = memory.size() + blocks;
        int[] sizes = new int[spaces];
        int[] kinds = new int[spaces];
        for (int s = 0; s < spaces; s++) {
            boolean shared = s >= memory.size();
            sizes[s] = shared ? sharedBytes : memory.get(s).length;
            kinds[s] = shared ? memory.size() : s;
        }
        cells = new Cells(memory.size(), sizes, kinds);
        buffers.forEach((p, b) -> {
            if (!p.written()) {
                cells.readOnly.add(new Cells.Range(b, 0, sizes[b]));
            }
        });
        cells.rebuild();
    }

    /** The number of what a cell holds at first. */
    int initial(int cell) {
        Cells.Range r = cells.range(cell);
        if (cells.isShared(cell)) {
            return values.number(Values.undefined(r.to() - r.from()));
        }
        short[] bytes = new short[r.to() - r.from()];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (short) (memory.get(r.space())[r.from() + i] & 0xFF);
        }
        return values.number(bytes);
    }

    int sharedSpace(int block) {
        return cells.buffers + block;
    }
}
