package dev.tilewright.reference.box;

import dev.tilewright.layout.Swizzle;
import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.reference.fault.Fault;
import dev.tilewright.reference.fault.ReferenceException.Kind;
import dev.tilewright.tensormap.Im2colTensorMap;
import dev.tilewright.tensormap.Im2colWideTensorMap;
import dev.tilewright.tensormap.Interleave;
import dev.tilewright.tensormap.OobFill;
import dev.tilewright.tensormap.TensorMap;
import dev.tilewright.tensormap.TiledTensorMap;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.function.Function;

/**
 * One box of a tensor map, loaded into shared memory, stored from it or reduced from it, to the byte: what the copies
 * {@code cp.async.bulk.tensor} and {@code cp.reduce.async.bulk.tensor} of one mode do.
 *
 * <p>A {@link BoxTraversal} knows which rows a mode visits, {@link SharedRows} where they lie in shared memory, and
 * {@link LoadRows}, {@link StoreRows} and {@link ReduceRows} what happens to their bytes; each says which of its rules
 * were measured and which come from the documents. What the hardware faults on is refused.
 *
 * <p>Shared memory is a byte array whose index stands for the shared address: index 0 is a multiple of 1024. A box may
 * be used by several threads at once.
 */
public final class TensorBox {
    private static final int CHUNK = SharedRows.CHUNK;
    private static final int SHARED_ALIGNMENT = 128;
    private static final int[] NO_OFFSETS = {};
    private static final int[] NO_HALO = {0, 0};
    /** 0x7FF7 in every half. */
    private static final long NAN_FILL = 0x7FF7_7FF7_7FF7_7FF7L;

    private final TensorMap map;
    private final BoxTraversal walk;
    private final SharedRows layout;
    private final int elementBytes;
    /** Bytes of one row of the tensor, for loads, and up to where stores write. */
    private final long rowLimit;
    private final long storeLimit;
    private final long tensorEnd;

    /**
     * The box of {@code .tile} copies.
     *
     * @throws IllegalArgumentException if the map's rows do not fit its swizzle
     */
    public TensorBox(TiledTensorMap map) {
        this(map, new TileTraversal(map));
    }

    private TensorBox(TensorMap map, BoxTraversal walk) {
        this.map = map;
        this.walk = walk;
        this.layout = SharedRows.of(map);
        boolean slices = map.interleave() != Interleave.NONE;
        elementBytes = slices ? layout.rowBytes() : map.type().bytes();
        // Slices are whole: dimension 0 is one that the walk goes along, and the row has nothing to cut.
        rowLimit = slices ? layout.rowBytes() : Math.multiplyExact(map.dims().getFirst(), elementBytes);
        storeLimit = Math.ceilDiv(rowLimit, (long) CHUNK) * CHUNK;
        tensorEnd = tensorEnd();
    }

    /** The box of copies through a map in its own mode: {@code .tile}, {@code .im2col} or wide im2col. */
    public static TensorBox of(TensorMap map) {
        return switch (map) {
            case TiledTensorMap m -> tile(m);
            case Im2colTensorMap m -> im2col(m);
            case Im2colWideTensorMap m -> im2colWide(m);
        };
    }

    /** The box of {@code .tile} copies. @throws IllegalArgumentException as the constructor */
    public static TensorBox tile(TiledTensorMap map) {
        return new TensorBox(map);
    }

    /**
     * The box of {@code .tile::gather4} loads and {@code .tile::scatter4} stores. Coordinates are the column and four
     * rows. By the documents, not seen on hardware.
     *
     * @throws IllegalArgumentException if the map is not of rank 2 with a box of one row
     */
    public static TensorBox gather4(TiledTensorMap map) {
        return new TensorBox(map, new GatherTraversal(map));
    }

    /**
     * The box of {@code .im2col} loads, which take an offset for each spatial dimension, and of {@code .im2col_no_offs}
     * stores and reductions.
     *
     * @throws IllegalArgumentException if the map is interleaved, or its rows do not fit its swizzle
     */
    public static TensorBox im2col(Im2colTensorMap map) {
        return new TensorBox(map, new Im2colTraversal(map));
    }

    /**
     * The box of {@code .im2col::w} or {@code .im2col::w::128} loads, as the map's mode says. Offsets are {@code wHalo}
     * and {@code wOffset}. By the documents, not seen on hardware.
     *
     * @throws IllegalArgumentException if the map is interleaved, or its rows do not fit its swizzle
     */
    public static TensorBox im2colWide(Im2colWideTensorMap map) {
        return new TensorBox(map, new Im2colWideTraversal(map));
    }

    /**
     * Bytes that a load counts on its mbarrier: the whole box, in bounds or not, gaps left out.
     *
     * @param offsets the load's im2col offsets; only a wide map's halo adds bytes, and none given means no halo
     */
    public int transactionBytes(int... offsets) {
        return Math.multiplyExact(layout.rowBytes(), walk.rows(halo(offsets)));
    }

    /** Bytes of shared memory from the box's first to its last, swizzle gaps included. @param offsets as above */
    public int sharedBytes(int... offsets) {
        return layout.bytes(walk.rows(halo(offsets)));
    }

    /** A load through a tiled map; see {@link #load(MemorySegment, int[], int[], byte[], int)}. */
    public void load(MemorySegment tensor, int[] coordinates, byte[] shared, int address) {
        load(tensor, coordinates, NO_OFFSETS, shared, address);
    }

    /**
     * Copies a box from the tensor to shared memory. Gaps of the swizzle keep what they held.
     *
     * @param tensor byte 0 is the map's global address
     * @param coordinates elements, one for each dimension, innermost first; may lie out of bounds. With interleave
     *     dimension 0 counts slices
     * @param offsets im2col: one for each spatial dimension; wide im2col: halo and offset; else none
     * @param address where the box starts in {@code shared}: a multiple of 128
     * @throws IllegalArgumentException if an operand breaks a rule or a byte lies outside the arrays
     */
    public void load(MemorySegment tensor, int[] coordinates, int[] offsets, byte[] shared, int address) {
        checkOffsets(offsets);
        checkShared(shared.length, address, sharedBytes(offsets));
        TensorMemory memory = TensorMemory.of(tensor);
        checkLoad(memory, coordinates, offsets);
        loadChecked(memory, coordinates, offsets, shared, address);
    }

    /**
     * Copies a box from shared memory to the tensor. What is past the end of a dimension is skipped; along dimension 0
     * whole chunks of 16 bytes are written.
     *
     * @param tensor byte 0 is the map's global address
     * @param coordinates elements, one for each dimension, innermost first; not negative, and may lie past the end
     * @param address where the box starts in {@code shared}: a multiple of 128
     * @throws IllegalArgumentException if an operand breaks a rule or a byte lies outside the arrays
     */
    public void store(MemorySegment tensor, int[] coordinates, byte[] shared, int address) {
        checkShared(shared.length, address, sharedBytes());
        TensorMemory memory = TensorMemory.of(tensor);
        checkStore(memory, coordinates);
        storeChecked(memory, coordinates, shared, address);
    }

    /**
     * Combines a box in shared memory with the tensor, element by element; which elements is as in {@link #store}.
     *
     * @throws IllegalArgumentException as {@link #store}, and if the map's type does not have the operation
     */
    public void reduce(AtomicOp op, MemorySegment tensor, int[] coordinates, byte[] shared, int address) {
        Combiner reduction = reduction(op);
        checkShared(shared.length, address, sharedBytes());
        TensorMemory memory = TensorMemory.of(tensor);
        checkStore(memory, coordinates);
        reduceChecked(reduction, memory, coordinates, shared, address);
    }

    /** What a reduction through this map does to one element. @throws Fault if the type does not have the operation */
    public Combiner reduction(AtomicOp op) {
        return Combiner.tensor(op, map.type());
    }

    /**
     * Everything that can be wrong with the operands of a load but its shared address, so that the copy can come later
     * and cannot fail.
     */
    public void checkLoad(TensorMemory memory, int[] coordinates, int[] offsets) {
        checkOffsets(offsets);
        checkOperands(coordinates, offsets, false);
        checkReach(memory, coordinates, offsets, false);
    }

    /** Everything that can be wrong with the operands of a store or a reduction but its shared address. */
    public void checkStore(TensorMemory memory, int[] coordinates) {
        checkOperands(coordinates, NO_OFFSETS, true);
        checkReach(memory, coordinates, NO_OFFSETS, true);
    }

    /** Whether no copy of the box, at whatever coordinates, leaves the memory that the map's address belongs to. */
    public boolean staysHome(TensorMemory memory) {
        return memory.start() >= 0 && tensorEnd <= memory.home().byteSize() - memory.start();
    }

    /** What a walk over the tensor's bytes is told. */
    @FunctionalInterface
    public interface Stretch {
        void bytes(MemorySegment memory, long offset, long count);
    }

    /** The bytes that a copy of the box at these coordinates touches, row by row. @param offsets see {@link #load} */
    public void forEachRow(TensorMemory memory, int[] coordinates, int[] offsets, boolean store, Stretch stretch) {
        Clip clip = clip(coordinates, store);
        if (clip.isEmpty()) {
            return;
        }
        walk(memory, clip, coordinates, offsets, piece -> new RowSink() {
            @Override
            public void inside(int row, int rows, long offset, long stride) {
                for (int i = 0; i < rows; i++) {
                    stretch.bytes(piece, offset + i * stride + clip.first(), clip.end() - clip.first());
                }
            }

            @Override
            public void outside(int row, int rows) {
                // Fill touches no memory of the tensor.
            }
        });
    }

    /** What a walk over shared memory is told. */
    @FunctionalInterface
    public interface SharedStretch {
        void bytes(int address, int count);
    }

    /** The bytes of a box in shared memory that a store or reduction at these coordinates takes to the tensor. */
    public void forEachStored(TensorMemory memory, int[] coordinates, int address, SharedStretch stretch) {
        Clip clip = clip(coordinates, true);
        if (!clip.isEmpty()) {
            walk(memory, clip, coordinates, NO_OFFSETS, _ -> new StoredBytes(layout, clip, address, stretch));
        }
    }

    /** Whether a load writes every byte of shared memory that it takes, and no other. */
    public boolean isSolid() {
        return layout.areSolid();
    }

    /** How its rows lie in shared memory. */
    public Swizzle swizzle() {
        return map.swizzle();
    }

    /** What a box's address should be a multiple of, so that the swizzle's pattern starts with it. */
    public int swizzlePeriod() {
        return map.swizzle() == Swizzle.NONE ? SHARED_ALIGNMENT : Math.max(SHARED_ALIGNMENT, map.swizzle().period());
    }

    public void loadChecked(TensorMemory memory, int[] coordinates, int[] offsets, byte[] shared, int address) {
        Clip clip = clip(coordinates, false);
        Function<MemorySegment, RowSink> rows = tensor -> new LoadRows(layout, clip,
                map.fill() == OobFill.NAN ? NAN_FILL : 0, map.type().roundsToTf32(), tensor, shared, address);
        if (clip.isEmpty()) {
            rows.apply(memory.home()).outside(0, walk.rows(offsets));
        } else {
            walk(memory, clip, coordinates, offsets, rows);
        }
    }

    public void storeChecked(TensorMemory memory, int[] coordinates, byte[] shared, int address) {
        Clip clip = clip(coordinates, true);
        if (!clip.isEmpty()) {
            walk(memory, clip, coordinates, NO_OFFSETS, tensor -> new StoreRows(layout, clip, tensor, shared, address));
        }
    }

    public void reduceChecked(Combiner reduction, TensorMemory memory, int[] coordinates, byte[] shared, int address) {
        Clip clip = clip(coordinates, true);
        if (!clip.isEmpty()) {
            walk(memory, clip, coordinates, NO_OFFSETS,
                    tensor -> new ReduceRows(layout, clip, reduction, tensor, shared, address));
        }
    }

    /**
     * The rows of a tiled box, where it is whole and a copy changes none of its bytes.
     *
     * @param store whether it is stored there, or loaded
     * @return null where it is not as simple as that
     */
    public ByteRows rows(TensorMemory memory, int[] coordinates, boolean store) {
        Clip clip = clip(coordinates, store);
        if (!(walk instanceof TileTraversal) || !layout.areSolid() || clip.first() != 0
                || clip.end() != layout.rowBytes()
                || !store && map.type().roundsToTf32()) {
            return null;
        }
        int rows = walk.rows(NO_OFFSETS);
        WholeRows run = new WholeRows(rows);
        walk.walk(coordinates, NO_OFFSETS, run);
        return run.found() && memory.isAtHome(run.offset(), (rows - 1) * run.stride() + layout.rowBytes())
                ? new ByteRows(memory.home(), memory.start() + run.offset(), run.stride(), rows, layout.rowBytes(),
                layout.swizzle())
                : null;
    }

    /** Walks along the rows, each with the memory that it lies in. */
    private void walk(TensorMemory memory, Clip clip, int[] coordinates, int[] offsets,
            Function<MemorySegment, RowSink> rows) {
        walk.walk(coordinates, offsets, memory.start() == 0 && staysHome(memory) ? rows.apply(memory.home())
                : new RowsInMemory(memory, clip, rows));
    }

    private void checkShared(int sharedLength, int address, int bytes) {
        if (address % SHARED_ALIGNMENT != 0) {
            throw new Fault(Kind.MISALIGNED, "the box lies at shared address " + address
                    + ", which must be a multiple of " + SHARED_ALIGNMENT);
        }
        if (address < 0 || address > sharedLength - bytes) {
            throw new Fault(Kind.OUT_OF_BOUNDS, "a box of " + bytes + " bytes at shared address " + address
                    + " does not fit in " + sharedLength + " bytes");
        }
    }

    private void checkOffsets(int[] offsets) {
        if (offsets.length != walk.offsets()) {
            throw new Fault(Kind.BAD_SIZE, "a load through this map takes " + walk.offsets() + " im2col offsets, got "
                    + offsets.length);
        }
    }

    private void checkOperands(int[] coordinates, int[] offsets, boolean store) {
        if (coordinates.length != walk.coordinates()) {
            throw new Fault(Kind.BAD_SIZE, "a tensor of rank " + map.rank() + " takes " + walk.coordinates()
                    + " coordinates, got " + coordinates.length);
        }
        if ((long) coordinates[0] * elementBytes % CHUNK != 0) {
            throw new Fault(Kind.MISALIGNED, "coordinate 0 is " + coordinates[0] + ", "
                    + (long) coordinates[0] * elementBytes + " bytes into the row, which must be a multiple of " + CHUNK
                    + ": the hardware faults with ILLEGAL_INSTRUCTION");
        }
        walk.check(coordinates, offsets, store);
    }

    private void checkReach(TensorMemory memory, int[] coordinates, int[] offsets, boolean store) {
        Clip clip = clip(coordinates, store);
        if (staysHome(memory) || clip.isEmpty()) {
            return;
        }
        MissingRow missing = new MissingRow(memory, clip, store);
        walk.walk(coordinates, offsets, missing);
        if (missing.row() < 0) {
            return;
        }
        String row = "the box at coordinates " + Arrays.toString(coordinates) + (store ? " writes " : " reads ")
                + walk.rowName(missing.row(), coordinates);
        if (missing.isReadOnly()) {
            throw new Fault(Kind.TENSOR_MAP, row + ", and the memory there is read-only");
        }
        Clip asLoad = clip(coordinates, false);
        boolean onlyAsStore = store && (asLoad.isEmpty()
                || memory.find(missing.offset() - clip.first() + asLoad.first(),
                        asLoad.end() - asLoad.first()) != null);
        throw new Fault(Kind.OUT_OF_BOUNDS, row + ": "
                + memory.elsewhere().describe(missing.offset(), clip.end() - clip.first())
                + (onlyAsStore ? " (a store writes rows up to the next multiple of 16 bytes)" : ""));
    }

    /** Which bytes of the box's rows count; all of a slice's, whose place in dimension 0 the walk looks after. */
    private Clip clip(int[] coordinates, boolean store) {
        long start = map.interleave() == Interleave.NONE ? (long) coordinates[0] * elementBytes : 0;
        return Clip.of(start, store ? storeLimit : rowLimit, layout.rowBytes());
    }

    /** The operands that decide how many rows there are; none given means no halo. */
    private int[] halo(int[] offsets) {
        if (offsets.length != 0) {
            checkOffsets(offsets);
        }
        return offsets.length == 0 && walk.offsets() == 2 ? NO_HALO : offsets;
    }

    /** One past the last byte that any copy could touch; the largest number if that does not fit 64 bits. */
    private long tensorEnd() {
        try {
            long end = storeLimit;
            for (int d = 1; d < map.rank(); d++) {
                end = Math.addExact(end, Math.multiplyExact(map.dims().get(d) - 1, map.strides().get(d - 1)));
            }
            return map.interleave() == Interleave.NONE ? end
                    : Math.addExact(end, Math.multiplyExact(map.dims().getFirst() - 1, layout.rowBytes()));
        } catch (ArithmeticException e) {
            return Long.MAX_VALUE;
        }
    }
}
