/**
 * What tests of code that uses Tilewright need, for JUnit Jupiter, which a project with such tests has already: a
 * dependency of its own it is not.
 *
 * <p>Tests that need a GPU say which ({@link dev.tilewright.junit.RequiresGpu}) and are skipped elsewhere, with the
 * reason; a machine that is meant to have one makes each skip a failure. {@link dev.tilewright.junit.GpuAssertions}
 * compares what a device did with what the reference executor does, byte for byte, and
 * {@link dev.tilewright.junit.HazardFree} demands that the check of synchronisation finds nothing, which needs no GPU.
 */
package dev.tilewright.junit;
