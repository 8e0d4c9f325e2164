/**
 * Arrays on disk: NumPy's {@code .npy} files, mapped into memory rather than copied, so that their size is bounded by
 * the disk and not by the heap.
 *
 * <p>{@link dev.tilewright.io.NpyReader} opens one, {@link dev.tilewright.io.NpyWriter} makes one. The facts about the
 * format come from NumPy Enhancement Proposal 1 and the module documentation of {@code numpy.lib.format}.
 */
package dev.tilewright.io;
