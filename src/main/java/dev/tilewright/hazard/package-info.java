/**
 * The hazard analysis: runs a kernel on the CPU with shadow state, and decides for every access whether anything orders
 * it after the ones before it. Here is what a check is asked for and what it finds; {@code
 * dev.tilewright.hazard.check.HazardCheck} is where it starts. docs/memory-model.md says what counts as order.
 *
 * <p>Inside, each room knows those before it: {@code order} (clocks), {@code async} (mbarriers and copies), {@code
 * shadow} (memory), {@code flow} (what a program says of its steps without a run), {@code report} (all words of
 * findings), {@code analysis} (the parts that take the events of a run), {@code check} (runs in one order or several),
 * {@code mutant} (what shows that a check finds mistakes).
 * A new code is a constant of {@link dev.tilewright.hazard.HazardCode}, the place in {@code analysis} that finds the
 * mistake, and what {@code report} says of it.
 */
package dev.tilewright.hazard;
