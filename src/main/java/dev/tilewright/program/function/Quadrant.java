package dev.tilewright.program.function;

import dev.tilewright.program.expression.Value;

/**
 * A size in radians as quarter turns and a rest of at most half of one.
 *
 * @param quarters u32, of which the last two bits count
 * @param rest in radians
 */
record Quadrant(Value quarters, Pair rest) { }
