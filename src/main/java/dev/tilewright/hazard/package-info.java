/**
 * The hazard analysis: runs a kernel on the CPU with shadow state, and decides for every access whether anything orders
 * it after the ones before it. {@link dev.tilewright.hazard.HazardCheck} is where it starts, and here is all that an
 * application sees of it; docs/memory-model.md says what counts as order.
 *
 * <p>Inside, each room knows those before it: {@code order} (clocks), {@code async} (mbarriers and copies), {@code
 * shadow} (memory), {@code flow} (what a program says of its steps without a run), {@code report} (all words of
 * findings), {@code analysis} (the parts that take the events of a run).
 * A new code is a constant of {@link dev.tilewright.hazard.HazardCode}, the place in {@code analysis} that finds the
 * mistake, and what {@code report} says of it.
 */
package dev.tilewright.hazard;
