package dev.tilewright.reference.compile;

import dev.tilewright.BadRequestException;
import dev.tilewright.layout.Saturating;
import dev.tilewright.program.Operation;
import dev.tilewright.program.Procedure;
import dev.tilewright.program.Step;
import dev.tilewright.program.TileProgram;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How many steps a program has where those of procedures stand in each place that calls them, as the reference compiles
 * them. The steps of each procedure are counted once, so that this takes no longer than the program is written.
 */
final class InlinedSteps {
    /** The most that are compiled. */
    static final int MOST = 1 << 20;

    private final TileProgram program;
    private final Map<Procedure, Long> ofProcedures = new HashMap<>();
    private final long all;

    InlinedSteps(TileProgram program) {
        this.program = program;
        // One that another calls comes before it.
        program.procedures().forEach(p -> ofProcedures.put(p, count(p.body())));
        this.all = count(program.body());
    }

    private long count(List<Step> steps) {
        long sum = 0;
        for (Step step : steps) {
            sum = Saturating.add(sum, 1);
            if (step.operation() instanceof Operation.Call(Procedure procedure, var _)) {
                sum = Saturating.add(sum, ofProcedures.get(procedure));
            } else {
                for (List<Step> body : step.operation().bodies()) {
                    sum = Saturating.add(sum, count(body));
                }
            }
        }
        return sum;
    }

    /** @throws BadRequestException if procedures make them more than are compiled; it names the innermost that does */
    void require() {
        List<Procedure> procedures = program.procedures();
        if (all > MOST && !procedures.isEmpty()) {
            Procedure named = procedures.stream().filter(p -> ofProcedures.get(p) > MOST).findFirst()
                    .orElseGet(() -> Collections.max(procedures, Comparator.comparing(ofProcedures::get)));
            throw tooMany(program, all, named, ofProcedures.get(named));
        }
    }

    /** @param all steps so far @param procedure that the program calls @param own its steps */
    static BadRequestException tooMany(TileProgram program, long all, Procedure procedure, long own) {
        return new BadRequestException("kernel '" + program.name() + "' has " + number(all) + " steps where those of "
                + "procedures stand in each place that calls them, " + number(own) + " of them in each call of '"
                + procedure.name() + "', and the most that run on the CPU are " + MOST + ": call it in a loop instead "
                + "of in several places");
    }

    private static String number(long steps) {
        return steps == Long.MAX_VALUE ? "more than 2^63" : Long.toString(steps);
    }
}
