package dev.tilewright.tile.lower;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.Thorough;
import dev.tilewright.builder.Schedule;
import dev.tilewright.emit.CudaEmitter;
import dev.tilewright.hazard.HazardReport;
import dev.tilewright.hazard.check.HazardCheck;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Scalars;
import dev.tilewright.program.array.ArrayShape;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.reference.Reference;
import dev.tilewright.tile.CpuLaunch;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.MatrixArithmetic;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.lower.layout.Shortage;
import dev.tilewright.tile.kernel.Gemm;
import dev.tilewright.tile.launch.TracedKernel;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;

/**
 * Products drawn at random whose factors threads copy ahead by {@code cp.async}: programs for {@code sm_80} and for
 * {@code sm_90a} leave the executor's bytes, and the check finds no mistake in them. {@code -Dtilewright.rings=N} draws
 * so many, {@code -Dtilewright.rings.from} says the first.
 */
class DrawnRingsTest {
    /** How many an ordinary run draws. */
    static final int USUAL = 16;
    private static final List<ValueType> TYPES = List.of(ValueType.BF16, ValueType.BF16, ValueType.F16, ValueType.TF32,
            ValueType.TF32, ValueType.F64, ValueType.I8, ValueType.U8, ValueType.E4M3, ValueType.E5M2);

    @Test
    void programsLeaveTheExecutorsBytes() {
        long from = Long.getLong("tilewright.rings.from", 0);
        int count = Integer.getInteger("tilewright.rings", Thorough.of(USUAL, 300));
        int rings = 0;
        int ofEightBitFloats = 0;
        for (long seed = from; seed < from + count; seed++) {
            Optional<Drawn> ring = judge(seed);
            rings += ring.isPresent() ? 1 : 0;
            ofEightBitFloats += ring.filter(Drawn::isOfEightBitFloats).isPresent() ? 1 : 0;
        }
        int so = rings;
        assertTrue(so > count / 2, () -> so + " of " + count + " go by cp.async");
        assertTrue(ofEightBitFloats > 0, "no product of e4m3 or e5m2 goes by cp.async");
    }

    /** The product, if its program copies ahead. */
    static Optional<Drawn> judge(long seed) {
        Drawn drawn = new Drawn(RandomGeneratorFactory.of("L64X128MixRandom").create(seed));
        try {
            return drawn.isRing() ? Optional.of(drawn) : Optional.empty();
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError("seed " + seed + ": " + drawn, e);
        }
    }

    /** A product and its launch. */
    static final class Drawn {
        private final RandomGenerator random;
        private final ValueType type;
        private final Gemm gemm;
        /** Whether sums of bf16, or of floats of 8 bits, begin with what is there. */
        private final boolean adds;
        private final Schedule schedule;
        private final Target target;
        private final Map<String, Long> extents = new LinkedHashMap<>();

        Drawn(RandomGenerator random) {
            this.random = random;
            type = TYPES.get(random.nextInt(TYPES.size()));
            Gemm drawn = Gemm.of(type).withTiles(8 << random.nextInt(4), 8 << random.nextInt(4),
                    16 << random.nextInt(3));
            boolean any = type.bits() > Byte.SIZE;
            drawn = any && random.nextBoolean() ? drawn.withTransposedA() : drawn;
            drawn = any && random.nextBoolean() ? drawn : drawn.withTransposedB();
            drawn = random.nextInt(4) == 0 ? drawn.withBatch() : drawn;
            drawn = random.nextInt(3) == 0 ? drawn.withBias() : drawn;
            gemm = random.nextInt(4) == 0 ? drawn.withSplit(2 + random.nextInt(2)) : drawn;
            adds = random.nextInt(4) == 0;
            schedule = schedule();
            target = isOfEightBitFloats() || schedule.has("threads") && random.nextBoolean() ? Target.SM_90A
                    : Target.SM_80;
            int each = type == ValueType.TF32 || type == ValueType.F64 || random.nextInt(8) == 0 ? 1 : 16;
            extents.put("batch", 2L);
            extents.put("m", extent(60, each));
            extents.put("n", extent(60, each));
            extents.put("k", extent(150, each));
        }

        private Schedule schedule() {
            Schedule drawn = random.nextInt(3) == 0 ? Schedule.DEFAULT : Schedule.DEFAULT.with("threads",
                    Integer.toString(64 << random.nextInt(3)));
            return random.nextBoolean() ? drawn : drawn.with("stages", Integer.toString(2 + random.nextInt(3)));
        }

        private long extent(int most, int each) {
            return (1 + random.nextInt(most / each)) * (long) each;
        }

        /** Judges the program. @return whether it copies ahead; not where there is none by such a schedule */
        boolean isRing() {
            TileKernel kernel = bySync(adds ? adding() : gemm.kernel()).with(schedule);
            Map<String, ArrayShape> shapes = new LinkedHashMap<>();
            List<MemorySegment> memory = new ArrayList<>();
            CpuLaunch cpu = kernel.onCpu();
            List<MemorySegment> executed = new ArrayList<>();
            for (Tensor tensor : kernel.tensors()) {
                List<Long> shape = tensor.dims().stream().map(dim -> extents.get(dim.name())).toList();
                shapes.put(tensor.name(), ArrayShape.dense(shape));
                MemorySegment elements = drawn(tensor.type(), shape.stream().reduce(1L, Math::multiplyExact));
                memory.add(elements);
                executed.add(copy(elements));
                cpu.set(tensor.name(), executed.getLast(), shape.stream().mapToLong(e -> e).toArray());
            }
            Launch launch;
            try {
                launch = kernel.launch(shapes, Scalars.NONE, target, 4);
            } catch (IllegalArgumentException e) {
                assertTrue(e.getMessage().contains("has no stages to choose") || Shortage.is(e), e::getMessage);
                return false;
            }
            cpu.run();
            List<MemorySegment> left = memory.stream().map(Drawn::copy).toList();
            Reference.run(launch, left);
            for (int i = 0; i < left.size(); i++) {
                assertEquals(-1, executed.get(i).mismatch(left.get(i)), kernel.tensors().get(i).name());
            }
            HazardReport report = HazardCheck.check(launch, memory);
            assertTrue(report.findings().isEmpty(), report::toString);
            return CudaEmitter.emit(launch.program()).text().contains("cp_async");
        }

        boolean isOfEightBitFloats() {
            return type.isFloat() && type.bits() == Byte.SIZE;
        }

        /** The kernel with Hopper's products of {@code mma.sync}, as the reference has them. */
        private TileKernel bySync(TileKernel kernel) {
            return !isOfEightBitFloats() ? kernel : TracedKernel.of(kernel.name(), kernel.dims(), kernel.tensors(),
                    kernel.scalars(), kernel.grid(), kernel.variables(), Optional.of(
                            MatrixArithmetic.HOPPER_MMA_SYNC));
        }

        private TileKernel adding() {
            return isOfEightBitFloats() ? TileKernel.of("adding", k -> {
                Dim m = k.dim("m");
                Dim n = k.dim("n");
                Dim depth = k.dim("k");
                Tensor a = k.in("a", type, m, depth);
                Tensor b = k.in("b", type == ValueType.E4M3 ? ValueType.E5M2 : ValueType.E4M3, n, depth);
                Tensor c = k.inOut("c", ValueType.F32, m, n);
                k.forEachTile(c, gemm.rows(), gemm.columns(), at -> c.store(at, k.fold(c.tile(at), k.steps(depth,
                        gemm.depth()), (sum, i) -> sum.mma(a.tile(at.row(), i), b.tile(at.column(), i)
                                .transposed()))));
            }) : TileKernel.of("adding", k -> {
                Dim m = k.dim("m");
                Dim n = k.dim("n");
                Dim depth = k.dim("k");
                Tensor a = k.in("a", ValueType.BF16, m, depth);
                Tensor b = k.in("b", ValueType.BF16, depth, n);
                Tensor c = k.inOut("c", ValueType.F32, m, n);
                k.forEachTile(c, gemm.rows(), gemm.columns(), at -> c.store(at, k.fold(c.tile(at), k.steps(depth,
                        gemm.depth()), (sum, i) -> sum.mma(a.tile(at.row(), i), b.tile(i, at.column())))));
            });
        }

        private MemorySegment drawn(ValueType of, long count) {
            MemorySegment elements = Arena.ofAuto().allocate(count * of.bytes(), 256);
            for (long i = 0; i < count; i++) {
                boolean anyBits = of.isInteger() || of.bits() == Byte.SIZE && random.nextInt(200) == 0;
                long word = anyBits ? of.word(random.nextLong()) : ((Value.Const) Value.of(of, random.nextGaussian()))
                        .word();
                for (int b = 0; b < of.bytes(); b++) {
                    elements.set(ValueLayout.JAVA_BYTE, i * of.bytes() + b, (byte) (word >> 8 * b));
                }
            }
            return elements;
        }

        private static MemorySegment copy(MemorySegment of) {
            return Arena.ofAuto().allocate(of.byteSize(), 256).copyFrom(of);
        }

        @Override
        public String toString() {
            return (adds ? "adding, " : "") + gemm + " " + extents + " by " + schedule + " for " + target;
        }
    }
}
