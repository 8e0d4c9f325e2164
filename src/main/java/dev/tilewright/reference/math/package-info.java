/** The arithmetic of element steps, atomics and reductions, bit for bit as the hardware does it. */
package dev.tilewright.reference.math;
