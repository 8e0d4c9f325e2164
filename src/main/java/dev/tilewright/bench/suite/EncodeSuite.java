package dev.tilewright.bench.suite;

import dev.tilewright.MissingRequirementException;
import dev.tilewright.bench.Bench;
import dev.tilewright.bench.Suite;
import dev.tilewright.bench.result.Row;
import dev.tilewright.bench.result.Spread;
import dev.tilewright.bench.result.Unit;
import dev.tilewright.bench.result.Verdict;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.ptx.Target;
import dev.tilewright.tensormap.Im2colTensorMap;
import dev.tilewright.tensormap.RowMajorMatrix;
import dev.tilewright.tensormap.TensorMap;
import dev.tilewright.tensormap.TensorMapDescriptor;
import dev.tilewright.tensormap.TensorMapEncoder;
import dev.tilewright.tensormap.TiledTensorMap;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * How long it takes to encode a tensor map, checks of the description included: in Java, and by the driver where there
 * is one. Both encode the same description for the same addresses, in turns, and their bytes are compared.
 */
public final class EncodeSuite implements Suite {
    private static final String DRIVER = "driver";
    private static final Target TARGET = Target.SM_90;
    private static final int BATCH = 2_000;
    private static final int WARM_UP = 20;
    /** Addresses of tensors; nothing is there, and nothing is read. */
    private static final long ADDRESS = 1L << 32;
    private static final long OTHER_ADDRESS = 1L << 12;

    /** What is encoded. */
    private static Map<String, TensorMap> descriptions() {
        Map<String, TensorMap> all = new LinkedHashMap<>();
        all.put("matrix", RowMajorMatrix.of(TensorDataType.BFLOAT16, 4096, 8192, 64, 64, TARGET).map());
        all.put("five dimensions", TiledTensorMap.innermostFirst(TensorDataType.FLOAT32).shape(64, 100, 100, 100, 100)
                .box(32, 4, 2, 2, 2).swizzle(Swizzle.B128).build(TARGET));
        all.put("im2col", Im2colTensorMap.outermostFirst(TensorDataType.FLOAT16).shape(8, 56, 56, 64).lowerCorner(-1, -1)
                .upperCorner(-1, -1).channels(64).pixels(128).swizzle(Swizzle.B128).build(TARGET));
        return all;
    }

    @Override
    public String name() {
        return "encode";
    }

    @Override
    public String description() {
        return "encoding tensor maps, in Java and by the driver";
    }

    @Override
    public boolean needsGpu() {
        return false;
    }

    @Override
    public void run(Bench bench) {
        TensorMapEncoder[] driver = new TensorMapEncoder[1];
        bench.attempt(name(), "tensor map", DRIVER, Unit.MICROSECONDS, () -> driver[0] = driver(bench));
        descriptions().forEach((subject, map) -> measure(bench, subject, map, driver[0]));
    }

    private static TensorMapEncoder driver(Bench bench) {
        TensorMapEncoder encoder = bench.gpu().driverTensorMapEncoder();
        if (!encoder.supports(TARGET)) {
            throw new MissingRequirementException("tensor maps need compute capability 9.0 or later, and "
                    + bench.gpu().info().name() + " is older");
        }
        return encoder;
    }

    /** @param driver null for none */
    private void measure(Bench bench, String subject, TensorMap map, TensorMapEncoder driver) {
        try (Arena arena = Arena.ofConfined()) {
            Side ours = new Side(TensorMapEncoder.java(), map, arena, bench.settings().turns());
            Side theirs = driver == null ? null : new Side(driver, map, arena, bench.settings().turns());
            for (int turn = -WARM_UP; turn < bench.settings().turns(); turn++) {
                ours.batch(turn);
                if (theirs != null) {
                    theirs.batch(turn);
                }
            }
            boolean right = ours.isRight() && (theirs == null || ours.map.mismatch(theirs.map) < 0);
            Row row = ours.row(subject, Row.OURS, right ? Verdict.VERIFIED : Verdict.WRONG);
            if (theirs == null) {
                bench.add(row);
                return;
            }
            Row other = theirs.row(subject, DRIVER, theirs.isRight() ? Verdict.VERIFIED : Verdict.WRONG);
            bench.add(other);
            bench.add(row.beside(other, null));
        }
    }

    /** One encoder, its times for one description in µs, and what it encoded last. */
    private final class Side {
        final MemorySegment map;
        private final TensorMapEncoder encoder;
        private final TensorMap description;
        private final double[] micros;

        Side(TensorMapEncoder encoder, TensorMap description, Arena arena, int turns) {
            this.encoder = encoder;
            this.description = description;
            this.map = arena.allocate(TensorMapEncoder.BYTES, TensorMapEncoder.ALIGNMENT);
            this.micros = new double[turns];
        }

        /** @param turn below 0 to warm up */
        void batch(int turn) {
            long start = System.nanoTime();
            for (int i = 0; i < BATCH; i++) {
                encoder.encode(description, address(i), TARGET, map);
            }
            if (turn >= 0) {
                micros[turn] = (System.nanoTime() - start) / 1e3 / BATCH;
            }
        }

        private static long address(int i) {
            return ADDRESS ^ (i & 1) * OTHER_ADDRESS;
        }

        /** Whether the last map, decoded, is what was to be encoded. */
        boolean isRight() {
            return TensorMapDescriptor.of(map).decode().call().equals(description.at(address(BATCH - 1)));
        }

        Row row(String subject, String side, Verdict verdict) {
            Spread figure = Spread.of(micros);
            return Row.of(name(), subject, side, Unit.MICROSECONDS, figure, verdict).noting(String.format(Locale.ROOT,
                    "%.1f million a second", 1 / figure.median()));
        }
    }
}
