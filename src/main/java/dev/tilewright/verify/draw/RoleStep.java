package dev.tilewright.verify.draw;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Register;
import java.util.List;

/** What some threads of a block do: as steps of a program, and directly, thread by thread. */
interface RoleStep {
    void write(Body body);

    /** @param threads that come to it, in their order */
    void perform(RoleMemory memory, List<RoleThread> threads);

    /** One after the other. */
    record Sequence(List<RoleStep> steps) implements RoleStep {
        @Override
        public void write(Body body) {
            steps.forEach(s -> s.write(body));
        }

        @Override
        public void perform(RoleMemory memory, List<RoleThread> threads) {
            for (RoleStep step : steps) {
                step.perform(memory, threads.stream().filter(t -> t.jump == RoleThread.Jump.NONE).toList());
            }
        }
    }

    /** @param names where the variable is kept for the steps that mention it @param place its number among all */
    record Let(int place, RoleNumber number, Expr[] names) implements RoleStep {
        @Override
        public void write(Body body) {
            names[place] = body.let("v" + place, number.text().get());
        }

        @Override
        public void perform(RoleMemory memory, List<RoleThread> threads) {
            threads.forEach(t -> t.variables[place] = number.value().applyAsInt(t));
        }
    }

    /** Some do one thing, the others another one, or nothing. */
    record Guard(RoleNumber.Condition condition, Sequence yes, Sequence no) implements RoleStep {
        @Override
        public void write(Body body) {
            if (no.steps.isEmpty()) {
                body.when(condition.text().get(), yes::write);
            } else {
                body.when(condition.text().get(), yes::write, no::write);
            }
        }

        @Override
        public void perform(RoleMemory memory, List<RoleThread> threads) {
            List<RoleThread> those = threads.stream().filter(condition.holds()).toList();
            yes.perform(memory, those);
            no.perform(memory, threads.stream().filter(t -> !those.contains(t)).toList());
        }
    }

    /** @param leaves the loop; else the rest of its turn alone */
    record Jump(boolean leaves) implements RoleStep {
        @Override
        public void write(Body body) {
            if (leaves) {
                body.breakLoop();
            } else {
                body.continueLoop();
            }
        }

        @Override
        public void perform(RoleMemory memory, List<RoleThread> threads) {
            threads.forEach(t -> t.jump = leaves ? RoleThread.Jump.OUT : RoleThread.Jump.ON);
        }
    }

    /** How a loop is written. */
    enum LoopKind { COUNTED, UNROLLED, WHILE }

    /**
     * A loop.
     *
     * @param place the variable's
     * @param turns of each thread
     * @param constant the turns where all take as many, together; else -1
     */
    record Loop(LoopKind kind, int place, RoleNumber turns, int constant, Sequence body, Expr[] names)
            implements RoleStep {
        @Override
        public void write(Body outer) {
            switch (kind) {
                case COUNTED -> outer.loop("i" + place, turns.text().get(), this::turn);
                case UNROLLED -> outer.unrolled("i" + place, constant, this::turn);
                case WHILE -> {
                    Register count = outer.variable("count" + place, 0);
                    outer.repeatWhile(count.get().toIndex().lessThan(turns.text().get()), b -> {
                        Expr.Var now = b.let("i" + place, count.get().toIndex());
                        b.assign(count, now.plus(1));
                        turn(b, now);
                    });
                }
            }
        }

        private void turn(Body b, Expr.Var variable) {
            names[place] = variable;
            body.write(b);
        }

        @Override
        public void perform(RoleMemory memory, List<RoleThread> threads) {
            if (constant >= 0) {
                turns(memory, threads, constant);
            } else {
                threads.forEach(t -> turns(memory, List.of(t), turns.value().applyAsInt(t)));
            }
        }

        private void turns(RoleMemory memory, List<RoleThread> threads, int count) {
            for (int i = 0; i < count; i++) {
                List<RoleThread> those = threads.stream().filter(t -> t.jump != RoleThread.Jump.OUT).toList();
                int turn = i;
                those.forEach(t -> {
                    t.jump = RoleThread.Jump.NONE;
                    t.variables[place] = turn;
                });
                body.perform(memory, those);
            }
            threads.forEach(t -> t.jump = RoleThread.Jump.NONE);
        }
    }
}
