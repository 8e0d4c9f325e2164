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
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * How long it takes to encode a tensor map, checks of the description included: in Java, and by the driver where there
 * is one. Both encode the same description for the same addresses, in turns, and their bytes are compared.
 */
public final class EncodeSuite extends Suite {
    private static final String DRIVER = "driver";
    private static final Target TARGET = Target.SM_90;
    /** Maps between two looks at the clock. */
    private static final int BATCH = 200;
    /** What a turn of one encoder and description takes at least: one batch alone is over in a moment. */
    private static final double TURN_MILLIS = 10;
    /** Windows of warm-up at most. */
    private static final int WARM_UP = 50;
    private static final String WORK = "encoding tensor maps";
    /** Addresses of tensors; nothing is there, and nothing is read. */
    private static final long ADDRESS = 1L << 32;
    private static final long OTHER_ADDRESS = 1L << 12;

    /** Ours and the driver's. */
    public EncodeSuite() {
        super("encode", "encoding tensor maps, in Java and by the driver", false);
    }

    /** What is encoded. */
    private static Map<String, TensorMap> descriptions() {
        Map<String, TensorMap> all = new LinkedHashMap<>();
        all.put("matrix", RowMajorMatrix.of(TensorDataType.BFLOAT16, 4096, 8192, 64, 64, TARGET).map());
        all.put("five dimensions", TiledTensorMap.innermostFirst(TensorDataType.FLOAT32).shape(64, 100, 100, 100, 100)
                .box(32, 4, 2, 2, 2).swizzle(Swizzle.B128).build(TARGET));
        all.put("im2col", Im2colTensorMap.outermostFirst(TensorDataType.FLOAT16).shape(8, 56, 56, 64)
                .lowerCorner(-1, -1).upperCorner(-1, -1).channels(64).pixels(128).swizzle(Swizzle.B128).build(TARGET));
        return all;
    }

    @Override
    public void run(Bench bench) {
        TensorMapEncoder[] driver = new TensorMapEncoder[1];
        bench.attempt(name(), "tensor map", DRIVER, Unit.MICROSECONDS, () -> driver[0] = driver(bench));
        try (Arena arena = Arena.ofConfined()) {
            List<Subject> subjects = new ArrayList<>();
            int turns = bench.settings().turns();
            descriptions().forEach((subject, map) -> subjects.add(new Subject(subject,
                    new Side(TensorMapEncoder.java(), map, arena),
                    driver[0] == null ? null : new Side(driver[0], map, arena))));
            bench.progress().at("warming up", 0, 1);
            // Not between turns: decoding uses memory otherwise, for which the JVM would compile anew what was warm.
            subjects.forEach(Subject::warmUp);
            subjects.forEach(Subject::check);
            WarmUp.Outcome warmth = WarmUp.of(bench, WARM_UP).take(() -> subjects.stream().mapToDouble(
                    Subject::warmUp).toArray(), bench.progress());
            for (int turn = 0; turn < turns; turn++) {
                bench.progress().at(WORK, turn, turns);
                for (Subject each : subjects) {
                    each.turn();
                }
                bench.soFar(turn + 1, turns, rows(subjects, warmth));
            }
            bench.progress().at(WORK, turns, turns);
            subjects.forEach(Subject::check);
            rows(subjects, warmth).forEach(bench::add);
        }
    }

    /** @param theirs null for none */
    private record Subject(String name, Side ours, Side theirs) {

        /** @return µs of one of ours */
        double warmUp() {
            if (theirs != null) {
                theirs.warmUp();
            }
            return ours.warmUp();
        }

        /** Whether what was encoded last is right, and the same. */
        void check() {
            ours.right &= ours.isRight() && (theirs == null || ours.map.mismatch(theirs.map) < 0);
            if (theirs != null) {
                theirs.right &= theirs.isRight();
            }
        }

        void turn() {
            ours.turn();
            if (theirs != null) {
                theirs.turn();
            }
        }
    }

    private static TensorMapEncoder driver(Bench bench) {
        TensorMapEncoder encoder = bench.gpu().driverTensorMapEncoder();
        if (!encoder.supports(TARGET)) {
            throw new MissingRequirementException("tensor maps need compute capability 9.0 or later, and "
                    + bench.gpu().info().name() + " is older");
        }
        return encoder;
    }

    private List<Row> rows(List<Subject> subjects, WarmUp.Outcome warmth) {
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < subjects.size(); i++) {
            Side ours = subjects.get(i).ours;
            Side theirs = subjects.get(i).theirs;
            Row row = ours.row(subjects.get(i).name, Row.OURS).notingToo(warmth.note(i));
            if (theirs != null) {
                Row other = theirs.row(subjects.get(i).name, DRIVER);
                rows.add(other);
                row = row.beside(other, null);
            }
            rows.add(row);
        }
        return rows;
    }

    /** One encoder, its times for one description in µs, and what it encoded last. */
    private final class Side {
        final MemorySegment map;
        private final TensorMapEncoder encoder;
        private final TensorMap description;
        private final List<Double> micros = new ArrayList<>();
        private boolean right = true;

        Side(TensorMapEncoder encoder, TensorMap description, Arena arena) {
            this.encoder = encoder;
            this.description = description;
            this.map = arena.allocate(TensorMapEncoder.BYTES, TensorMapEncoder.ALIGNMENT);
        }

        double warmUp() {
            return Repeated.once(BATCH, this::batch);
        }

        void turn() {
            micros.add(Repeated.micros(TURN_MILLIS, BATCH, this::batch));
        }

        private void batch() {
            for (int i = 0; i < BATCH; i++) {
                encoder.encode(description, address(i), TARGET, map);
            }
        }

        private static long address(int i) {
            return ADDRESS ^ (i & 1) * OTHER_ADDRESS;
        }

        /** Whether the last map, decoded, is what was to be encoded. */
        boolean isRight() {
            return TensorMapDescriptor.of(map).decode().call().equals(description.at(address(BATCH - 1)));
        }

        Row row(String subject, String side) {
            Spread figure = Spread.of(micros.stream().mapToDouble(one -> one).toArray());
            return Row.of(name(), subject, side, Unit.MICROSECONDS, figure, right ? Verdict.VERIFIED : Verdict.WRONG)
                    .noting(String.format(Locale.ROOT,
                    "%.1f million a second", 1 / figure.median()));
        }
    }
}
