package dev.tilewright;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.gpu.ArrayType;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.device.OutOfDeviceMemoryException;
import dev.tilewright.gpu.emulation.state.DeviceModel;
import dev.tilewright.gpu.streaming.HostSource;
import dev.tilewright.gpu.streaming.HostTarget;
import dev.tilewright.gpu.streaming.Rows;
import dev.tilewright.gpu.streaming.StreamSummary;
import dev.tilewright.gpu.streaming.Streamer;
import dev.tilewright.hazard.HazardOptions;
import dev.tilewright.hazard.check.HazardCheck;
import dev.tilewright.layout.MatrixDescriptor;
import dev.tilewright.layout.MatrixMajor;
import dev.tilewright.layout.MatrixTile;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.program.Argument;
import dev.tilewright.program.ComputingKernels;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Operation;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.value.ValueType;
import java.lang.foreign.MemorySegment;
import java.math.BigInteger;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Supplier;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/** Counts and sizes at the ends of their types: right, or refused in words; never wrapped, never a raw error. */
public class HugeValuesTest {
    private static Gpu gpu;

    @BeforeContainer
    static void open() {
        gpu = Gpu.emulated();
    }

    @AfterContainer
    static void close() {
        gpu.close();
    }

    /** Powers of two, what is beside them, and halves and thirds of the ends. */
    @Provide
    Arbitrary<Integer> counts() {
        return Arbitraries.oneOf(Arbitraries.integers().between(0, 30).flatMap(power ->
                Arbitraries.integers().between(-2, 2).map(beside -> (1 << power) + beside)),
                Arbitraries.integers().between(-3, 3).map(beside -> beside > 0 ? Integer.MIN_VALUE + beside - 1
                        : Integer.MAX_VALUE + beside), Arbitraries.integers());
    }

    /** Half of them such as tiles may have. */
    @Provide
    Arbitrary<Integer> multiplesOf8() {
        return Arbitraries.oneOf(counts(), Arbitraries.integers().between(0, 14)
                .flatMap(power -> Arbitraries.integers().between(1, 3).map(times -> times * 8 << power)));
    }

    @Provide
    Arbitrary<Long> sizes() {
        return Arbitraries.oneOf(Arbitraries.integers().between(0, 62).flatMap(power ->
                Arbitraries.integers().between(-2, 2).map(beside -> (1L << power) + beside)),
                Arbitraries.integers().between(-3, 3).map(beside -> beside > 0 ? Long.MIN_VALUE + beside - 1
                        : Long.MAX_VALUE + beside), Arbitraries.longs());
    }

    /** What it gives; empty where that is refused in words. */
    private static <T> Optional<T> unlessRefused(Supplier<T> made) {
        try {
            return Optional.of(made.get());
        } catch (IllegalArgumentException e) {
            assertTrue(e.getMessage().length() > 20, e::toString);
            return Optional.empty();
        }
    }

    @Property(tries = 60)
    void aStreamerMovesEveryByteHoweverManyThreadsAndSlots(@ForAll("counts") int threads, @ForAll("counts") int slots,
            @ForAll("sizes") long slab, @ForAll boolean saysSlots) {
        byte[] from = new byte[5_000];
        new Random(threads).nextBytes(from);
        byte[] to = new byte[from.length];
        Optional<StreamSummary> summary = unlessRefused(() -> {
            Streamer streamer = Streamer.on(gpu).threads(threads).slab(slab < 0 ? slab : Math.max(slab, 100));
            return (saysSlots ? streamer.slots(slots) : streamer).run(Rows.of(50)
                    .from(HostSource.of(MemorySegment.ofArray(from)), 100)
                    .to(HostTarget.of(MemorySegment.ofArray(to)), 100), _ -> slabOf -> slabOf.stream()
                    .copy(slabOf.input(0), slabOf.output(0)));
        });
        if (summary.isPresent()) {
            assertArrayEquals(from, to);
            assertEquals(from.length, summary.get().bytesDown());
        } else {
            assertTrue(threads < 1 || slab < 1 || saysSlots && slots < 1);
        }
    }

    @Property
    void registersAndAccessesHaveTheSizeThatTheyAreGiven(@ForAll("counts") int count, @ForAll ValueType type,
            @ForAll("counts") int first) {
        unlessRefused(() -> new Register("r", type, count, 0)).ifPresent(r -> {
            assertTrue(count >= 1 && (long) count * type.bits() <= 256 * 32, r::toString);
            assertTrue(r.words() >= 1 && r.words() <= 256, r::toString);
        });
        Register some = new Register("some", type, 4, 0);
        SharedRegion.Buffer shared = new SharedRegion.Buffer("shared", 1024, 16);
        unlessRefused(() -> new Operation.LoadValues(some, Expr.of(first), count, shared.at(0)))
                .ifPresent(load -> {
            assertTrue(first >= 0 && count >= 1 && (long) first + count <= 4, load::toString);
            assertEquals((long) count * type.bytes(), load.bytes());
        });
    }

    @Property
    void aLayoutEndsWhereItsRegionsSay(@ForAll("counts") int bytes, @ForAll("counts") int more) {
        unlessRefused(() -> new SharedLayout(List.of(new SharedRegion.Buffer("a", bytes, 16),
                new SharedRegion.Buffer("b", more, 1024), new SharedRegion.Barriers("c", Math.max(1, more % 100)))))
                .ifPresent(layout -> assertTrue(layout.bytes() >= (long) bytes + more, layout::toString));
    }

    @Property
    void aTileIsWithinADescriptorsReach(@ForAll("multiplesOf8") int mn, @ForAll("multiplesOf8") int k,
            @ForAll boolean bytes, @ForAll MatrixMajor major, @ForAll Swizzle swizzle) {
        int element = bytes && major == MatrixMajor.K ? 1 : 2;
        unlessRefused(() -> new MatrixTile(mn, k, element, major, swizzle)).ifPresent(tile -> {
            // Rows that are narrower than the span lie a span apart.
            boolean byK = major == MatrixMajor.K;
            BigInteger row = BigInteger.valueOf(byK ? k : mn).multiply(BigInteger.valueOf(element))
                    .max(BigInteger.valueOf(swizzle.span()));
            BigInteger all = row.multiply(BigInteger.valueOf(byK ? mn : k));
            assertTrue(all.compareTo(BigInteger.valueOf(MatrixDescriptor.LIMIT)) < 0, tile::toString);
            assertEquals(all.intValueExact(), tile.bytes());
        });
    }

    @Property
    void anElementLiesWhereItsIndicesSay(@ForAll("counts") int mn, @ForAll("counts") int k) {
        MatrixDescriptor descriptor = new MatrixDescriptor(0, 16, 1024, 0, Swizzle.B128);
        unlessRefused(() -> descriptor.addressOf(mn, k, 2, MatrixMajor.K)).ifPresent(at -> {
            long plain = mn / 8 * 1024L + mn % 8 * 128L + 2L * k;
            assertEquals(plain >> 7, at >> 7);
        });
    }

    @Property(tries = 20)
    void aCheckTakesNoMoreBlocksThanThereAre(@ForAll("counts") int blocks) {
        Launch launch = new Launch(ComputingKernels.axpy(), 2, List.of(new Argument.Buffer(0), new Argument.Buffer(1),
                new Argument.Scalar(0)));
        List<MemorySegment> memory = List.of(MemorySegment.ofArray(new byte[1024]),
                MemorySegment.ofArray(new byte[1024]));
        unlessRefused(() -> HazardCheck.check(launch, memory, HazardOptions.DEFAULT.withFirstBlocks(blocks)))
                .ifPresentOrElse(report -> assertEquals(blocks == 1 ? 1 : 2, report.blocks()),
                        () -> assertTrue(blocks < 0));
    }

    @Property(tries = 200)
    void memoryThatNoHostHasIsRefusedInWords(@ForAll("sizes") long bytes) {
        long size = bytes > 0 ? Math.max(bytes, 1L << 42) : bytes;
        try (Gpu another = Gpu.emulated()) {
            if (size > 0) {
                RuntimeException e = assertThrows(RuntimeException.class, () -> another.bytes(size));
                assertTrue(e instanceof OutOfDeviceMemoryException || e instanceof IllegalArgumentException,
                        e::toString);
                assertTrue(e.getMessage().length() > 20, e::toString);
            } else {
                unlessRefused(() -> another.bytes(size)).ifPresentOrElse(buffer -> assertEquals(0, buffer.bytes()),
                        () -> assertTrue(size < 0));
            }
        }
    }

    @Property
    void rowsHaveTheBytesOfTheirSources(@ForAll("sizes") long count, @ForAll("sizes") long rowBytes) {
        unlessRefused(() -> Rows.of(count).from(HostSource.of(MemorySegment.ofArray(new byte[6])), rowBytes))
                .ifPresent(_ -> assertEquals(BigInteger.valueOf(6), BigInteger.valueOf(count)
                        .multiply(BigInteger.valueOf(rowBytes))));
    }

    @Property
    void emulatedGpusAreAsManyAndAsLargeAsTheyCanBe(@ForAll("counts") int count, @ForAll("sizes") long memory) {
        if (count < 1 || count > 64) {
            assertThrows(IllegalArgumentException.class, () -> Gpu.emulated(count));
        }
        unlessRefused(() -> DeviceModel.hopper(memory)).ifPresent(model ->
                assertTrue(model.memory() >= 1 && model.memory() <= 1L << 44));
    }

    @Property
    void aBufferHasItsElements(@ForAll("sizes") long count) {
        unlessRefused(() -> gpu.wrap(256, ArrayType.DOUBLES, count)).ifPresent(buffer -> {
            assertEquals(count, buffer.count());
            assertThrows(IndexOutOfBoundsException.class, () -> buffer.slice(count, Long.MAX_VALUE));
        });
    }
}
