/**
 * Every rule about the arguments of an encode call, as values: each with its text, its source, and the targets that it
 * is for. The rules are grouped by what they look at; {@link dev.tilewright.tensormap.rules.TensorMapRules} has them
 * all.
 */
package dev.tilewright.tensormap.rules;
