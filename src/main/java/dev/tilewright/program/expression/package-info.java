/**
 * What the steps of a tile program name: index expressions and values, and what they are made of, parameters,
 * registers, shared memory and places in it.
 */
package dev.tilewright.program.expression;
