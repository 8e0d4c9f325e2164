package dev.tilewright.program;

import java.util.ArrayList;
import java.util.List;

/**
 * The numbers of a program's steps: 1 for the first, counting every step in the order in which it is written. The body of a
 * loop or a guard follows the step itself, what a guard does otherwise follows its body.
 */
public final class StepNumbers {
    private final List<Step> steps = new ArrayList<>();

    public StepNumbers(TileProgram program) {
        add(program.body());
    }

    private void add(List<Step> body) {
        for (Step step : body) {
            steps.add(step);
            switch (step.operation()) {
                case Operation.Loop loop -> add(loop.body());
                case Operation.Guard guard -> {
                    add(guard.body());
                    add(guard.otherwise());
                }
                default -> { }
            }
        }
    }

    /** How many steps there are; the last has this number. */
    public int count() {
        return steps.size();
    }

    /** The step with a number. @param number from 1 */
    public Step step(int number) {
        return steps.get(number - 1);
    }
}
