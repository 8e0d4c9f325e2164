/** What can be told from a program without running it: which steps a thread may still perform, and what they name. */
package dev.tilewright.hazard.flow;
