package dev.tilewright.bench.device;

import dev.tilewright.BadRequestException;
import dev.tilewright.NotNull;
import dev.tilewright.gpu.ArrayKernel;
import dev.tilewright.gpu.Buffer;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.device.DeviceMemory;
import dev.tilewright.program.array.ArrayShape;
import dev.tilewright.program.array.RowCut;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueMath;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.CpuLaunch;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.Update;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * The tensors of a tile kernel on a GPU, in enough sets that a launch finds little of its own in the L2. What is
 * read is normally distributed numbers, or whole ones; every scalar is 1. All sets hold the same.
 */
public final class TileArrays implements AutoCloseable {
    private static final byte STALE = (byte) 0xCD;
    private static final int ALIGNMENT = 16;
    private static final long LEFT_FREE = 512L << 20;
    /** The most sets: a product's launches are short, and each set has its own. */
    private static final int MOST_SETS = 16;
    /** All sets together are this many times the L2 of an H200. */
    private static final long ROTATED_BYTES = 256L << 20;
    /** Bytes that are drawn; what is longer has them again and again. */
    private static final int DRAWN_BYTES = 1 << 22;
    /** Multiplications, or elements, that the executor computes to compare the first bytes with. */
    private static final double COMPUTED = 1 << 22;
    private static final int MOST_ROWS = 64;
    private static final int WORDS = 8192;

    /** Adds the number of words in which two arrays differ to a count. */
    private static final TileKernel DIFFERING = TileKernel.of("differing", k -> {
        Dim n = k.dim("n");
        Tensor a = k.in("a", ValueType.I32, n);
        Tensor b = k.in("b", ValueType.I32, n);
        Tensor count = k.inOut("count", ValueType.I64, Dim.of(1));
        k.forEachTile(a, WORDS, at -> count.update(Update.ADD, a.tile(at).map(b.tile(at), Value::isNotEqualTo)
                .to(ValueType.I64).sum(), Span.at(0)));
    });

    private final Gpu gpu;
    private final TileKernel kernel;
    private final Map<String, Long> extents;
    private final List<Map<String, Buffer<byte[]>>> sets = new ArrayList<>();
    private final Map<String, Buffer<byte[]>> initial = new HashMap<>();
    private final Map<String, Buffer<byte[]>> expected = new HashMap<>();
    private final Buffer<long[]> count;

    /**
     * Allocates and fills them.
     *
     * @param extents of all the kernel's dimensions, by name
     * @throws BadRequestException if the GPU has not so much memory
     */
    public TileArrays(Gpu gpu, TileKernel kernel, Map<String, Long> extents, long seed) {
        NotNull.all("gpu, kernel, extents", gpu, kernel, extents);
        this.gpu = gpu;
        this.kernel = kernel;
        this.extents = Map.copyOf(extents);
        long set = kernel.tensors().stream().mapToLong(t -> allocated(bytes(t))).sum();
        long besides = kernel.tensors().stream().filter(t -> t.role() != Tensor.Role.IN).mapToLong(t ->
                allocated(bytes(t)) * (t.role() == Tensor.Role.OUT ? 1 : 2)).sum();
        DeviceMemory memory = gpu.memory();
        long free = memory.free() - LEFT_FREE - besides;
        if (set > free) {
            throw new BadRequestException("the tensors of " + extents + " have " + (set + besides >> 20) + " MiB, and "
                    + gpu.name() + " has " + (memory.free() >> 20) + " MiB free: choose smaller extents");
        }
        int number = Math.clamp(Math.min(Math.ceilDiv(ROTATED_BYTES, set), free / set), 1, MOST_SETS);
        this.count = gpu.longs(1);
        for (int i = 0; i < number; i++) {
            Map<String, Buffer<byte[]>> arrays = new HashMap<>();
            sets.add(arrays);
            for (Tensor tensor : kernel.tensors()) {
                Buffer<byte[]> buffer = gpu.bytes(allocated(bytes(tensor)));
                arrays.put(tensor.name(), buffer);
                if (tensor.role() != Tensor.Role.OUT) {
                    fill(buffer, tensor, seed, i);
                }
            }
        }
        gpu.synchronize();
    }

    private void fill(Buffer<byte[]> buffer, Tensor tensor, long seed, int set) {
        if (set > 0) {
            buffer.copyFrom(sets.getFirst().get(tensor.name()));
            return;
        }
        int drawn = (int) Math.min(DRAWN_BYTES, buffer.bytes());
        buffer.slice(0, drawn).upload(numbers(tensor.type(), drawn, seed + kernel.tensors().indexOf(tensor)));
        for (long done = drawn; done < buffer.bytes(); done *= 2) {
            long more = Math.min(done, buffer.bytes() - done);
            buffer.slice(done, more).copyFrom(buffer.slice(0, more));
        }
        if (tensor.role() == Tensor.Role.IN_OUT) {
            Buffer<byte[]> kept = gpu.bytes(buffer.bytes());
            kept.copyFrom(buffer);
            initial.put(tensor.name(), kept);
        }
    }

    private static byte[] numbers(ValueType type, int bytes, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        long[] words = new long[1 << 14];
        for (int i = 0; i < words.length; i++) {
            double number = random.nextGaussian();
            words[i] = ValueMath.constant(type, type.isFloat() ? number : Math.clamp(Math.round(16 * number),
                    type.isSigned() ? -127 : 0, 127));
        }
        byte[] all = new byte[bytes];
        for (int i = 0; i + type.bytes() <= bytes; i += type.bytes()) {
            long word = words[random.nextInt() & words.length - 1];
            for (int b = 0; b < type.bytes(); b++) {
                all[i + b] = (byte) (word >> 8 * b);
            }
        }
        return all;
    }

    private static long allocated(long bytes) {
        return Math.ceilDiv(Math.max(1, bytes), (long) ALIGNMENT) * ALIGNMENT;
    }

    private long bytes(Tensor tensor) {
        long bytes = tensor.type().bytes();
        for (long extent : shape(tensor)) {
            bytes = Math.multiplyExact(bytes, extent);
        }
        return bytes;
    }

    private long[] shape(Tensor tensor) {
        return tensor.dims().stream().mapToLong(dim -> dim.in(extents).orElseThrow(() -> new BadRequestException(
                "kernel '" + kernel.name() + "' has dimension '" + dim + "': say its extent, such as --extents " + dim
                        + "=4096"))).toArray();
    }

    /** How many sets there are to rotate through. */
    public int sets() {
        return sets.size();
    }

    /** Bytes that a launch reads and writes, each tensor once, and what is updated twice. */
    public long bytesMoved() {
        return kernel.tensors().stream().mapToLong(t -> bytes(t) * (t.role() == Tensor.Role.IN_OUT ? 2 : 1)).sum();
    }

    /** A tensor's elements in a set. */
    public Buffer<byte[]> array(int set, String tensor) {
        return sets.get(set).get(tensor);
    }

    /** Bytes that a tensor's elements have. */
    public long bytes(String tensor) {
        return bytes(kernel.tensors().stream().filter(t -> t.name().equals(tensor)).findFirst().orElseThrow());
    }

    /** A launch over a set's tensors, to be prepared. */
    public ArrayKernel.GpuLaunch launch(ArrayKernel loaded, int set) {
        ArrayKernel.GpuLaunch launch = loaded.launch();
        for (Tensor tensor : kernel.tensors()) {
            Buffer<byte[]> buffer = sets.get(set).get(tensor.name());
            launch.set(tensor.name(), buffer.slice(0, bytes(tensor)), ArrayShape.dense(shape(tensor)));
        }
        kernel.scalars().forEach(scalar -> launch.scalar(scalar.name(), 1));
        return launch;
    }

    /** Writes something else over all that is written, and what was there over what is updated. */
    public void spoil() {
        for (Map<String, Buffer<byte[]>> arrays : sets) {
            for (Tensor tensor : kernel.tensors()) {
                switch (tensor.role()) {
                    case IN -> { }
                    case OUT -> arrays.get(tensor.name()).fill(STALE);
                    case IN_OUT -> arrays.get(tensor.name()).copyFrom(initial.get(tensor.name()));
                }
            }
        }
        gpu.synchronize();
    }

    /**
     * Takes what the first set's results are, once all work has ended, as what all have to be from now on.
     *
     * @return what is wrong with their first rows by the executor; empty too where one takes the executor too long
     */
    public Optional<String> expectResults() {
        return expectResults(COMPUTED);
    }

    /**
     * Takes what the first set's results are, once all work has ended, as what all have to be from now on.
     *
     * @param most multiplications, or elements, that the executor may compute: of as many rows, or of all where the
     *     kernel cannot be cut into rows and updates nothing, which takes longer
     * @return what is wrong with what the executor computed; empty too where it computed nothing
     */
    public Optional<String> expectResults(double most) {
        gpu.synchronize();
        for (Tensor tensor : kernel.tensors()) {
            if (tensor.role() != Tensor.Role.IN) {
                Buffer<byte[]> result = sets.getFirst().get(tensor.name());
                expected.computeIfAbsent(tensor.name(), _ -> gpu.bytes(result.bytes())).copyFrom(result);
            }
        }
        gpu.synchronize();
        double all = extents.values().stream().mapToDouble(Long::doubleValue).reduce(1, (a, b) -> a * b);
        Optional<RowCut> cut = cut();
        long rows = cut.map(c -> shape(kernel.tensors().stream().filter(t -> c.written().contains(t.name()))
                .findFirst().orElseThrow())[0]).orElse(1L);
        double each = all / rows;
        boolean slow = cut.isEmpty() && !initial.isEmpty();
        return each > most || slow ? Optional.empty() : computed(cut, (long) Math.clamp(most / each, 1, Math.min(rows,
                MOST_ROWS)));
    }

    private Optional<RowCut> cut() {
        try {
            return Optional.of(kernel.rowCut());
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private Optional<String> computed(Optional<RowCut> cut, long rows) {
        try (Arena arena = Arena.ofShared()) {
            Map<String, MemorySegment> memory = new HashMap<>();
            CpuLaunch launch = kernel.onCpu();
            for (Tensor tensor : kernel.tensors()) {
                long[] shape = shape(tensor);
                long bytes = bytes(tensor);
                if (cut.isPresent() && cut.get().cuts(tensor.name())) {
                    bytes = bytes / shape[0] * rows;
                    shape[0] = rows;
                }
                MemorySegment segment = arena.allocate(Math.max(1, bytes), 64).asSlice(0, bytes);
                if (tensor.role() != Tensor.Role.OUT) {
                    Buffer<byte[]> from = tensor.role() == Tensor.Role.IN ? sets.getFirst().get(tensor.name())
                            : initial.get(tensor.name());
                    from.slice(0, bytes).download(segment);
                }
                memory.put(tensor.name(), segment);
                launch.set(tensor.name(), segment, ArrayShape.dense(shape));
            }
            kernel.scalars().forEach(scalar -> launch.scalar(scalar.name(), 1));
            launch.run();
            for (Map.Entry<String, Buffer<byte[]>> result : expected.entrySet()) {
                MemorySegment wanted = memory.get(result.getKey());
                MemorySegment got = arena.allocate(Math.max(1, wanted.byteSize()), 64).asSlice(0, wanted.byteSize());
                result.getValue().slice(0, wanted.byteSize()).download(got);
                long at = wanted.mismatch(got);
                if (at >= 0) {
                    return Optional.of("byte " + at + " of '" + result.getKey() + "' is not the executor's");
                }
            }
            return Optional.empty();
        }
    }

    /** How many words of all results are not what they have to be, once all work has ended. */
    public long differing() {
        gpu.synchronize();
        count.upload(new long[1]);
        try (ArrayKernel compare = gpu.load(DIFFERING)) {
            expected.forEach((name, wanted) -> {
                long words = wanted.bytes() / Integer.BYTES;
                for (Map<String, Buffer<byte[]>> arrays : sets) {
                    compare.launch().set("a", wanted, words).set("b", arrays.get(name), words).set("count", count, 1)
                            .prepare().start();
                }
            });
            gpu.synchronize();
        }
        return count.download()[0];
    }

    @Override
    public void close() {
        sets.forEach(arrays -> arrays.values().forEach(Buffer::close));
        initial.values().forEach(Buffer::close);
        expected.values().forEach(Buffer::close);
        count.close();
    }
}
