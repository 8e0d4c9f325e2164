/** Shadow memory: who last wrote each byte and who has read it since, and whether one access may come after another. */
package dev.tilewright.hazard.shadow;
