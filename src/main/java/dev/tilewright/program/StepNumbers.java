package dev.tilewright.program;

import dev.tilewright.Counted;
import dev.tilewright.NotNull;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The numbers of a program's steps: 1 for the first, counting every step in the order in which it is written. The steps
 * within a step follow the step itself, those of a procedure the first call of it: another call has no more of its own.
 */
public final class StepNumbers {
    private final List<Step> steps = new ArrayList<>();
    /** One that another calls comes before it. */
    private final Map<Procedure, Numbers> procedures = new LinkedHashMap<>();

    /** The numbers of a procedure's steps. @param end one past the last */
    private record Numbers(int first, int end) { }

    /** Numbers all steps of a program. */
    public StepNumbers(TileProgram program) {
        this(Objects.requireNonNull(program, "program").body());
    }

    /** Numbers steps and those within them. */
    public StepNumbers(List<Step> body) {
        NotNull.all("body", body);
        add(body);
    }

    private void add(List<Step> body) {
        for (Step step : body) {
            steps.add(step);
            if (step.operation() instanceof Operation.Call(Procedure p, var _)) {
                if (!procedures.containsKey(p)) {
                    int first = steps.size() + 1;
                    add(p.body());
                    procedures.put(p, new Numbers(first, steps.size() + 1));
                }
            } else {
                step.operation().bodies().forEach(this::add);
            }
        }
    }

    /** How many steps there are; the last has this number. */
    public int count() {
        return steps.size();
    }

    /**
     * The step with a number.
     *
     * @param number from 1
     */
    public Step step(int number) {
        return steps.get(number - 1);
    }

    /** All steps, in the order of their numbers. */
    public List<Step> all() {
        return List.copyOf(steps);
    }

    /** Every procedure that the steps call, each once; one that another calls comes before it. */
    public List<Procedure> procedures() {
        return List.copyOf(procedures.keySet());
    }

    /** The number of the first step of a procedure that the program calls. */
    public int firstOf(Procedure procedure) {
        Objects.requireNonNull(procedure, "procedure");
        return procedures.get(procedure).first;
    }

    /** One past the number of the last step of a procedure that the program calls. */
    public int endOf(Procedure procedure) {
        Objects.requireNonNull(procedure, "procedure");
        return procedures.get(procedure).end;
    }

    /** {@code numbers of 12 steps}. */
    @Override
    public String toString() {
        return "numbers of " + Counted.of(steps.size(), "step");
    }
}
