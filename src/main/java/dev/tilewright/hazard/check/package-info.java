/** Where a check of a launch, or of two that overlap, begins: {@link dev.tilewright.hazard.check.HazardCheck}. */
package dev.tilewright.hazard.check;
