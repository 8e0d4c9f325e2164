package dev.tilewright.hazard.mutant;

import dev.tilewright.program.TileProgram;
import java.util.List;

/**
 * A program with one edit that a person could have made.
 *
 * @param name unique among the mutants of one program: {@code without-wait@17}
 * @param edit the edit in words
 * @param step the number of the edited step in the program as it was
 * @param program the program as it is now
 * @param origins for each step of it, in the order of their numbers, the number in the program as it was
 */
public record Mutant(String name, MutantKind kind, String edit, int step, TileProgram program, List<Integer> origins) {

    public Mutant {
        origins = List.copyOf(origins);
    }

    /**
     * The number that a step of the mutant had in the program as it was; 0 for a number that no step of the mutant has.
     */
    public int origin(int stepOfMutant) {
        return stepOfMutant < 1 || stepOfMutant > origins.size() ? 0 : origins.get(stepOfMutant - 1);
    }

    @Override
    public String toString() {
        return name + ": " + edit;
    }
}
