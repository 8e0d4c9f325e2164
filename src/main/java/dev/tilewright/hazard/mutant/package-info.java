/**
 * Programs that are broken in one place, to see whether the hazard check finds it:
 * {@link dev.tilewright.hazard.mutant.Mutants} makes them out of any tile program,
 * {@link dev.tilewright.hazard.mutant.MutantRun} says of each whether it was found.
 */
package dev.tilewright.hazard.mutant;
