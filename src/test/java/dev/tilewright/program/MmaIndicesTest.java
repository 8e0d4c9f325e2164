package dev.tilewright.program;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.layout.MmaFragment;
import dev.tilewright.program.expression.Expr;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** The index expressions of a fragment are what the fragment says of every thread, register and element. */
class MmaIndicesTest {
    @Test
    void everyElementIsWhereTheFragmentSays() {
        int elements = 0;
        for (MmaFragment f : List.of(MmaFragment.a(8, 4, 64), MmaFragment.a(16, 16, 16), MmaFragment.a(16, 32, 8),
                MmaFragment.a(64, 16, 16), MmaFragment.b(16, 8, 16), MmaFragment.b(4, 8, 64), MmaFragment.b(32, 8, 8),
                MmaFragment.accumulator(8, 8, 64), MmaFragment.accumulator(16, 8, 32),
                MmaFragment.accumulator(16, 8, 16), MmaFragment.accumulator(64, 64, 32))) {
            for (int thread = 0; thread < f.threads(); thread++) {
                MmaIndices indices = new MmaIndices(f, Expr.of(thread));
                for (int register = 0; register < f.registers(); register++) {
                    for (int e = 0; e < f.perRegister(); e++) {
                        assertEquals(OptionalLong.of(f.row(thread, register, e)),
                                indices.row(register, e).constant(), f.toString());
                        assertEquals(OptionalLong.of(f.column(thread, register, e)),
                                indices.column(register, e).constant(), f.toString());
                        elements++;
                    }
                }
            }
        }
        assertTrue(elements > 5_000, "elements: " + elements);
    }
}
