/** Processes that one talks to by lines. */
package dev.tilewright.process;
