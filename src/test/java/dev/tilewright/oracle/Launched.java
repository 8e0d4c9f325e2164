package dev.tilewright.oracle;

import dev.tilewright.program.Argument;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Operation;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.ptx.Effects;
import dev.tilewright.ptx.Operand;
import java.util.HashMap;
import java.util.IdentityHashMap;
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
    private final boolean[] isConstant;

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
        isConstant = new boolean[memory.size()];
        buffers.forEach((p, b) -> isConstant[b] = !p.written());
    }

    private final Map<Operation.Instruction, Map<String, Input>> inputs = new IdentityHashMap<>();
    private final Map<Operation.Instruction, Effects.Order> orders = new IdentityHashMap<>();

    /** What the program gives to an operand; null where the form has none of this name. */
    Input input(Operation.Instruction i, String operand) {
        return inputs.computeIfAbsent(i, _ -> {
            Map<String, Input> all = new HashMap<>();
            List<Operand> operands = i.form().inputs();
            for (int n = 0; n < operands.size(); n++) {
                all.put(operands.get(n).name(), i.inputs().get(n));
            }
            return all;
        }).get(operand);
    }

    /** What the instruction orders. */
    Effects.Order order(Operation.Instruction i) {
        return orders.computeIfAbsent(i, _ -> i.form().effects().order().orElseThrow());
    }

    /** Bytes of a buffer that no thread writes, or null. */
    short[] constant(Copy.Place place, int bytes) {
        if (place.space() >= memory.size() || !isConstant[place.space()]) {
            return null;
        }
        byte[] all = memory.get(place.space());
        if (place.offset() < 0 || place.offset() + bytes > all.length) {
            throw new Ending("outside memory");
        }
        short[] some = new short[bytes];
        for (int i = 0; i < bytes; i++) {
            some[i] = (short) (all[(int) place.offset() + i] & 0xFF);
        }
        return some;
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
