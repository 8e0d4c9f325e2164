package dev.tilewright.emit;

import dev.tilewright.NotNull;
import dev.tilewright.ptx.Gate;
import dev.tilewright.ptx.Target;
import java.util.List;

/**
 * CUDA C++ for one kernel: no header is included, and the kernel has C linkage, so that its name is not mangled.
 *
 * @param kernelName the name to look the kernel up by
 * @param text the whole source
 * @param gate the PTX versions and targets that the kernel compiles for
 * @param stepLines the line, from 1, in which each step's statement begins, in the order of the steps' numbers
 */
public record CudaSource(String kernelName, String text, Gate gate, List<Integer> stepLines) {

    public CudaSource {
        NotNull.all("kernelName, text, gate, stepLines", kernelName, text, gate, stepLines);
        stepLines = List.copyOf(stepLines);
    }

    /**
     * The line of the text, from 1, in which a step's statement begins; its purpose is in the line above.
     *
     * @param step the step's number, see {@link dev.tilewright.program.StepNumbers}
     * @throws IllegalArgumentException if the kernel has no such step
     */
    public int lineOf(int step) {
        if (step < 1 || step > stepLines.size()) {
            throw new IllegalArgumentException("the steps of kernel '" + kernelName + "' are numbered from 1 to "
                    + stepLines.size() + ", got " + step);
        }
        return stepLines.get(step - 1);
    }

    /** The least capable target that the kernel compiles for. */
    public Target minimumTarget() {
        return gate.minimumTarget();
    }
}
