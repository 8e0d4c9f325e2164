package dev.tilewright.reference;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.reference.fault.ReferenceException;
import java.lang.foreign.Arena;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A turn of an unrolled loop that names an element behind an array's last fails, and does not touch a neighbour. */
class UnrolledIndexTest {
    private static final Parameter.Pointer Y = new Parameter.Pointer("y", true);

    private interface Turn {
        void write(Body body, Expr k, Register four, Register sum);
    }

    private static void run(Turn turn) {
        TileProgram program = new TileProgram("unrolled", "five of four", 32, List.of(Y), new SharedLayout(List.of()),
                Body.steps(b -> {
                    Register four = b.registers("four", 4, Value.f32(1));
                    Register sum = b.variable("sum", Value.f32(0));
                    b.unrolled("k", 5, (each, k) -> turn.write(each, k, four, sum));
                    b.store(new Address.Global(Y, 0), sum.get());
                }));
        try (Arena arena = Arena.ofConfined()) {
            Reference.run(new Launch(program, 1, List.of(new Argument.Buffer(0))), List.of(arena.allocate(64, 16)));
        }
    }

    private static void fails(Turn turn) {
        String message = assertThrows(ReferenceException.class, () -> run(turn)).getMessage();
        assertTrue(message.endsWith("'four' has the elements 0 to 3, asked for 4"), message);
    }

    @Test
    void readingOneFails() {
        fails((b, k, four, sum) -> b.assign(sum, sum.get().plus(four.at(k))));
        fails((b, k, four, sum) -> b.assign(sum, four.at(k)));
    }

    @Test
    void writingOneFails() {
        fails((b, k, four, sum) -> b.assign(four.at(k), Value.f32(2)));
        fails((b, k, four, sum) -> b.load(four, k, 1, new Address.Global(Y, k.times(4))));
    }

    @Test
    void oneThatNoThreadComesToIsNone() {
        assertDoesNotThrow(() -> run((b, k, four, sum) -> b.when(k.lessThan(4), w -> w.assign(four.at(k),
                Value.of(ValueType.F32, 2)))));
    }
}
