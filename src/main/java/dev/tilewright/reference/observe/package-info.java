/** What a run tells an observer: accesses, copies, arrivals, waits, and which thread, step and block they belong to. */
package dev.tilewright.reference.observe;
