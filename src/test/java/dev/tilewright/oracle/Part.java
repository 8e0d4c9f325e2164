package dev.tilewright.oracle;

import dev.tilewright.program.Body;

/** A piece of work of a drawn kernel, correct by itself. Its constructor takes what it needs from the plan. */
interface Part {
    void write(Body body);
}
