/**
 * The tile program, the description that everything else reads: which thread does what, when. Immutable records,
 * written with {@link dev.tilewright.program.Body}: memory, barriers, index expressions ({@link
 * dev.tilewright.program.Expr}), values ({@link dev.tilewright.program.Value}), and one form for every PTX
 * instruction. Sizes are in bytes where they are not said to be in elements.
 */
package dev.tilewright.program;
