/**
 * The tile program, the description that everything else reads: which thread does what, when. Immutable records,
 * written with {@link dev.tilewright.program.Body}: memory, barriers, index expressions and values ({@link
 * dev.tilewright.program.expression}), elementary functions ({@link dev.tilewright.program.function}), and one form for
 * every PTX instruction. A {@link dev.tilewright.program.Launch} is one run of a program; a {@link
 * dev.tilewright.program.Launchable} makes them from arrays' shapes. Sizes are in bytes where they are not said to be
 * in elements.
 */
package dev.tilewright.program;
