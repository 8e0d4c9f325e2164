/** What can go wrong in a run: the exception that users see, with its kind, step, block and thread. */
package dev.tilewright.reference.fault;
