/** All words of findings: the analysis hands over what it has found, and what is said of that stands here. */
package dev.tilewright.hazard.report;
