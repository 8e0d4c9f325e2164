/**
 * What completes later than it starts: phases of mbarriers and asynchronous copies, and to whom their ends are known.
 */
package dev.tilewright.hazard.async;
