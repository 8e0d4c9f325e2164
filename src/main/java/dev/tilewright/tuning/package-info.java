/**
 * Schedules that were found fastest by measurement, kept per GPU: {@link dev.tilewright.tuning.Tuning} is a table of
 * them, shipped with the library or written by {@code tilewright tune}, and makes kernels by it.
 */
package dev.tilewright.tuning;
