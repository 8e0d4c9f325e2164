/** Loads, stores, atomics and reductions, by scope and order. */
package dev.tilewright.ptx.memory;
