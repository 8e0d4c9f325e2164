/**
 * Where cases come from: kinds that draw kernels out of choices, each free of races, with one possible result and
 * small. Shorter lists of choices make simpler cases, so that a failing case can be made smaller.
 */
package dev.tilewright.verify.draw;
