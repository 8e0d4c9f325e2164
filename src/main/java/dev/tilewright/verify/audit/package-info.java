/** Audits: rows of an output that is there, computed again on the CPU. */
package dev.tilewright.verify.audit;
