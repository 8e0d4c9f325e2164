/**
 * Threads of a block that are at the same operation perform it at once, column by column, in a run that is not watched:
 * what comes of it is what comes of threads that take their turns one by one.
 */
package dev.tilewright.reference.simt;
