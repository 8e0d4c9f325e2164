package dev.tilewright.verify.draw;

import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.Value;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A statement of a random program, which all threads perform. */
sealed interface ValueStatement {
    /** @param states the registers of each thread */
    void perform(List<Map<Register, long[]>> states, Map<Parameter.Scalar, Long> scalars);

    /**
     * An element takes a value where a condition holds, this many times, and in every turn of a loop where it is in
     * one.
     */
    record Assign(Register register, Expr index, Value value, Expr.Var turn, Optional<Value> guard, int rounds)
            implements ValueStatement {
        @Override
        public void perform(List<Map<Register, long[]>> states, Map<Parameter.Scalar, Long> scalars) {
            for (int thread = 0; thread < states.size(); thread++) {
                for (int k = 0; k < rounds * (turn == null ? 1 : ValuePrograms.COUNT); k++) {
                    ThreadScope scope = new ThreadScope(thread, k % ValuePrograms.COUNT, turn, states.get(thread),
                            scalars);
                    if (guard.isEmpty() || scope.word(guard.get()) != 0) {
                        states.get(thread).get(register)[(int) scope.index(index)] = scope.word(value);
                    }
                }
            }
        }
    }

    /** Every thread takes an element of another thread, through shared memory. */
    record Exchange(Register register, int index, int distance) implements ValueStatement {
        @Override
        public void perform(List<Map<Register, long[]>> states, Map<Parameter.Scalar, Long> scalars) {
            long[] words = states.stream().mapToLong(state -> state.get(register)[index]).toArray();
            for (int thread = 0; thread < words.length; thread++) {
                states.get(thread).get(register)[index] = words[(thread + distance) % ValuePrograms.THREADS];
            }
        }
    }
}
