/** Processes that one talks to by lines, and the messages of those that are of this library. */
package dev.tilewright.process;
