/**
 * The hazard analysis: runs a kernel on the CPU with shadow state, and decides for every access whether anything orders it
 * after the ones before it. {@link dev.tilewright.hazard.HazardCheck} is where it starts; docs/memory-model.md says what counts
 * as order.
 */
package dev.tilewright.hazard;
