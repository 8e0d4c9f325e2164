/** Asynchronous copies: {@code cp.async}, bulk copies, tensor copies, stores and reductions. */
package dev.tilewright.ptx.copy;
