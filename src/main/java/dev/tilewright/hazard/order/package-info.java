/**
 * What is ordered: vector clocks of threads, and how threads learn of each other when they meet, through fences and
 * through values in memory.
 */
package dev.tilewright.hazard.order;
