package dev.tilewright.hazard;

import dev.tilewright.NotNull;
import dev.tilewright.program.JavaLine;
import java.util.Optional;

/**
 * A step, and where a reader finds it.
 *
 * @param step its number in the program, see {@link dev.tilewright.program.StepNumbers}; 0 for the end of the kernel
 * @param purpose of the step
 * @param line of the step in the source that
 *     {@link dev.tilewright.emit.CudaEmitter#emit(dev.tilewright.program.TileProgram)} gives, from 1; 0 for the end of
 *     the kernel
 * @param javaLine the line of Java that added the step, where that is known
 */
public record StepLocation(int step, String purpose, int line, Optional<JavaLine> javaLine) {
    public StepLocation {
        NotNull.all("purpose, javaLine", purpose, javaLine);
    }

    /** In words: {@code step 3 ('load the tile', CUDA line 95, Blur.java:17)}. */
    @Override
    public String toString() {
        return step == 0 ? "the " + purpose : "step " + step + " ('" + purpose + "', CUDA line " + line
                + javaLine.map(java -> ", " + java).orElse("") + ")";
    }
}
