/**
 * Threads of a block that are at the same operation perform it at once, column by column, where nobody watches: what
 * comes of it is what comes of threads that take their turns one by one.
 */
package dev.tilewright.reference.simt;
