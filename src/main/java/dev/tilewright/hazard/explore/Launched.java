package dev.tilewright.hazard.explore;

import dev.tilewright.Counted;
import dev.tilewright.hazard.explore.paged.Marks;
import dev.tilewright.program.Argument;
import dev.tilewright.program.GridShape;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Operation;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.ptx.Effects;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.copy.TensorReduce;
import dev.tilewright.ptx.copy.TensorStore;
import dev.tilewright.ptx.mbarrier.MbarrierInval;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** What of a launch stays as it is while it runs. */
final class Launched {
    /** Bits that are kept free for copies, the least. */
    private static final int COPIES = 32;
    final TileProgram program;
    final FlatCode code;
    final GridShape shape;
    final int blocks;
    final int clusterBlocks;
    final int threadsPerBlock;
    final int threads;
    /** Where a pointer points to: a space and a byte. */
    final Map<Parameter.Pointer, Copy.Place> buffers = new HashMap<>();
    final Map<Parameter.TensorMap, Argument.Tensor> tensors = new HashMap<>();
    final Map<Parameter.Int, Long> numbers = new HashMap<>();
    final Map<Parameter.Scalar, Long> scalars = new HashMap<>();
    final Map<String, Integer> offsets;
    /** The number within the block of the first barrier of an array. */
    final Map<String, Integer> barriers = new HashMap<>();
    final int barriersPerBlock;
    /** How many named barriers all blocks have together; 0 where the program uses none. */
    final int named;
    /** Whether the program has a __syncthreads. */
    final boolean meets;
    final int[] barrierOffsets;
    final int sharedBytes;
    private final int words;
    final Values values = new Values();
    final Cells cells;
    private final List<byte[]> memory;
    private final boolean[] isConstant;
    /** For each mbarrier whether the order of steps at it is tried out. */
    final boolean[] isWatched;

    /** @param memory what the buffers of the launch hold at first */
    Launched(Launch launch, List<byte[]> memory) {
        this.memory = memory;
        program = launch.program();
        shape = launch.shape();
        code = new FlatCode(program);
        blocks = launch.blocks();
        clusterBlocks = program.clusterBlocks();
        threadsPerBlock = program.threads();
        threads = blocks * threadsPerBlock;
        if (threads > Explorer.MOST_THREADS) {
            throw new Unsupported(Counted.of(blocks, "block") + " of " + Counted.of(threadsPerBlock, "thread") + ", "
                    + threads + " together: every order is tried of at most " + Explorer.MOST_THREADS + " threads");
        }
        for (int i = 0; i < launch.arguments().size(); i++) {
            switch (program.parameters().get(i)) {
                case Parameter.Pointer p -> {
                    Argument.Buffer to = (Argument.Buffer) launch.arguments().get(i);
                    buffers.put(p, new Copy.Place(to.buffer(), to.offset()));
                }
                case Parameter.Int p -> numbers.put(p, ((Argument.Int) launch.arguments().get(i)).value());
                case Parameter.Scalar p -> scalars.put(p, ((Argument.Scalar) launch.arguments().get(i)).bits());
                case Parameter.TensorMap map -> tensors.put(map, (Argument.Tensor) launch.arguments().get(i));
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
        named = program.instructions().stream().anyMatch(NamedBarriers::isOne) ? blocks * NamedBarriers.COUNT : 0;
        meets = code.code.stream().anyMatch(i -> i instanceof FlatCode.Do(Operation.SyncThreads _));
        int spaces = memory.size() + blocks;
        int[] sizes = new int[spaces];
        int[] kinds = new int[spaces];
        for (int s = 0; s < spaces; s++) {
            boolean shared = s >= memory.size();
            sizes[s] = shared ? sharedBytes : memory.get(s).length;
            kinds[s] = shared ? memory.size() : s;
        }
        cells = new Cells(memory.size(), sizes, kinds);
        words = (threads + COPIES + Long.SIZE - 1) / Long.SIZE;
        isWatched = new boolean[blocks * barriersPerBlock + named];
        // Who may use a barrier of another block's, or one that is made anew, is left to exploring.
        Arrays.fill(isWatched, 0, blocks * barriersPerBlock, clusterBlocks > 1 || program.instructions().stream()
                .anyMatch(MbarrierInval.class::isInstance));
        isConstant = new boolean[memory.size()];
        Arrays.fill(isConstant, true);
        buffers.forEach((p, at) -> isConstant[at.space()] &= !p.written());
        code.code.stream().filter(insn -> insn instanceof FlatCode.Do(Operation.Issue i)
                && (i.form() instanceof TensorStore || i.form() instanceof TensorReduce))
                .map(insn -> input((Operation.Issue) ((FlatCode.Do) insn).operation(), "map"))
                .forEach(map -> map.parameter().map(tensors::get).ifPresent(to -> isConstant[to.buffer()] = false));
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

    /** About how many bytes its first state takes. */
    long bytes() {
        return threads * (World.BYTES_OF_THREAD + view().bytes()) + (long) cells.count() * World.BYTES_OF_CELL;
    }

    /** Whether the order of any accesses, or of any steps at barriers, is tried out. */
    boolean isRaced() {
        return cells.isAnyWatched() || IntStream.range(0, isWatched.length).anyMatch(b -> isWatched[b]);
    }

    /** A copy of what the buffers hold at first. */
    List<byte[]> memory() {
        return memory.stream().map(byte[]::clone).toList();
    }

    /** What is known where nothing is. */
    View view() {
        return new View(cells.count(), isWatched.length, words);
    }

    /** No agents, for each cell. */
    Marks marks() {
        return new Marks(cells.count(), words);
    }

    /** No agents, for each mbarrier. */
    Marks barrierMarks() {
        return new Marks(isWatched.length, words);
    }

    /** {@code ring+64}, {@code result}, {@code ring of block 1}. */
    String name(Cells.Range range) {
        if (range.space() < cells.buffers) {
            return buffers.entrySet().stream().filter(e -> e.getValue().space() == range.space()).findFirst()
                    .map(e -> within(e.getKey().name(), range.from() - e.getValue().offset()))
                    .orElse("buffer " + range.space());
        }
        return program.shared().regions().stream().filter(r -> range.from() >= offsets.get(r.name())
                && range.from() < offsets.get(r.name()) + r.bytes()).findFirst()
                .map(r -> within(r.name(), range.from() - offsets.get(r.name()))).orElse("shared memory")
                + (blocks == 1 ? "" : " of block " + (range.space() - cells.buffers));
    }

    private static String within(String name, long offset) {
        return offset == 0 ? name : name + "+" + offset;
    }

    int sharedSpace(int block) {
        return cells.buffers + block;
    }
}
