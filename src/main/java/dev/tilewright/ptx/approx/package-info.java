/** Approximations that the hardware computes. */
package dev.tilewright.ptx.approx;
