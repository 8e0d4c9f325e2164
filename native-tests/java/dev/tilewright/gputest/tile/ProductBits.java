package dev.tilewright.gputest.tile;

import dev.tilewright.bench.device.DeviceTurns;
import dev.tilewright.bench.device.TileArrays;
import dev.tilewright.gpu.Buffer;
import dev.tilewright.gpu.KernelLaunch;
import dev.tilewright.gpu.Stream;
import dev.tilewright.program.value.ValueMath;
import dev.tilewright.program.value.ValueType;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Compares all elements of a product with cuBLAS'. Of small whole numbers, whose sums are exact in any order, they must
 * have the same bytes; of normally distributed ones it is said how far they are apart, and how far is allowed.
 */
final class ProductBits {
    /** Different numbers in a matrix: a power of two. */
    private static final int NUMBERS = 1 << 16;

    private final RaceSubject subject;
    private final TileArrays arrays;
    private final Stream stream;
    private final PrintStream out;
    private final int rows;
    private final int columns;

    ProductBits(RaceSubject subject, TileArrays arrays, Stream stream, PrintStream out) {
        this.subject = subject;
        this.arrays = arrays;
        this.stream = stream;
        this.out = out;
        this.rows = Math.toIntExact(subject.extents().get("m"));
        this.columns = Math.toIntExact(subject.extents().get("n"));
    }

    /** Leaves normally distributed numbers in all sets of arrays, of which both work on the first. */
    boolean equal(KernelLaunch ours, DeviceTurns.Work theirs) {
        boolean equal = true;
        for (boolean whole : new boolean[] {true, false}) {
            fill("a", whole, 1);
            fill("b", whole, 2);
            try (Arena arena = Arena.ofShared()) {
                MemorySegment mine = result(arena, ours::start);
                MemorySegment other = result(arena, () -> theirs.start(stream, 0));
                equal &= compare(mine, other, whole);
            }
        }
        return equal;
    }

    private MemorySegment result(Arena arena, Runnable product) {
        Buffer<byte[]> c = arrays.array(0, "c").slice(0, arrays.bytes("c"));
        c.fill((byte) 0xEE);
        product.run();
        stream.synchronize();
        MemorySegment result = arena.allocate(c.bytes(), 64);
        c.download(result);
        return result;
    }

    private void fill(String tensor, boolean whole, long seed) {
        ValueType type = subject.type();
        SplittableRandom numbers = new SplittableRandom(seed);
        // The sums of 8-bit floats keep fewer bits; of 8-bit integers most of a normal distribution is within theirs.
        int most = type == ValueType.E4M3 ? 2 : 8;
        long[] words = new long[NUMBERS];
        for (int i = 0; i < NUMBERS; i++) {
            words[i] = ValueMath.constant(type, whole ? numbers.nextInt(2 * most + 1) - most
                    : type.isInteger() ? Math.clamp(Math.round(32 * numbers.nextGaussian()), -128, 127)
                    : numbers.nextGaussian());
        }
        Buffer<byte[]> buffer = arrays.array(0, tensor).slice(0, arrays.bytes(tensor));
        long elements = buffer.bytes() / type.bytes();
        int parts = 64;
        try (Arena arena = Arena.ofShared()) {
            MemorySegment host = arena.allocate(buffer.bytes(), 64);
            IntStream.range(0, parts).parallel().forEach(part -> {
                SplittableRandom random = new SplittableRandom(seed << 32 | part);
                for (long i = elements * part / parts; i < elements * (part + 1) / parts; i++) {
                    long word = words[random.nextInt() & NUMBERS - 1];
                    switch (type.bytes()) {
                        case 1 -> host.set(ValueLayout.JAVA_BYTE, i, (byte) word);
                        case 2 -> host.setAtIndex(ValueLayout.JAVA_SHORT, i, (short) word);
                        case 4 -> host.setAtIndex(ValueLayout.JAVA_INT, i, (int) word);
                        default -> host.setAtIndex(ValueLayout.JAVA_LONG, i, word);
                    }
                }
            });
            buffer.upload(host);
        }
        for (int set = 1; set < arrays.sets(); set++) {
            arrays.array(set, tensor).slice(0, buffer.bytes()).copyFrom(buffer);
        }
    }

    private boolean compare(MemorySegment ours, MemorySegment theirs, boolean whole) {
        ValueType type = subject.kernel().tensors().stream().filter(t -> t.name().equals("c")).findFirst()
                .orElseThrow().type();
        double[][] ofRows = IntStream.range(0, rows).parallel().mapToObj(row -> row(ours, theirs, type, row))
                .toArray(double[][]::new);
        double differ = Arrays.stream(ofRows).mapToDouble(r -> r[0]).sum();
        double worst = Arrays.stream(ofRows).mapToDouble(r -> r[1]).max().orElse(0);
        double rms = Math.sqrt(Arrays.stream(ofRows).mapToDouble(r -> r[2]).sum() / ((double) rows * columns));
        // A sum of thousands of rounded terms, taken in two orders; of 16-bit results one unit in the last place.
        double allowed = whole ? 0 : rms * switch (type) {
            case F64 -> 1e-12;
            // cuBLAS cuts factors to tf32, ours are rounded.
            case F32 -> subject.preset().name().equals("gemm-tf32") ? 0.01 : 1e-4;
            case I32 -> 0;
            default -> 0.04;
        };
        boolean equal = worst <= allowed;
        out.printf(Locale.ROOT, "  %s %s numbers: %.0f of %d elements differ from cuBLAS', by %.3g at most; "
                + "their root mean square is %.3g%s%n", subject.title().replaceAll(":.*|,$", ","), whole ? "whole"
                : "normal", differ, (long) rows * columns, worst, rms, equal ? "" : ": WRONG");
        return equal;
    }

    /** How many elements of a row differ, by how much at most, and the sum of cuBLAS' squares. */
    private double[] row(MemorySegment ours, MemorySegment theirs, ValueType type, int row) {
        double[] sums = new double[3];
        for (long i = (long) row * columns; i < (row + 1L) * columns; i++) {
            double mine = element(ours, type, i);
            double other = element(theirs, type, i);
            if (Double.doubleToRawLongBits(mine) != Double.doubleToRawLongBits(other)) {
                sums[0]++;
                double apart = Math.abs(mine - other);
                sums[1] = apart <= sums[1] ? sums[1] : apart;
            }
            sums[2] += other * other;
        }
        return sums;
    }

    private static double element(MemorySegment buffer, ValueType type, long i) {
        return switch (type) {
            case F64 -> buffer.getAtIndex(ValueLayout.JAVA_DOUBLE, i);
            case F32 -> buffer.getAtIndex(ValueLayout.JAVA_FLOAT, i);
            case I32 -> buffer.getAtIndex(ValueLayout.JAVA_INT, i);
            case F16 -> Float.float16ToFloat(buffer.getAtIndex(ValueLayout.JAVA_SHORT, i));
            default -> Float.intBitsToFloat(buffer.getAtIndex(ValueLayout.JAVA_SHORT, i) << 16);
        };
    }
}
