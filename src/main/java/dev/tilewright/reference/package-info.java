/**
 * Runs a tile program on the CPU, byte for byte as the GPU would: the living definition of what a program means.
 *
 * <p>{@link dev.tilewright.reference.Reference} is where to start. Nothing here touches a GPU, a file or a clock, and
 * the same program with the same bindings gives the same bytes, or the same complaint, every time.
 *
 * <p>Asynchronous copies land as late as the program's own waits allow, so that a wait that is missing shows as wrong
 * bytes, and a wait that can never end is reported instead of run.
 */
package dev.tilewright.reference;
