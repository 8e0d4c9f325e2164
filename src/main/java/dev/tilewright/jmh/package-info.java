/**
 * What benchmarks of code that uses Tilewright need, for JMH, which a project with such benchmarks has already: a
 * dependency of its own it is not.
 *
 * <p>JMH's score is the time that a method takes on the CPU, and a method that starts work on a GPU returns before that
 * has ended. {@link dev.tilewright.jmh.DeviceTime} times the work by the GPU's own clock, and {@link
 * dev.tilewright.jmh.DeviceTimeProfiler} puts that beside the score.
 */
package dev.tilewright.jmh;
