/**
 * What the runtime's threads agree by: uses that an end waits for, calls in progress, gates between captures and calls,
 * launches that are not known to have ended, and waits that no interrupt ends.
 */
package dev.tilewright.gpu.concurrent;
