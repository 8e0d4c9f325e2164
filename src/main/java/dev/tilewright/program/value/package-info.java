/**
 * What a thread computes with: the types of values, the operations on them, and what each of these means, bit by bit.
 */
package dev.tilewright.program.value;
