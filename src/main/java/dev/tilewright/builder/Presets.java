package dev.tilewright.builder;

import java.util.List;

/**
 * Every preset of the library, in the order in which they are listed. A builder is known by its being listed here.
 *
 * <p>What a preset sets here beside what it is about, and what builders choose by themselves, is a schedule that
 * measurements on an H200 and an H100 found best or near to it, for 1 GiB and 64 MiB: {@code docs/performance.md} names
 * them, "Defaults", and {@code dev.tilewright.tuning.Tuning.shipped()} has the best for each GPU and size. None advises
 * L2, because what becomes of a result is the user's to know.
 */
public final class Presets {

    /** All presets. Names are unique. */
    public static final List<Preset> ALL = List.of(
            new Preset("vector-copy", VectorCopy.MECHANISM,
                    "copies an array of any shape without shared memory, as a baseline", Schedule.DEFAULT),
            new Preset("cp-async-pipeline", CpAsyncPipeline.MECHANISM,
                    "copies an array of any shape as one long row", Schedule.DEFAULT),
            new Preset("cp-async-pipeline-2d", CpAsyncPipeline.MECHANISM,
                    "copies a matrix in tiles of 64 x 64", Schedule.parse("tile=64x64 stages=3")),
            new Preset("cp-async-scale", CpAsyncPipeline.MECHANISM,
                    "multiplies every element by a scalar", Schedule.parse("step=scale")),
            new Preset("bulk-copy", BulkCopy.MECHANISM,
                    "copies an array of any shape as one long row", Schedule.DEFAULT),
            new Preset("bulk-copy-token", BulkCopy.MECHANISM,
                    "the same, each thread waiting with a token of its own", Schedule.parse("wait=token")),
            new Preset("bulk-add", BulkCopy.MECHANISM,
                    "adds a scalar to every element, in shared memory", Schedule.parse("step=add")),
            new Preset("tensor-copy", TensorCopy.MECHANISM,
                    "copies a matrix in boxes, rows a multiple of 16 bytes", Schedule.DEFAULT),
            new Preset("tensor-copy-1d", TensorCopy.MECHANISM,
                    "copies an array of one dimension in boxes of 256", Schedule.parse("tile=256")),
            new Preset("tensor-copy-3d", TensorCopy.MECHANISM,
                    "copies an array of three dimensions in boxes", Schedule.parse("tile=2x8x256B")),
            new Preset("tensor-copy-4d", TensorCopy.MECHANISM,
                    "copies an array of four dimensions in boxes", Schedule.parse("tile=1x4x8x256B")),
            new Preset("tensor-copy-5d", TensorCopy.MECHANISM,
                    "copies an array of five dimensions in boxes", Schedule.parse("tile=1x2x4x4x256B")),
            new Preset("tensor-copy-32b", TensorCopy.MECHANISM,
                    "copies a matrix through tiles with the 32-byte swizzle",
                    Schedule.parse("swizzle=32B unswizzle=step")),
            new Preset("tensor-copy-64b", TensorCopy.MECHANISM,
                    "copies a matrix through tiles with the 64-byte swizzle",
                    Schedule.parse("swizzle=64B unswizzle=step")),
            new Preset("tensor-copy-128b", TensorCopy.MECHANISM,
                    "copies a matrix through tiles with the 128-byte swizzle",
                    Schedule.parse("swizzle=128B unswizzle=step")),
            new Preset("tensor-scale", TensorCopy.MECHANISM,
                    "multiplies every element of a matrix by a scalar, in swizzled tiles",
                    Schedule.parse("swizzle=128B step=scale")),
            new Preset("tensor-rebind", TensorRebind.MECHANISM,
                    "copies a matrix in slabs of rows, through tensor maps that each block makes for its own",
                    Schedule.DEFAULT));

    /** All presets, as a catalogue. */
    public static final PresetCatalog CATALOG = new PresetCatalog(ALL);

    private Presets() { }

    /**
     * The preset of this name.
     *
     * @throws dev.tilewright.BadRequestException for another name; the message has all that there are
     */
    public static Preset named(String name) {
        return CATALOG.named(name);
    }
}
