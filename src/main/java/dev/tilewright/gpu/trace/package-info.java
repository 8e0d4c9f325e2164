/**
 * What the runtime tells those who watch it: events of JDK Flight Recorder, ranges for NVIDIA's tools, lines of
 * {@link java.lang.System.Logger}. Costs next to nothing while nothing does.
 */
package dev.tilewright.gpu.trace;
