package dev.tilewright.tile.lower;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.Thorough;
import dev.tilewright.builder.Schedule;
import dev.tilewright.reference.Reference;
import dev.tilewright.tile.drawn.Company;
import dev.tilewright.tile.drawn.DrawnCase;
import dev.tilewright.tile.drawn.DrawnKernel;
import dev.tilewright.tile.drawn.DrawnSchedules;
import dev.tilewright.tile.drawn.Refusals;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A row of a drawn kernel has the same bits alone, in another order and among other rows, whatever the schedule. */
class CompanyTest {
    private static final int KERNELS = 8;

    @Test
    void rowsAreTheSameOnTheCpu() {
        for (long seed = 0; seed < Thorough.of(KERNELS, 2 * KERNELS); seed++) {
            Company company = new Company(DrawnKernel.apart(seed));
            for (Company.Choice choice : Company.Choice.values()) {
                assertEquals(Optional.of(""), company.run(0, choice, all -> Optional.of(all.executed(1)),
                        some -> Optional.of(some.executed(2))));
            }
        }
    }

    /** The first by the default schedule, the other by a drawn one. */
    @Test
    void rowsAreTheSameInTilePrograms() {
        int compared = 0;
        for (int seed = 0; seed < KERNELS; seed++) {
            Company company = new Company(DrawnKernel.apart(seed));
            Schedule other = DrawnSchedules.small(company.kernel(), 1).getLast();
            Company.Choice choice = Company.Choice.values()[seed % Company.Choice.values().length];
            Optional<String> difference = company.run(0, choice, all -> run(all, Schedule.DEFAULT),
                    some -> run(some, other));
            assertEquals("", difference.orElse(""));
            compared += difference.isPresent() ? 1 : 0;
        }
        assertTrue(compared > KERNELS / 2, "compared " + compared);
    }

    private static Optional<MemorySegment> run(DrawnCase drawn, Schedule schedule) {
        return Refusals.run(drawn, schedule, (launch, memory) -> Reference.run(launch, List.of(memory)));
    }
}
