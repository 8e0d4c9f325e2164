/**
 * Every order of a small launch: threads' steps, the moments at which copies read, write and are counted, and the
 * writes that a read may see. It shares no code with the reference and the analysis, which are held against it,
 * but the arithmetic of tensor cores.
 */
package dev.tilewright.hazard.explore;
