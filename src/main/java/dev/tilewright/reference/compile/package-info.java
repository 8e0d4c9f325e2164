/** From a tile program and what is bound to it to the operations that run. */
package dev.tilewright.reference.compile;
