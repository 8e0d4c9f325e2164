/**
 * The analysis itself, in parts: what is known of the run ({@link dev.tilewright.hazard.analysis.RunState}), and a part
 * for each sort of event, which keeps what later parts ask for and hands what it finds to {@link
 * dev.tilewright.hazard.report}. {@link dev.tilewright.hazard.analysis.HazardObserver} alone knows how the reference
 * tells of events.
 */
package dev.tilewright.hazard.analysis;
