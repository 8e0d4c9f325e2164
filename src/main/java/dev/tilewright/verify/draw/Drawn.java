package dev.tilewright.verify.draw;

import dev.tilewright.program.TileProgram;
import java.util.function.Function;

/**
 * A drawn kernel.
 *
 * @param title what it is, in a few words
 * @param run draws one of its launches: sizes, scalars and data
 */
record Drawn(String title, TileProgram program, Function<DrawnChoices, DrawnRun> run) { }
