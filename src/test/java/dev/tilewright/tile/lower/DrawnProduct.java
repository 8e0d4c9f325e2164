package dev.tilewright.tile.lower;

import dev.tilewright.builder.GridPolicy;
import dev.tilewright.builder.Schedule;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Scalars;
import dev.tilewright.program.array.ArrayShape;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.tile.CpuLaunch;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.MatrixArithmetic;
import dev.tilewright.tile.Position;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.TileScope;
import dev.tilewright.tile.drawn.Along;
import dev.tilewright.tile.drawn.Moved;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import java.util.stream.IntStream;

/**
 * A product drawn at random that {@link Lowering} may give to tensor cores and the copy engine: types, tiles,
 * transpositions, batches, ragged extents, and what is done to the sums.
 */
public final class DrawnProduct {
    /** What surrounds each result in memory, and must be there afterwards. */
    private static final int MARGIN = 256;
    private static final byte POISON = 0x5A;

    /** Of a product's factors: any two of a line. */
    private static final List<List<ValueType>> TYPES = List.of(List.of(ValueType.BF16), List.of(ValueType.BF16),
            List.of(ValueType.F16), List.of(ValueType.TF32), List.of(ValueType.I8, ValueType.U8),
            List.of(ValueType.E4M3, ValueType.E5M2), List.of(ValueType.F32),
            List.of(ValueType.F64));

    /** Columns that have one scale: all of the widest tile. */
    private static final int SCALED = 256;

    /** What becomes of a turn's product: it is added to the sums, or begins with zero and is taken to others. */
    private enum Promoted { NO, PLAIN, BY_ROWS, BY_BLOCKS }

    private final RandomGenerator random;
    private final ValueType left;
    private final ValueType right;
    /** Of the sums, and of results and of what is added to them. */
    private final ValueType sums;
    private final ValueType plain;
    private final int rows;
    private final int columns;
    private final int step;
    private final Along along;
    private final Moved stored;
    /** Whether the kernel names the products of {@code mma.sync}. */
    private final boolean sync;
    private final boolean turnedA;
    private final boolean turnedB;
    private final boolean batched;
    private final int epilogue;
    private final Promoted promoted;
    private final Schedule schedule;
    public final TileKernel kernel;
    private final Map<String, Long> sizes = new LinkedHashMap<>();
    private final Map<String, byte[]> bytes = new LinkedHashMap<>();

    public DrawnProduct(long seed) {
        random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
        List<ValueType> types = TYPES.get(random.nextInt(TYPES.size()));
        left = types.get(random.nextInt(types.size()));
        right = types.get(random.nextInt(types.size()));
        sums = left.isInteger() ? ValueType.I32 : left == ValueType.F64 ? left : ValueType.F32;
        plain = left == ValueType.TF32 ? ValueType.F32 : left.bits() == 8 ? ValueType.BF16 : left;
        rows = 64 << random.nextInt(3);
        columns = columns(rows);
        step = left == ValueType.F64 ? 16 << random.nextInt(2) : 32 / left.bytes() << random.nextInt(4);
        along = new Along(seed, step);
        stored = Moved.of(seed, columns);
        boolean either = left.bytes() == 2 || byThreads() || random.nextInt(8) == 0;
        turnedA = either && random.nextBoolean();
        turnedB = !either || random.nextBoolean();
        batched = random.nextInt(4) == 0;
        epilogue = random.nextInt(7);
        sizes.put("batch", 1L + random.nextInt(3));
        sizes.put("m", extent(rows));
        sizes.put("n", turnedB && random.nextInt(3) == 0 ? 1L + random.nextInt(150) : extent(columns));
        sizes.put("k", random.nextInt(20) == 0 ? 8L : extent(step));
        sync = random.nextInt(6) == 0;
        promoted = byThreads() || random.nextInt(3) > 0 ? Promoted.NO : Promoted.values()[1 + random.nextInt(3)];
        sizes.put("turns", Math.ceilDiv(sizes.get("k"), (long) step));
        sizes.put("blocks", Math.ceilDiv(sizes.get("n"), (long) SCALED));
        schedule = schedule();
        kernel = TileKernel.of("product", this::trace).with(schedule);
        for (Tensor tensor : kernel.tensors()) {
            byte[] elements = new byte[Math.toIntExact(2 * MARGIN + count(tensor) * tensor.type().bytes())];
            java.util.Arrays.fill(elements, POISON);
            for (int i = 0; i < count(tensor); i++) {
                long word = tensor.type().isInteger() || random.nextInt(200) == 0 ? random.nextLong()
                        : ((Value.Const) Value.of(tensor.type(), random.nextGaussian())).word();
                for (int b = 0; b < tensor.type().bytes(); b++) {
                    elements[MARGIN + i * tensor.type().bytes() + b] = (byte) (word >> 8 * b);
                }
            }
            bytes.put(tensor.name(), elements);
        }
    }

    /** Whether threads read factors into registers. */
    private boolean byThreads() {
        return left == ValueType.F32 || left == ValueType.F64;
    }

    private int sumsOfGroup() {
        return left == ValueType.F32 ? 128 * 128 : 64 * 128;
    }

    /** As many as suit so many rows. */
    private int columns(int rows) {
        return byThreads() ? Math.clamp((sumsOfGroup() << random.nextInt(2)) / rows, left == ValueType.F32 ? 64 : 32,
                256) : 16 << random.nextInt(rows == 256 ? 4 : 5);
    }

    /** What suits the launch, or tiles of drawn extents in a drawn way, as far as the epilogue lets them be others. */
    private Schedule schedule() {
        if (random.nextInt(3) == 0 || stored.isMoved()) {
            return Schedule.DEFAULT;
        }
        boolean own = epilogue == 6 || random.nextInt(3) == 0;
        int high = own ? rows : 64 << random.nextInt(3);
        int wide = own ? columns : columns(high);
        Schedule drawn = Schedule.DEFAULT.with("tile", high + "x" + wide);
        boolean product = epilogue != 6 && (left.bytes() == 2 || byThreads() || !turnedA && turnedB)
                && !(sync && left.isFloat() && left.bits() == 8)
                && (promoted == Promoted.NO || left.isFloat() && wide <= 128)
                && (turnedA || along.aligned(left.bytes())) && (!turnedB || along.othersAligned(right.bytes()))
                && sizes.get(turnedA ? "m" : "k") * left.bytes() % 16 == 0
                && sizes.get(turnedB ? "k" : "n") * right.bytes() % 16 == 0;
        if (!product) {
            return drawn;
        }
        int least = high * wide / (byThreads() ? sumsOfGroup() : 128 * 128);
        int groups = byThreads() ? least
                : Math.max(1 << random.nextInt(Integer.numberOfTrailingZeros(high / 64) + 1), least);
        drawn = random.nextBoolean() ? drawn : drawn.with("groups", Integer.toString(groups));
        drawn = random.nextBoolean() ? drawn : drawn.with("stages", Integer.toString(2 + random.nextInt(
                step * left.bytes() > 128 ? 1 : 2)));
        Schedule ahead = random.nextBoolean() ? drawn : drawn.with("ahead", Integer.toString(random.nextInt(2)));
        drawn = byThreads() ? drawn : ahead;
        boolean deep = along.skips() || promoted != Promoted.NO || left == ValueType.F64
                || step * left.bytes() > 64 || step > 128;
        drawn = deep || random.nextBoolean() ? drawn : drawn.with("steps", Integer.toString(1 + random.nextInt(2)));
        String cluster = cluster(high, wide);
        if (!cluster.isEmpty()) {
            drawn = drawn.with("cluster", cluster);
        }
        drawn = turnedA || !cluster.isEmpty() || random.nextBoolean() ? drawn : drawn.with("rows",
                Integer.toString(8 << random.nextInt(Integer.numberOfTrailingZeros(high / 8) + 1)));
        drawn = random.nextBoolean() ? drawn : drawn.with("early", random.nextBoolean() ? "1" : "b");
        drawn = random.nextBoolean() ? drawn : drawn.with("band", Integer.toString(1 + random.nextInt(3)));
        return random.nextBoolean() ? drawn : drawn.with(random.nextBoolean() ? GridPolicy.tilesEach(
                1 + random.nextInt(2)) : GridPolicy.over(1 + random.nextInt(5)));
    }

    /** Blocks of a cluster that bring parts of what their tiles have in common; mostly none. */
    private String cluster(int high, int wide) {
        int blocks = 2;
        return switch (random.nextInt(6)) {
            case 0 -> hasParts(!turnedB, wide, right, blocks) ? blocks + "x1" : "";
            case 1 -> hasParts(turnedA, high, left, blocks) ? "1x" + blocks : "";
            default -> "";
        };
    }

    /** Whether a factor has so many parts. @param across whether its rows or columns follow each other in memory */
    private static boolean hasParts(boolean across, int extent, ValueType type, int blocks) {
        return across ? type != ValueType.F32 && extent * type.bytes() >= 128 * blocks : extent >= 8 * blocks;
    }

    /** Mostly such that rows begin at multiples of 16 bytes. */
    private long extent(int tile) {
        long most = 1L + random.nextInt(Math.min(2 * tile + 40, 300));
        long each = 16 / Math.min(left.bytes(), plain.bytes());
        return random.nextInt(8) == 0 ? most : Math.ceilDiv(most, each) * each;
    }

    private long count(Tensor tensor) {
        return shape(tensor).stream().reduce(1L, Math::multiplyExact);
    }

    private List<Long> shape(Tensor tensor) {
        return tensor.dims().stream().map(dim -> sizes.containsKey(dim.name()) ? sizes.get(dim.name())
                : sizes.get(dim.name().contains("n") ? "blocks" : "turns")).toList();
    }

    private void trace(TileScope k) {
        if (sync) {
            k.arithmetic(MatrixArithmetic.HOPPER_MMA_SYNC);
        }
        Dim m = k.dim("m");
        Dim n = k.dim("n");
        Dim depth = k.dim("k");
        Dim batch = batched ? k.dim("batch") : null;
        Tensor a = k.in("a", stored(left), with(batch, turnedA ? depth : m, turnedA ? m : depth));
        Tensor b = k.in("b", stored(right), with(batch, turnedB ? n : depth, turnedB ? depth : n));
        Tensor c = epilogue == 0 ? k.out("c", sums, with(batch, m, n))
                : epilogue == 5 ? k.inOut("c", plain, with(batch, m, n)) : k.out("c", plain, with(batch, m, n));
        Tensor bias = epilogue == 2 ? k.in("bias", ValueType.F32, n) : epilogue == 3 ? k.in("bias", ValueType.F32, m)
                : null;
        Tensor more = epilogue == 4 ? k.in("more", plain, with(batch, m, n)) : null;
        Dim turns = depth.dividedBy(step);
        List<Tensor> scales = switch (promoted) {
            case NO, PLAIN -> List.of();
            case BY_ROWS -> List.of(k.in("of_a", ValueType.F32, m, turns));
            case BY_BLOCKS -> List.of(k.in("of_a", ValueType.F32, m, turns), k.in("of_b", ValueType.F32,
                    n.dividedBy(SCALED), turns));
        };
        if (batched) {
            k.forEachTile(c, 1, rows, columns, at -> tile(k, at, List.of(a, b), scales, c, bias, more));
        } else {
            k.forEachTile(c, rows, columns, at -> tile(k, at, List.of(a, b), scales, c, bias, more));
        }
    }

    private Dim[] with(Dim batch, Dim... matrix) {
        List<Dim> dims = new ArrayList<>(List.of(matrix));
        if (batched) {
            dims.addFirst(batch);
        }
        return dims.toArray(Dim[]::new);
    }

    private void tile(TileScope k, Position at, List<Tensor> factors, List<Tensor> scales, Tensor c, Tensor bias,
            Tensor more) {
        Tensor a = factors.getFirst();
        Tensor b = factors.getLast();
        Dim depth = a.dims().get(turnedA ? a.dims().size() - 2 : a.dims().size() - 1);
        ValueType totals = promoted == Promoted.NO ? sums : ValueType.F32;
        Tile block = promoted == Promoted.BY_BLOCKS ? k.iota(at.column()).map(j -> j.dividedBy(SCALED)) : null;
        Tile sum = k.fold(k.zeros(totals, rows, columns), along.steps(k, depth), (s, turn) -> {
            Span i = along.of(turn);
            Span j = along.ofOther(turn);
            Tile left = a.tile(spans(at, turnedA ? i : at.row(), turnedA ? at.row() : i));
            Tile right = b.tile(spans(at, turnedB ? at.column() : j, turnedB ? j : at.column()));
            Tile from = promoted == Promoted.NO ? s : k.zeros(sums, rows, columns);
            Tile product = from.mma(factor(left, this.left, turnedA), factor(right, this.right, turnedB));
            Span scale = Span.at(turn.start().dividedBy(Expr.of((long) step)));
            return switch (promoted) {
                case NO -> product;
                case PLAIN -> product.to(ValueType.F32).plus(s);
                case BY_ROWS -> s.plus(product.to(ValueType.F32).times(scales.getFirst().tile(at.row(), scale.kept())));
                case BY_BLOCKS -> product.to(ValueType.F32).fma(scales.getFirst().tile(at.row(), scale.kept())
                        .times(scales.getLast().gather(block, scale)), s);
            };
        });
        Span[] to = spans(at, at.row(), epilogue == 5 ? at.column() : stored.of(at.column(), c.dims().getLast()));
        if (epilogue == 0) {
            c.store(sum.to(sums), to);
            return;
        }
        sum = sum.to(ValueType.F32);
        Tile result = switch (epilogue) {
            case 2 -> sum.plus(bias.tile(at.column())).map(x -> x.max(0));
            case 3 -> sum.times(bias.tile(at.row()).reshaped(rows, 1));
            case 4 -> sum.times(0.5).plus(more.tile(at).to(ValueType.F32));
            case 5 -> sum.plus(c.tile(at).to(ValueType.F32));
            case 6 -> sum.transposed().reshaped(rows, columns);
            default -> sum;
        };
        c.store(result.to(c.type()), to);
    }

    /** What is loaded, as a product takes it; tf32 is made of f32 before or behind a transposition. */
    private static Tile factor(Tile tile, ValueType type, boolean turned) {
        return turned ? type == ValueType.TF32 ? tile.to(type).transposed() : tile.transposed() : tile.to(type);
    }

    private static ValueType stored(ValueType type) {
        return type == ValueType.TF32 ? ValueType.F32 : type;
    }

    private Span[] spans(Position at, Span first, Span second) {
        return batched ? new Span[] {at.get(0), first, second} : new Span[] {first, second};
    }

    /** Each tensor's memory with poison around it, by name. */
    public Map<String, MemorySegment> memory() {
        Map<String, MemorySegment> memory = new LinkedHashMap<>();
        bytes.forEach((name, elements) -> {
            MemorySegment segment = Arena.ofAuto().allocate(elements.length, 256);
            memory.put(name, segment.copyFrom(MemorySegment.ofArray(elements)));
        });
        return memory;
    }

    /** A tensor's own memory. */
    private static MemorySegment inner(Map<String, MemorySegment> memory, String name) {
        MemorySegment all = memory.get(name);
        return all.asSlice(MARGIN, all.byteSize() - 2 * MARGIN);
    }

    /** What the executor leaves. */
    public Map<String, MemorySegment> executed() {
        Map<String, MemorySegment> memory = memory();
        CpuLaunch launch = kernel.onCpu();
        for (Tensor tensor : kernel.tensors()) {
            launch.set(tensor.name(), inner(memory, tensor.name()), shape(tensor).stream().mapToLong(e -> e)
                    .toArray());
        }
        launch.run();
        return memory;
    }

    /** A launch on a few blocks, of whole memory: tensors begin behind the poison. */
    public Launch launch() {
        Map<String, ArrayShape> shapes = new LinkedHashMap<>();
        kernel.tensors().forEach(tensor -> shapes.put(tensor.name(), ArrayShape.dense(shape(tensor))));
        Launch launch = kernel.launch(shapes, Scalars.NONE, Target.SM_90A, 1 + random.nextInt(4));
        return new Launch(launch.program(), launch.grid(), launch.arguments().stream().map(DrawnProduct::behindPoison)
                .toList());
    }

    private static Argument behindPoison(Argument argument) {
        return switch (argument) {
            case Argument.Buffer buffer -> new Argument.Buffer(buffer.buffer(), MARGIN);
            case Argument.Tensor tensor -> new Argument.Tensor(tensor.map(), tensor.buffer(), MARGIN);
            default -> argument;
        };
    }

    /** The tensors' memory with what is around it, in their order. */
    public List<MemorySegment> inOrder(Map<String, MemorySegment> memory) {
        return kernel.tensors().stream().map(t -> memory.get(t.name())).toList();
    }

    /** Where what a tensor holds is not as it should be; empty where all bytes are equal, with those around. */
    public String difference(Map<String, MemorySegment> got, Map<String, MemorySegment> wanted) {
        StringBuilder text = new StringBuilder();
        wanted.forEach((name, segment) -> {
            long at = segment.mismatch(got.get(name));
            if (at >= 0) {
                long wrong = IntStream.range(0, (int) segment.byteSize()).filter(i ->
                        segment.get(ValueLayout.JAVA_BYTE, i) != got.get(name).get(ValueLayout.JAVA_BYTE, i)).count();
                text.append(name).append(": byte ").append(at - MARGIN).append(" of ").append(segment.byteSize()
                        - 2 * MARGIN).append(" is the first of ").append(wrong).append(" wrong ones; ");
            }
        });
        return text.toString();
    }

    @Override
    public String toString() {
        return sizes + " schedule " + schedule + (turnedA ? " A turned" : "") + (turnedB ? " B turned" : "")
                + " epilogue " + epilogue + " promoted " + promoted + "\n" + kernel;
    }
}
