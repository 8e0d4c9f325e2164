/** The processes that cases run in: a hang or a fault ends one of them, and never the run. */
package dev.tilewright.verify.worker;
